// Indices of several dims at once, self[i, :, j]: what index and index_put have in common.
#pragma once

#include "runtime/layers/decompose/op.h"

namespace faultline {

// Indices are i64 or i32; others are rejected.
void require_integers(const BoundCall& call, const TensorType& type);
int read_indices(Builder& builder, const BoundCall& call, const TensorValue& indices);

// The tensors of the argument `indices` by dim of self.
struct Chosen {
  std::vector<int64_t> dims;  // indexed ones
  std::vector<TensorValue> tensors;
  Sizes common;      // what the tensors broadcast to
  size_t first = 0;  // where `common` stands in the result
};
Chosen chosen_by(const BoundCall& call, int rank);

// The dims that are left, with `common` put in their midst.
template <class List>
List around(const List& left, const Chosen& chosen, const List& common) {
  List result(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(chosen.first));
  result.insert(result.end(), common.begin(), common.end());
  result.insert(result.end(), left.begin() + static_cast<std::ptrdiff_t>(chosen.first), left.end());
  return result;
}

// Negative numbers count from the end.
int wrapped(Builder& builder, int index, int64_t size);
// In the sizes of `common`: where each chosen element stands among those of the indexed dims, in row-major order.
int flat_place(Builder& builder, const BoundCall& call, const TensorType& self, const Chosen& chosen);
int64_t indexed_places(const TensorType& self, const Chosen& chosen);

// What eager iterates over, in the sizes of the result: self with stride 0 in the indexed dims, and the indices. It
// lays results out so, and goes through the elements in that order.
std::vector<TensorType> indexed_operands(const TensorType& self, const Chosen& chosen, const Sizes& sizes);

}  // namespace faultline
