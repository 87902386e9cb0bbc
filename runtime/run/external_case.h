// What a compiler of the outside world needs in place of the model's layers: the run that decides, references where the
// program has no prims, and the ladder by its own stages.
#pragma once

#include "runtime/run/compare_case.h"
#include "runtime/run/run_case.h"

namespace faultline {

// Eager's side of a Python file.
Reference python_reference(const Subject& subject, bool wide = false);

// Fills the outcome, or says that the backend is unavailable. What the program is made of is found out beside it.
void run_external_case(const Subject& subject, const std::vector<TensorEvidence>& reference, Comparison& comparison);

// Rungs are held to what the whole is held to. Where `decompose` refuses the program there is no fp64 reference by
// prims: then its floats are held to eager in f64, with a measured bound, and that is said in `skipped` of the
// evidence.
void complete_references(const Subject& subject, Evidence& evidence, Reference& reference);

// The same run again, the ladder, and for a mismatch hypotheses and other sizes.
void investigate_external(const Subject& subject, Comparison& comparison, bool mismatch, const RunOptions& options);

}  // namespace faultline
