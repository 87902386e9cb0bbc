// A segment, as capture leaves it, call by call: the "capture" rung of the ladder with eager operators.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "runtime/eager/executor.h"
#include "runtime/ir/segment.h"

namespace faultline {

// The tensor of every value of the segment, by its number: inputs first. Writes go through to the storages of `inputs`;
// a value that an operator reshaped in place has its last shape. The first error ends the run.
std::variant<std::vector<Tensor>, EagerError> run_segment(OpExecutor& executor, const Segment& segment,
                                                          std::span<const Tensor> inputs);

}  // namespace faultline
