// What the normalisations have in common: optional parameters, and the type that they lift the arithmetic to.
#pragma once

#include <optional>
#include <string_view>

#include "runtime/layers/decompose/op.h"

namespace faultline {

std::optional<int> read_optional(Builder& builder, const BoundCall& call, std::string_view argument, DType dtype);
int scaled_and_shifted(Builder& builder, int x, std::optional<int> weight, std::optional<int> bias);
int inverse_deviation(Builder& builder, int variance, double epsilon);
// Parameters of a wider type lift the arithmetic and the statistics, not the result.
DType working_type(const BoundCall& call, const TensorType& input);
// A vector over the channels (dim 1) in the rank of `x`.
int by_channel(Builder& builder, int vector, int x);
std::optional<int> by_channel(Builder& builder, std::optional<int> vector, int x);

}  // namespace faultline
