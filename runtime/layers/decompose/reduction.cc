// Mean, moments and softmax from sums and maxima, in the order of steps that eager takes.
#include "runtime/layers/decompose/reduction.h"

#include <algorithm>

namespace faultline {

int64_t elements_of(const GraphBuilder& builder, int node, const std::vector<int64_t>& axes) {
  int64_t count = 1;
  for (const int64_t axis : axes) count *= builder.size(node, static_cast<int>(axis));
  return count;
}

int mean_of(Builder& builder, int x, const std::vector<int64_t>& axes, bool keep) {
  const int sum = builder.reduce(Reduction::sum, x, axes, keep);
  return builder.with(Function::div, sum, static_cast<double>(elements_of(builder, x, axes)));
}

Moments moments_of(Builder& builder, int x, const std::vector<int64_t>& axes, double correction, bool keep) {
  const int mean = mean_of(builder, x, axes, true);
  const int distance = builder.apply(Function::sub, {x, mean});
  const int sum = builder.reduce(Reduction::sum, builder.apply(Function::mul, {distance, distance}), axes, keep);
  const double count = std::max(0.0, static_cast<double>(elements_of(builder, x, axes)) - correction);
  return {keep ? mean : builder.reshape(mean, builder.sizes(sum)), builder.with(Function::div, sum, count)};
}

Exponentials exponentials_of(Builder& builder, int x, int axis) {
  const int fresh = builder.refresh(x);
  const int top = builder.reduce(Reduction::max, fresh, {axis}, true);
  const int shifted = builder.apply(Function::sub, {fresh, top});
  const int terms = builder.apply(Function::exp, {shifted});
  return {shifted, terms, builder.reduce(Reduction::sum, terms, {axis}, true)};
}

int softmax_of(Builder& builder, int x, int axis) {
  const Exponentials parts = exponentials_of(builder, x, axis);
  return builder.apply(Function::div, {parts.terms, parts.sum});
}

}  // namespace faultline
