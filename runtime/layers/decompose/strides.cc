// Strides of new tensors from those of the operands: dims sorted by stride, largest outermost, without gaps.
#include "runtime/layers/decompose/strides.h"

#include <algorithm>
#include <numeric>

namespace faultline {

bool is_dense(const TensorType& type) {
  if (element_count(type.sizes) == 0) return true;
  std::vector<size_t> order;
  for (size_t d = 0; d < type.sizes.size(); ++d)
    if (type.sizes[d] != 1) order.push_back(d);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return type.strides[a] < type.strides[b]; });
  int64_t expected = 1;
  for (const size_t d : order) {
    if (type.strides[d] != expected) return false;
    expected *= type.sizes[d];
  }
  return true;
}

Sizes channels_last_strides(const Sizes& sizes) {
  const size_t rank = sizes.size();
  Sizes strides(rank, 1);
  int64_t next = sizes[1];
  for (size_t d = rank; d-- > 2;) {
    strides[d] = next;
    next *= sizes[d];
  }
  strides[0] = next;
  return strides;
}

bool is_channels_last(const TensorType& type) {
  if (type.sizes.size() != 4 && type.sizes.size() != 5) return false;
  const Sizes wanted = channels_last_strides(type.sizes);
  for (size_t d = 0; d < wanted.size(); ++d)
    if (type.sizes[d] != 1 && type.strides[d] != wanted[d]) return false;
  return true;
}

bool suggests_channels_last(const TensorType& type) {
  const Sizes &sizes = type.sizes, &strides = type.strides;
  if ((sizes.size() != 4 && sizes.size() != 5) || strides[1] == 0) return false;
  std::vector<size_t> order = {1};
  for (size_t d = sizes.size(); d-- > 2;) order.push_back(d);
  order.push_back(0);
  int64_t least = 0;
  for (const size_t d : order) {
    if (sizes[d] == 0 || strides[d] < least || (d == 0 && least == strides[1])) return false;
    least = strides[d] * sizes[d];
  }
  return true;
}

Sizes suggested_strides(const TensorType& like, const Sizes& sizes) {
  return suggests_channels_last(like) ? channels_last_strides(sizes) : contiguous_strides(sizes);
}

// Strides of the operand in the result's dims; 0 where it is broadcast.
static Sizes strides_in(const Sizes& sizes, const TensorType& operand) {
  Sizes strides(sizes.size(), 0);
  const size_t missing = sizes.size() - operand.sizes.size();
  for (size_t d = 0; d < operand.sizes.size(); ++d)
    if (operand.sizes[d] != 1 || sizes[missing + d] == 1) strides[missing + d] = operand.strides[d];
  return strides;
}

// Positive when dim `a` must lie outside dim `b`, negative when inside, 0 when no operand says.
static int compare_dims(const Sizes& sizes, std::span<const Sizes> strides, size_t a, size_t b) {
  for (const Sizes& operand : strides) {
    if (operand[a] == 0 || operand[b] == 0) continue;
    if (operand[a] != operand[b]) return operand[a] < operand[b] ? -1 : 1;
    if (sizes[a] > sizes[b]) return 1;
  }
  return 0;
}

// Dims from innermost to outermost. An insertion sort, because undecided pairs make the order depend on the method.
static std::vector<size_t> sorted_dims(const Sizes& sizes, std::span<const Sizes> strides) {
  std::vector<size_t> order(sizes.size());
  std::iota(order.rbegin(), order.rend(), 0);
  for (size_t next = 1; next < order.size(); ++next) {
    size_t moving = next;
    for (size_t before = next; before-- > 0;) {
      const int comparison = compare_dims(sizes, strides, order[before], order[moving]);
      if (comparison < 0) break;
      if (comparison == 0) continue;
      std::swap(order[before], order[moving]);
      moving = before;
    }
  }
  return order;
}

static Sizes dense_strides(const Sizes& sizes, std::span<const size_t> order) {
  Sizes strides(sizes.size(), 1);
  int64_t next = 1;
  for (const size_t d : order) {
    strides[d] = next;
    next *= sizes[d];
  }
  return strides;
}

static bool in_default_order(std::span<const size_t> order) { return std::is_sorted(order.rbegin(), order.rend()); }

Sizes pointwise_strides(const Sizes& sizes, std::span<const TensorType> operands) {
  const auto all = [&](auto holds) { return std::all_of(operands.begin(), operands.end(), holds); };
  if (all([&](const TensorType& operand) { return operand.sizes == sizes; }) && !operands.empty()) {
    if (all([](const TensorType& operand) { return is_contiguous(operand); })) return contiguous_strides(sizes);
    if (all([](const TensorType& operand) { return is_channels_last(operand); })) return channels_last_strides(sizes);
    const Sizes& first = operands[0].strides;
    if (all([&](const TensorType& operand) { return operand.strides == first && is_dense(operand); })) return first;
  }
  std::vector<Sizes> strides;
  for (const TensorType& operand : operands) strides.push_back(strides_in(sizes, operand));
  const std::vector<size_t> order = sorted_dims(sizes, strides);
  return in_default_order(order) ? contiguous_strides(sizes) : dense_strides(sizes, order);
}

Sizes preserved_strides(const TensorType& type) {
  if (is_dense(type)) return type.strides;
  const std::vector<Sizes> strides = {strides_in(type.sizes, type)};
  return dense_strides(type.sizes, sorted_dims(type.sizes, strides));
}

TensorType cast_type(const TensorType& type, DType dtype) {
  return type.dtype == dtype ? type : TensorType{dtype, type.sizes, preserved_strides(type), 0};
}

Sizes expanded_strides(const TensorType& from, const Sizes& sizes) {
  Sizes strides(sizes.size(), 0);
  if (from.sizes.empty()) return strides;
  const size_t added = sizes.size() - from.sizes.size();
  for (size_t d = sizes.size(); d-- > 0;) {
    if (d >= added)
      strides[d] = from.sizes[d - added] == sizes[d] ? from.strides[d - added] : 0;
    else if (sizes[d] == 1)
      strides[d] = sizes[d + 1] * strides[d + 1];
  }
  return strides;
}

// Neighbouring dims that lie behind one another in memory, innermost run first. A dim of size 1 joins the run inside
// it.
struct Run {
  int64_t elements, stride;
};

static std::vector<Run> runs_of(const TensorType& type) {
  std::vector<Run> runs;
  for (size_t d = type.sizes.size(); d-- > 0;) {
    const bool joins =
        !runs.empty() && (type.sizes[d] == 1 || type.strides[d] == runs.back().elements * runs.back().stride);
    if (joins)
      runs.back().elements *= type.sizes[d];
    else
      runs.push_back({type.sizes[d], type.strides[d]});
  }
  return runs;
}

std::optional<Sizes> view_strides(const TensorType& type, const Sizes& sizes) {
  if (element_count(type.sizes) == 0) return type.sizes == sizes ? type.strides : contiguous_strides(sizes);
  Sizes strides(sizes.size(), 1);
  size_t left = sizes.size();
  for (const Run& run : runs_of(type)) {
    int64_t used = 1;
    while (left > 0 && (used < run.elements || sizes[left - 1] == 1)) {
      --left;
      strides[left] = used * run.stride;
      used *= sizes[left];
    }
    if (used != run.elements) return std::nullopt;
  }
  return left == 0 || type.sizes.empty() ? std::optional(strides) : std::nullopt;
}

}  // namespace faultline
