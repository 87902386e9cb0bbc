// What a finding looks like on disk: DIR/001/case.txt, verdict.json, report.txt, reproduce.py. The database has it all;
// the files are made from it, and made again where one is missing.
#pragma once

#include <string>

#include "campaign/store.h"

namespace faultline {

// "DIR/001".
std::string finding_folder(const std::string& folder, int64_t id);
// Throws UserError where a file cannot be written.
void write_finding(const std::string& folder, const FindingRow& finding);

}  // namespace faultline
