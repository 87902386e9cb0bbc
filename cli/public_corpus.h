// Public bugs as cases (corpora/public): what is known of each, and what a run of its case says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/core/verdict.h"

namespace faultline {

struct PublicBug {
  std::string id, url, backend, layer, symptom, pattern, case_line;
  std::string declined;           // why maintainers do not count it as a bug; empty: they do
  std::vector<std::string> seen;  // versions: "torch 2.13.0"
};

// One JSON object a line. Throws UserError with file and line for what is damaged.
std::vector<PublicBug> read_public_bugs(const std::string& path);

struct BugResult {
  const PublicBug* bug = nullptr;
  std::optional<Verdict> verdict;  // none: `failure` says why not
  std::string failure;

  bool reproduced() const;  // in the way of its symptom, or another mismatch
  bool right_layer() const;
};

// A line a bug: its layer, symptom and address.
std::string list_text(const std::vector<PublicBug>& bugs);
std::string to_text(const std::vector<BugResult>& results);
nlohmann::ordered_json to_json(const std::vector<BugResult>& results);

}  // namespace faultline
