// Reductions that several rows are made of. Nodes keep the reduced dims as size 1 where `keep` is set.
#pragma once

#include "runtime/layers/decompose/op.h"

namespace faultline {

int64_t elements_of(const GraphBuilder& builder, int node, const std::vector<int64_t>& axes);
int mean_of(Builder& builder, int x, const std::vector<int64_t>& axes, bool keep);
// Two passes: the mean of the squared distances from the mean, over count - correction.
struct Moments {
  int mean, variance;
};
Moments moments_of(Builder& builder, int x, const std::vector<int64_t>& axes, double correction, bool keep);

// exp(x - max) over one axis and its sum along it (kept); the operand is refreshed before maximum and subtraction.
struct Exponentials {
  int shifted, terms, sum;
};
Exponentials exponentials_of(Builder& builder, int x, int axis);
int softmax_of(Builder& builder, int x, int axis);

}  // namespace faultline
