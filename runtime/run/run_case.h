// One case from its text to its verdict: the only place that sees both faults and checkers. Faults are armed here, the
// stack runs, checkers speak, and only then is what they said weighed against what was planted.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "runtime/core/verdict.h"
#include "runtime/run/compare_case.h"

namespace faultline {

struct RunOptions {
  bool ladder = false;  // all rungs, verifiers and substitutions, even when nothing is wrong
  bool sweep = true;    // after a mismatch, other sizes
  bool places = false;  // the verdict says where the device has the elements of what is wrong
  int threads = 1;      // on which the runs of one case may take place; the verdict does not depend on it
  std::function<void(std::string_view stage, int done, int total)> progress = {};
  std::function<void(const std::vector<DeviceReport>& jobs)> trace = {};  // gets the events of the run that decided
};

// Everything that is observed before the checkers speak: the run, and where something is wrong or `ladder` asks for it,
// what explains it.
Comparison gather_evidence(const Subject& subject, const RunOptions& options = {});

// Throws UserError for bad input only: an unknown fault, target or option, or a program that eager refuses.
Verdict run_case(const Case& test_case, const RunOptions& options = {});

}  // namespace faultline
