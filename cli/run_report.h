// Runs a case for the commands that print a verdict.
#pragma once

#include "cli/command.h"
#include "runtime/run/run_case.h"

namespace faultline {

// With progress where the console shows it.
Verdict run_shown(const Case& test_case, RunOptions options, Console& console);

void print(const Verdict& verdict, bool json, Console& console);

// Runs, prints, returns the verdict's exit code.
int run_and_print(const Case& test_case, const RunOptions& options, bool json, Console& console);

}  // namespace faultline
