// How fault rows of `fuse` change the scalar nodes of a kernel.
#pragma once

#include <vector>

#include "runtime/layers/fuse/kernel.h"

namespace faultline {

// By node: how many operands, coordinates, stores and the reduction name it.
std::vector<int> use_counts(const Kernel& kernel);
// By node: whether it is the reduction's result or computed from it.
std::vector<uint8_t> epilogue_nodes(const Kernel& kernel);
// Puts node `from` at place `to`, which lies behind it; what stands between moves down. Nothing between may use it.
void move_node(Kernel& kernel, int from, int to);
// Uses of `from` turn to the earlier node `to`, and `from` goes.
void merge_into(Kernel& kernel, int from, int to);

// The numbers differ by more than a rounding.
bool clearly_differ(const Literal& a, const Literal& b);

}  // namespace faultline
