// A reference for programs that have no prims: eager's own run in f64, and how far eager in the program's types is from
// it. Measured, not sound: said with every verdict that rests on it.
#pragma once

#include <string>
#include <vector>

#include "runtime/run/reference.h"
#include "runtime/run/subject.h"

namespace faultline {

// Fills `target` of float tensors that have none: the numbers of the same program with every float type f64, and as
// bound four times the largest error that eager makes against them in that tensor. Elements at which one of the two is
// no finite number are not judged unless both are alike. Without such a run (eager raises in f64) none is judged.
// Returns a sentence a tensor.
std::vector<std::string> add_wide_references(const Subject& subject, std::vector<TensorEvidence>& tensors);

}  // namespace faultline
