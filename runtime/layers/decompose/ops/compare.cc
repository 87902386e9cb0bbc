// Comparisons, logic and bits.
#include "runtime/layers/decompose/pointwise.h"

namespace faultline {
namespace {

template <Function function>
Lowered lower_logical(Builder& builder, const BoundCall& call) {
  const Pair pair = common_pair(builder, call.operand("self"), call.operand("other"), DType::boolean);
  const DType compared = result_type({pair.left, pair.right});
  return {pointwise_result(builder, builder.apply(function, {pair.a, pair.b}), compared, {pair.left, pair.right})};
}

template <Function function>
Lowered lower_bits(Builder& builder, const BoundCall& call) {
  const Pair pair = common_pair(builder, call.operand("self"), call.operand("other"));
  if (is_float(pair.dtype)) call.reject("bits of floats");
  return {pair_result(builder, builder.apply(function, {pair.a, pair.b}), pair)};
}

constexpr std::string_view kCompareSamples[] = {
    "def f(x: f32[65], y: f32[65]): z = aten.$.Tensor(x, y); return z",
    "def f(x: f16[3,5]{stride=1,3}, y: f16[5]): z = aten.$.Tensor(x, y); return z",
    "def f(x: i32[3,1], y: i64[4]): z = aten.$.Tensor(x, y); return z; "
    "call f(x = integers(0,3,1), y = integers(0,3,2))",
    "def f(x: i32[7]): z = aten.$.Scalar(x, 1.5); return z; call f(x = integers(0,3,1))",
    "def f(x: f32[7], y: f32[7]): z = aten.$_.Tensor(x, y); return z",
    "def f(x: f32[2,1,3]{stride=3,7,1}): y = aten.$.Scalar(x, 1); z = aten.$.Tensor(x, x); return y, z",
};
constexpr std::string_view kLogicalSamples[] = {
    "def f(x: bool[65], y: bool[65]): z = aten.$(x, y); return z",
    "def f(x: f16[3,5]{stride=1,3}, y: i32[5]): z = aten.$(x, y); return z; call f(y = integers(0,2,1))",
    "def f(x: bool[7], y: f32[7]): z = aten.$_(x, y); return z",
};
constexpr std::string_view kBitSamples[] = {
    "def f(x: bool[65], y: bool[65]): z = aten.$.Tensor(x, y); return z",
    "def f(x: i16[3,5]{stride=1,3}, y: i32[5]): z = aten.$.Tensor(x, y); return z",
    "def f(x: i64[7]): y = aten.$.Scalar(x, 3); z = aten.$_.Scalar(x, 5); return y, z",
};
constexpr std::string_view kShiftSamples[] = {
    "def f(x: i32[65], y: i32[65]): z = aten.$.Tensor(x, y); return z; call f(y = integers(0,9,1))",
    "def f(x: i64[3,5]{stride=1,3}): z = aten.$.Tensor_Scalar(x, 2); return z",
};
constexpr std::string_view kNotEqualNames[] = {"not_equal"};
constexpr std::string_view kLessNames[] = {"less"};
constexpr std::string_view kLessEqualNames[] = {"less_equal"};
constexpr std::string_view kGreaterNames[] = {"greater"};
constexpr std::string_view kGreaterEqualNames[] = {"greater_equal"};
constexpr std::string_view kAndNames[] = {"__and__"};
constexpr std::string_view kOrNames[] = {"__or__"};
constexpr std::string_view kXorNames[] = {"__xor__"};
constexpr std::string_view kLeftNames[] = {"__lshift__"};
constexpr std::string_view kRightNames[] = {"__rshift__"};

}  // namespace

#define COMPARE(name, text, names, function) \
  constinit const OpRow op_##name{           \
      .id = #name, .summary = text, .synonyms = names, .lower = lower_binary<function>, .samples = kCompareSamples};
COMPARE(eq, "x == y", {}, Function::equal)
COMPARE(ne, "x != y", kNotEqualNames, Function::not_equal)
COMPARE(lt, "x < y", kLessNames, Function::less)
COMPARE(le, "x <= y", kLessEqualNames, Function::less_equal)
COMPARE(gt, "x > y", kGreaterNames, Function::greater)
COMPARE(ge, "x >= y", kGreaterEqualNames, Function::greater_equal)
#undef COMPARE

constinit const OpRow op_logical_and{.id = "logical_and",
                                     .summary = "are both other than 0",
                                     .lower = lower_logical<Function::bitwise_and>,
                                     .samples = kLogicalSamples};
constinit const OpRow op_logical_or{.id = "logical_or",
                                    .summary = "is one other than 0",
                                    .lower = lower_logical<Function::bitwise_or>,
                                    .samples = kLogicalSamples};
constinit const OpRow op_logical_xor{.id = "logical_xor",
                                     .summary = "is just one other than 0",
                                     .lower = lower_logical<Function::bitwise_xor>,
                                     .samples = kLogicalSamples};
constinit const OpRow op_bitwise_and{.id = "bitwise_and",
                                     .summary = "and of the bits",
                                     .synonyms = kAndNames,
                                     .lower = lower_bits<Function::bitwise_and>,
                                     .samples = kBitSamples};
constinit const OpRow op_bitwise_or{.id = "bitwise_or",
                                    .summary = "or of the bits",
                                    .synonyms = kOrNames,
                                    .lower = lower_bits<Function::bitwise_or>,
                                    .samples = kBitSamples};
constinit const OpRow op_bitwise_xor{.id = "bitwise_xor",
                                     .summary = "exclusive or of the bits",
                                     .synonyms = kXorNames,
                                     .lower = lower_bits<Function::bitwise_xor>,
                                     .samples = kBitSamples};
constinit const OpRow op_bitwise_left_shift{.id = "bitwise_left_shift",
                                            .summary = "bits moved up",
                                            .synonyms = kLeftNames,
                                            .lower = lower_bits<Function::shift_left>,
                                            .samples = kShiftSamples};
constinit const OpRow op_bitwise_right_shift{.id = "bitwise_right_shift",
                                             .summary = "bits moved down, the sign kept",
                                             .synonyms = kRightNames,
                                             .lower = lower_bits<Function::shift_right>,
                                             .samples = kShiftSamples};

}  // namespace faultline
