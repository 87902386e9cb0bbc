// Infinities, NaN, zeros of both signs, subnormals and the largest numbers in the samples of every row of the op table:
// what the decomposition makes of them is what eager makes of them, under what is known of eager's own arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <vector>

#include "runtime/base/philox.h"
#include "runtime/ir/tensor_bits.h"
#include "runtime/run/compare_case.h"
#include "runtime/run/run_case.h"
#include "tests/against_eager.h"

namespace faultline {
namespace {

using testing::AgainstEager;
using testing::Sample;

// Where eager's kernels treat special values in ways that are no part of the operation's definition (docs/limits.md):
// the decomposition computes what the definition says, and a case with such values ends with eager in doubt.
struct Exception {
  std::string_view id, why;
};
constexpr Exception kExceptions[] = {
    {"scaled_dot_product_attention", "the fused kernel gives 0 for a row that has NaN, and NaN for masked infinities"},
    {"_scaled_dot_product_flash_attention_for_cpu", "the same kernel"},
    {"_embedding_bag", "the largest of a bag leaves NaN out unless it comes first"},
    {"upsample_bilinear2d", "a neighbour of weight 0 is left out, or not, by dtype and scale"},
    {"grid_sampler_2d", "which element a coordinate that is no number falls on depends on the vector length"},
};

bool is_exception(std::string_view id) {
  return std::any_of(std::begin(kExceptions), std::end(kExceptions),
                     [&](const Exception& exception) { return exception.id == id; });
}

// `dense`: nothing but special values; else one in four among what the sample has. The reference is in f64, so that it
// knows nothing of overflow and underflow there.
void put_special_values(const Tensor& tensor, bool dense, uint64_t seed) {
  const DType dtype = tensor.type.dtype;
  if (!is_float(dtype)) return;
  const Format format = host_format(dtype);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> values = {kInfinity, -kInfinity, std::nan(""), -0.0, 0.0};
  if (dtype != DType::f64) {
    const FormatLimits& limit = limits(format);
    values.insert(values.end(), {limit.smallest_subnormal, -limit.smallest_subnormal, limit.smallest_normal,
                                 limit.largest, -limit.largest});
  }
  PhiloxStream stream(seed, dense ? "dense" : "sparse");
  const auto count = static_cast<int64_t>(tensor.storage->size()) / byte_size(dtype);
  for (int64_t i = 0; i < count; ++i) {
    const double value = values[stream.below(static_cast<uint32_t>(values.size()))];
    const bool replaced = dense || stream.below(4) == 0;
    const uint64_t bits = encode(format, value);
    if (replaced) std::memcpy(tensor.data() + i * byte_size(dtype), &bits, static_cast<size_t>(byte_size(dtype)));
  }
}

class SpecialValues : public ::testing::TestWithParam<Sample> {};

TEST_P(SpecialValues, AreThoseOfEager) {
  const EagerStatus status = eager_status();
  if (!status.available) GTEST_SKIP() << status.why_not;
  if (is_exception(GetParam().id)) return;
  for (const bool dense : {false, true}) {
    SCOPED_TRACE(dense ? "all special" : "one in four special");
    AgainstEager against(GetParam().text, 1,
                         {.profile = host_profile(), .slack = 4, .change = [&](size_t input, const Tensor& tensor) {
                            put_special_values(tensor, dense, input);
                          }});
    against.check();
  }
}

std::string sample_name(const ::testing::TestParamInfo<Sample>& sample) {
  return fmt::format("{}_{}", sample.param.id, sample.index);
}
// Through the whole stack: judged, not doubted.
TEST(SpecialValuesOfCases, AreJudged) {
  const EagerStatus status = eager_status();
  if (!status.available) GTEST_SKIP() << status.why_not;
  for (const std::string_view program : {
           "def f(x: f32[2,3]): y = aten.logsumexp(x, [1]); return y; call f(x = values(-inf, -inf, -inf, 1, -inf, 2))",
           "def f(x: f32[7]): y = aten.logcumsumexp(x, 0); return y; call f(x = values(-inf, -inf, 1, inf, 2, -inf, "
           "inf))",
           "def f(x: f32[8], y: f32[8]): z = aten.floor_divide(x, y); return z; call f(x = values(1, -1, 0, inf, -inf, "
           "3, "
           "-3, 7), y = values(inf, inf, -inf, 2, inf, -inf, -inf, 2))",
           "def f(x: f32[6]): y = aten.div.Scalar_mode(x, -inf, rounding_mode = \"floor\"); return y; call f(x = "
           "values(1, -1, 0, inf, -2, 3))",
       }) {
    SCOPED_TRACE(program);
    const Verdict verdict = run_case(parse_case("program=" + std::string(program)), {});
    EXPECT_EQ(name(verdict.outcome), name(Outcome::pass)) << verdict.explanation;
    EXPECT_EQ(verdict.coverage.unjudged, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, SpecialValues, ::testing::ValuesIn(testing::all_samples()), sample_name);

}  // namespace
}  // namespace faultline
