// Indices read, wrapped and made into one position.
#include "runtime/layers/decompose/chosen_indices.h"

#include <algorithm>

#include "runtime/layers/decompose/strides.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {

void require_integers(const BoundCall& call, const TensorType& type) {
  if (type.dtype != DType::i64 && type.dtype != DType::i32)
    call.reject("indices of dtype " + std::string(name(type.dtype)));
}

int read_indices(Builder& builder, const BoundCall& call, const TensorValue& indices) {
  require_integers(call, indices.type);
  return builder.cast(builder.read(indices), DType::i64);
}

Chosen chosen_by(const BoundCall& call, int rank) {
  Chosen chosen;
  const auto indices = call.tensors("indices");
  if (static_cast<int>(indices.size()) > rank) call.reject("more indices than dims");
  for (size_t d = 0; d < indices.size(); ++d) {
    if (!indices[d]) continue;
    require_integers(call, indices[d]->type);
    chosen.dims.push_back(static_cast<int64_t>(d));
    chosen.tensors.push_back(*indices[d]);
    chosen.common = broadcast_sizes(chosen.common, indices[d]->type.sizes);
  }
  if (chosen.dims.empty()) call.reject("no index");
  const bool adjacent = chosen.dims.back() - chosen.dims.front() + 1 == static_cast<int64_t>(chosen.dims.size());
  chosen.first = adjacent ? static_cast<size_t>(chosen.dims.front()) : 0;
  return chosen;
}

int wrapped(Builder& builder, int index, int64_t size) {
  const int negative = builder.with(Function::less, index, 0);
  return builder.select(negative, builder.with(Function::add, index, static_cast<double>(size)), index);
}

int64_t indexed_places(const TensorType& self, const Chosen& chosen) {
  int64_t places = 1;
  for (const int64_t dim : chosen.dims) places *= self.sizes[dim];
  return places;
}

int flat_place(Builder& builder, const BoundCall& call, const TensorType& self, const Chosen& chosen) {
  int position = -1;
  for (size_t k = 0; k < chosen.dims.size(); ++k) {
    const int64_t size = self.sizes[chosen.dims[k]];
    const int index = wrapped(builder, read_indices(builder, call, chosen.tensors[k]), size);
    if (position >= 0) position = builder.with(Function::mul, position, static_cast<double>(size));
    position = position < 0 ? index : builder.apply(Function::add, {position, index});
  }
  return builder.expand(position, chosen.common);
}

std::vector<TensorType> indexed_operands(const TensorType& self, const Chosen& chosen, const Sizes& sizes) {
  Sizes left;
  for (size_t d = 0; d < self.sizes.size(); ++d)
    if (!std::binary_search(chosen.dims.begin(), chosen.dims.end(), static_cast<int64_t>(d)))
      left.push_back(self.strides[d]);
  std::vector<TensorType> operands = {{self.dtype, sizes, around(left, chosen, Sizes(chosen.common.size(), 0)), 0}};
  for (const TensorValue& tensor : chosen.tensors) {
    // Expanded to the common sizes, then viewed with a dim of size 1 for each dim of self that stays.
    TensorType type{tensor.type.dtype, chosen.common, expanded_strides(tensor.type, chosen.common), 0};
    Sizes shape(chosen.first, 1);
    shape.insert(shape.end(), chosen.common.begin(), chosen.common.end());
    shape.resize(sizes.size(), 1);
    type.strides = view_strides(type, shape).value_or(contiguous_strides(shape));
    type.sizes = shape;
    operands.push_back(type);
  }
  return operands;
}

}  // namespace faultline
