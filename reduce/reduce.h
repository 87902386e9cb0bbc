// A smaller case with the same diagnosis: fewer calls, statements, results and arguments, smaller sizes, plainer places
// and data, fewer faults. Deterministic; bounded by a number of runs.
#pragma once

#include <functional>
#include <optional>

#include "reduce/signature.h"
#include "runtime/core/case.h"

namespace faultline {

// Nothing where the text is no case: eager refuses it, or it needs too much.
using CaseRunner = std::function<std::optional<Verdict>(const Case&)>;

struct ReduceOptions {
  int runs_max = 200;
  CaseRunner run;   // with its diagnosis
  CaseRunner look;  // what is seen, without where it comes from, where that is much quicker; none: `run`
};

struct ReducedCase {
  Case test_case;
  Verdict verdict;
  int runs = 0;
};

// `verdict` is that of `run`. Throws what the runners throw.
ReducedCase reduce_case(const Case& test_case, const Verdict& verdict, const ReduceOptions& options);

// run_case and the first of its steps, for `run` and `look`.
std::optional<Verdict> run_without_sweep(const Case& test_case);
std::optional<Verdict> look_at(const Case& test_case);

}  // namespace faultline
