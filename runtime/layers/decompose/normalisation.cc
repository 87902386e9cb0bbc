// Parameters are cast to the type of the arithmetic when they are read.
#include "runtime/layers/decompose/normalisation.h"

#include "runtime/layers/decompose/promotion.h"

namespace faultline {

std::optional<int> read_optional(Builder& builder, const BoundCall& call, std::string_view argument, DType dtype) {
  const auto tensor = call.optional_tensor(argument);
  if (!tensor) return std::nullopt;
  return builder.cast(builder.read(*tensor), dtype);
}

int scaled_and_shifted(Builder& builder, int x, std::optional<int> weight, std::optional<int> bias) {
  if (weight) x = builder.apply(Function::mul, {x, *weight});
  if (bias) x = builder.apply(Function::add, {x, *bias});
  return x;
}

int inverse_deviation(Builder& builder, int variance, double epsilon) {
  return builder.apply(Function::rsqrt, {builder.with(Function::add, variance, epsilon)});
}

DType working_type(const BoundCall& call, const TensorType& input) {
  if (!is_float(input.dtype)) call.reject("the norm of integers");
  return call.given("weight") ? promote(input.dtype, call.type("weight").dtype) : input.dtype;
}

int by_channel(Builder& builder, int vector, int x) {
  Sizes sizes(builder.rank(x), 1);
  sizes[1] = builder.size(vector, 0);
  return builder.reshape(vector, sizes);
}

std::optional<int> by_channel(Builder& builder, std::optional<int> vector, int x) {
  return vector ? std::optional(by_channel(builder, *vector, x)) : std::nullopt;
}

}  // namespace faultline
