// Arguments are written out in schema order, defaults included: the executor takes bound calls.
#include "runtime/eager/prim_torch.h"

namespace faultline {

static const Value kNone{NoneArgument{}};

Value list_value(const std::vector<int64_t>& numbers) {
  ValueList list;
  for (const int64_t number : numbers) list.push_back({number});
  return {std::move(list)};
}

Value PrimTorch::call_value(std::string_view target, const ValueList& arguments) {
  OpResult result = executor_.call(target, arguments);
  if (result.error) throw TorchFailure{std::move(*result.error)};
  return std::move(result.outputs.at(0));
}

Tensor PrimTorch::call(std::string_view target, const ValueList& arguments) {
  return std::get<Tensor>(call_value(target, arguments).value);
}

Tensor PrimTorch::cast(const Tensor& tensor, DType dtype) {
  if (tensor.type.dtype == dtype) return tensor;
  return call("aten._to_copy.default", {{tensor}, {dtype}, kNone, kNone, kNone, {false}, kNone});
}

Tensor PrimTorch::reshape(const Tensor& tensor, const Sizes& sizes) {
  return call("aten.reshape.default", {{tensor}, list_value(sizes)});
}

Tensor PrimTorch::permute(const Tensor& tensor, const std::vector<int64_t>& dims) {
  return call("aten.permute.default", {{tensor}, list_value(dims)});
}

Tensor PrimTorch::expand(const Tensor& tensor, const Sizes& sizes) {
  return call("aten.expand.default", {{tensor}, list_value(sizes), {false}});
}

Tensor PrimTorch::contiguous(const Tensor& tensor) {
  return call("aten.contiguous.default", {{tensor}, {Keyword{"contiguous_format"}}});
}

Tensor PrimTorch::full(const Sizes& sizes, const Literal& literal, DType dtype) {
  const Value number = is_float(literal.dtype)           ? Value{literal.real}
                       : literal.dtype == DType::boolean ? Value{literal.integer != 0}
                                                         : Value{literal.integer};
  return call("aten.full.default", {list_value(sizes), number, {dtype}, kNone, kNone, kNone});
}

Tensor PrimTorch::count(int64_t number) {
  return call("aten.arange.default", {{number}, {DType::i64}, kNone, kNone, kNone});
}

}  // namespace faultline
