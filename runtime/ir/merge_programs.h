// Several independent programs as one: what a compiler is asked to compile at a time when each would be dear by itself.
#pragma once

#include <optional>
#include <span>

#include "runtime/ir/program.h"

namespace faultline {

// Every name of the k-th gets "p<k>_" in front; outputs and inputs stand in order. Nothing for a program that keeps
// state, is called more than once, reads numbers from tensors or branches: its parts would not stay independent. The
// merged program is called once, with the data of the parts. Data that hang on the name of an input (normal, uniform,
// ... without a seed of their own) are others than in the part alone.
std::optional<Program> merge_programs(std::span<const Program> programs);

// Whether a program may be a part.
bool is_mergeable(const Program& program);

}  // namespace faultline
