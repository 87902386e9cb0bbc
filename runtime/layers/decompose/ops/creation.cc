// Tensors from numbers alone. What `empty` holds is nobody's promise, so it has no row.
#include <cmath>

#include "runtime/layers/decompose/pointwise.h"
#include "runtime/layers/decompose/strides.h"

namespace faultline {
namespace {

DType type_of(const Scalar& scalar) { return result_type({Operand{std::nullopt, scalar}}); }

Lowered filled(Builder& builder, const BoundCall& call, const Scalar& value, DType dtype) {
  const Sizes sizes = call.integers("size");
  for (const int64_t size : sizes)
    if (size < 0) call.reject("a negative size");
  return {builder.fresh(builder.literal(scalar_literal(value, dtype), sizes))};
}

Lowered lower_full(Builder& builder, const BoundCall& call) {
  const Scalar value = call.scalar("fill_value");
  return filled(builder, call, value, call.dtype("dtype", type_of(value)));
}

template <int number>
Lowered lower_number(Builder& builder, const BoundCall& call) {
  return filled(builder, call, int64_t{number}, call.dtype("dtype", DType::f32));
}

// In the dtype of another tensor.
Lowered lower_new_full(Builder& builder, const BoundCall& call) {
  return filled(builder, call, call.scalar("fill_value"), call.dtype("dtype", call.type("self").dtype));
}
template <int number>
Lowered lower_new_number(Builder& builder, const BoundCall& call) {
  return filled(builder, call, int64_t{number}, call.dtype("dtype", call.type("self").dtype));
}

// In the sizes of another tensor, and with its strides where it is dense.
Lowered filled_like(Builder& builder, const BoundCall& call, const Scalar& value) {
  const TensorType& type = call.type("self");
  const DType dtype = call.has("dtype") ? call.dtype("dtype", type.dtype) : type.dtype;
  const std::string format =
      call.has("memory_format") ? call.word("memory_format", "preserve_format") : "preserve_format";
  if (format != "preserve_format" && format != "contiguous_format") call.reject("memory format " + format);
  const Sizes strides = format == "preserve_format" ? preserved_strides(type) : contiguous_strides(type.sizes);
  return {builder.fresh(builder.literal(scalar_literal(value, dtype), type.sizes), strides)};
}

Lowered lower_full_like(Builder& builder, const BoundCall& call) {
  return filled_like(builder, call, call.scalar("fill_value"));
}
template <int number>
Lowered lower_number_like(Builder& builder, const BoundCall& call) {
  return filled_like(builder, call, int64_t{number});
}

// The number may be a tensor of no dims.
Lowered lower_fill(Builder& builder, const BoundCall& call) {
  const TensorType& type = call.type("self");
  const Operand value = call.operand("value");
  if (!value.tensor) return filled_like(builder, call, value.scalar);
  if (!value.tensor->type.sizes.empty()) call.reject("a value with dims");
  const int node = builder.expand(operand_node(builder, value, type.dtype), type.sizes);
  return {builder.fresh(node, preserved_strides(type))};
}

Lowered lower_scalar_tensor(Builder& builder, const BoundCall& call) {
  const DType dtype = call.dtype("dtype", DType::f32);
  return {builder.fresh(builder.literal(scalar_literal(call.scalar("s"), dtype)))};
}

bool is_integer(const Scalar& scalar) { return !std::holds_alternative<double>(scalar); }

// start + step * i, as many as lie before the end.
Lowered lower_arange(Builder& builder, const BoundCall& call) {
  const Scalar start = call.has("start") ? call.scalar("start") : int64_t{0};
  const Scalar step = call.has("step") ? call.scalar("step") : int64_t{1}, end = call.scalar("end");
  const bool whole = is_integer(start) && is_integer(step) && is_integer(end);
  const DType dtype = call.dtype("dtype", whole ? DType::i64 : DType::f32);
  const double first = to_real(start), stride = to_real(step), span = to_real(end) - first;
  if (dtype == DType::boolean) call.reject("a range of bools");
  if (!whole && !is_float(dtype)) call.reject("a range of fractions in integers");
  if (!std::isfinite(span) || !(std::fabs(span) < 0x1p53) || stride == 0 || span / stride < 0)
    call.reject("a range that is not finite, or does not lead to its end");
  const auto count = static_cast<int64_t>(std::ceil(span / stride));
  if (is_float(dtype)) return {builder.fresh(builder.real_iota({count}, 0, first, stride, dtype))};
  const int numbers = builder.iota({count}, 0, static_cast<int64_t>(first), static_cast<int64_t>(stride));
  return {builder.fresh(builder.cast(numbers, dtype))};
}

Lowered lower_eye(Builder& builder, const BoundCall& call) {
  const int64_t rows = call.integer("n"), columns = call.has("m") ? call.integer("m") : rows;
  if (rows < 0 || columns < 0) call.reject("a negative size");
  const Sizes sizes = {rows, columns};
  const int diagonal = builder.apply(Function::equal, {builder.iota(sizes, 0), builder.iota(sizes, 1)});
  return {builder.fresh(builder.cast(diagonal, call.dtype("dtype", DType::f32)))};
}

// Creations take no tensor; the samples have one all the same, as every program of the tests does.
constexpr std::string_view kFullSamples[] = {
    "def f(x: f32[2]): y = aten.full([3, 5], 1.5); z = aten.full([65], 7); w = aten.full([], True); return y, z, w",
    "def f(x: f16[2]): y = aten.full([2, 0], 0.1, dtype = f16); z = aten.full([2], 30, dtype = u8); return y, z",
};
constexpr std::string_view kNumberSamples[] = {
    "def f(x: f32[5]): y = aten.$([3, 5]); z = aten.add.Tensor(x, y, alpha = 2); return z",
    "def f(x: f16[2]): y = aten.$([65], dtype = f16); z = aten.neg_(y); w = aten.$([], dtype = bool); return y, w",
};
constexpr std::string_view kNewFullSamples[] = {
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$(x, [65], 3); return y",
    "def f(x: i32[2]): y = aten.$(x, [2, 2], 1.5, dtype = f32); z = aten.$(x, [], 2.5); return y, z",
};
constexpr std::string_view kNewNumberSamples[] = {
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$(x, [65]); return y",
    "def f(x: i32[2]): y = aten.$(x, [2, 2], dtype = f32); z = aten.$(x, []); return y, z",
};
constexpr std::string_view kFullLikeSamples[] = {
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$(x, 0.1); return y",
    "def f(x: i32[2,3]{stride=4,1 offset=1}): y = aten.$(x, 2.5); z = aten.$(x, 2.5, dtype = f32); return y, z",
};
constexpr std::string_view kNumberLikeSamples[] = {
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$(x); z = aten.$(x, memory_format = contiguous_format); return y, z",
    "def f(x: i32[2,3]{stride=4,1 offset=1}): y = aten.$(x); z = aten.$(x, dtype = f32); return y, z",
};
constexpr std::string_view kFillSamples[] = {
    "def f(x: f32[65]): y = aten.$_.Scalar(x, 0.5); return y",
    "def f(x: f16[3,5]{stride=1,3}, v: f32[]): y = aten.$.Tensor(x, v); z = aten.$_.Tensor(x, v); return y",
    "def f(x: i32[3]): y = aten.$.Scalar(x, 2); return y",
};
constexpr std::string_view kZeroSamples[] = {
    "def f(x: f32[65]): y = aten.zero_(x); return x",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.slice.Tensor(x, 1, 1, 3); z = aten.zero_(y); return y",
};
constexpr std::string_view kScalarTensorSamples[] = {
    "def f(x: f32[2]): y = aten.scalar_tensor(3); z = aten.mul.Tensor(x, y); return y, z",
    "def f(x: f16[2]): y = aten.scalar_tensor(0.1, dtype = f16); z = aten.scalar_tensor(True, dtype = i64); return y, "
    "z",
};
constexpr std::string_view kArangeSamples[] = {
    "def f(x: f32[5]): y = aten.arange(65); z = aten.arange.start(2, 7, dtype = f32); w = aten.add_.Tensor(x, z); "
    "return y, w",
    "def f(x: f16[2]): y = aten.arange.start_step(10, -1, -3); z = aten.arange(9, dtype = i8); return y, z",
    "def f(x: f32[2]): y = aten.arange.start_step(0.5, 3.0, 0.25); z = aten.arange(4.5); return y, z",
    "def f(x: f32[2]): y = aten.arange.start_step(0.1, 3.0, 0.1); z = aten.arange(3, dtype = bf16); return y, z",
};
constexpr std::string_view kEyeSamples[] = {
    "def f(x: f32[3,3]): y = aten.eye(3); z = aten.add.Tensor(x, y); return z",
    "def f(x: f16[2]): y = aten.eye.m(3, 5, dtype = f16); z = aten.eye(2, dtype = bool); return y, z",
};

}  // namespace

#define CREATION(name, text, lowering, test) \
  constinit const OpRow op_##name{           \
      .id = #name, .summary = text, .family = OpFamily::creation, .lower = lowering, .samples = test};

CREATION(full, "a number everywhere", lower_full, kFullSamples)
CREATION(zeros, "0 everywhere", lower_number<0>, kNumberSamples)
CREATION(ones, "1 everywhere", lower_number<1>, kNumberSamples)
CREATION(new_full, "a number everywhere, in a tensor's dtype", lower_new_full, kNewFullSamples)
CREATION(new_zeros, "0 everywhere, in a tensor's dtype", lower_new_number<0>, kNewNumberSamples)
CREATION(new_ones, "1 everywhere, in a tensor's dtype", lower_new_number<1>, kNewNumberSamples)
CREATION(full_like, "a number everywhere, in a tensor's sizes", lower_full_like, kFullLikeSamples)
CREATION(zeros_like, "0 everywhere, in a tensor's sizes", lower_number_like<0>, kNumberLikeSamples)
CREATION(ones_like, "1 everywhere, in a tensor's sizes", lower_number_like<1>, kNumberLikeSamples)
CREATION(fill, "a number for every element", lower_fill, kFillSamples)
CREATION(zero, "0 for every element", lower_number_like<0>, kZeroSamples)
CREATION(scalar_tensor, "a number as a tensor of no dims", lower_scalar_tensor, kScalarTensorSamples)
CREATION(arange, "numbers at equal distances", lower_arange, kArangeSamples)
CREATION(eye, "1 on the diagonal, 0 elsewhere", lower_eye, kEyeSamples)

#undef CREATION

}  // namespace faultline
