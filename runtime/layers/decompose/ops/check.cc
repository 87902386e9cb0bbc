// Assertions about a tensor's type. They hold or fail before anything runs; one that fails is rejected, as eager
// raises.
#include "runtime/layers/decompose/op.h"

namespace faultline {
namespace {

Lowered lower_assert_metadata(Builder&, const BoundCall& call) {
  const TensorType& type = call.type("a");
  if (call.given("size") && call.integers("size") != type.sizes) call.reject("the sizes are others");
  if (call.given("stride") && call.integers("stride") != type.strides) call.reject("the strides are others");
  if (call.dtype("dtype", type.dtype) != type.dtype) call.reject("the dtype is another");
  return {};
}

constexpr std::string_view kSamples[] = {
    "def f(x: f32[65]): aten._assert_tensor_metadata(x, [65], [1], f32); y = aten.neg(x); return y",
    "def f(x: f16[3,5]{stride=1,3}): aten._assert_tensor_metadata(x, None, [1, 3]); y = aten.neg(x); return y",
};

}  // namespace

constinit const OpRow op__assert_tensor_metadata{.id = "_assert_tensor_metadata",
                                                 .summary = "an assertion about sizes, strides and dtype",
                                                 .family = OpFamily::check,
                                                 .lower = lower_assert_metadata,
                                                 .samples = kSamples};

}  // namespace faultline
