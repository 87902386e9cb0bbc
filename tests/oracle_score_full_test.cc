// The oracle's score on many seeds and ten thousand conforming results that differ from eager's: a drop fails the
// build.
#include <cmath>

#include "checkers/compare.h"
#include "runtime/base/parallel.h"
#include "runtime/base/philox.h"
#include "runtime/numerics/format.h"
#include "tests/oracle_score_bars.h"

namespace faultline {
namespace {

TEST(OracleScore, StaysAboveItsBarsOnManySeeds) {
  const OracleScore score = score_oracle({.seeds = 20, .controls = 25200, .threads = hardware_threads()});
  expect_bars(score);
  EXPECT_GE(counted_controls(score), 10000);
  for (const ScoreFreedom& freedom : score.freedoms) EXPECT_GE(freedom.controls, 30) << freedom.id;
}

// One element of 4 Mi in bf16, of N(0, 16^2), is another one's number: an error within no bound of a sum of 256
// products.
TEST(OracleScore, SeesOneWrongElementOf4MiInBf16) {
  constexpr int kCount = 4 << 20, kTrials = 40;
  PhiloxStream stream(1, "one of many");
  TensorEvidence tensor;
  tensor.eager_type = tensor.actual_type = contiguous_type(DType::bf16, {kCount});
  ElementReference reference;
  ElementBits right;
  for (int i = 0; i < kCount; ++i) {
    const double exact = 16 * stream.normal();
    reference.exact.push_back(exact);
    reference.bound.push_back(0.00258 + ulp(Format::bf16, exact) / 2);  // docs/sources.md, Oracle: element bounds
    right.push_back(encode(Format::bf16, exact));
  }
  reference.untrusted.resize(kCount);
  tensor.eager = right;
  EXPECT_EQ(compare_elements(tensor, reference, right).wrong, 0);
  for (int trial = 0; trial < kTrials; ++trial) {
    const size_t at = stream.below(kCount), from = stream.below(kCount);
    if (std::abs(reference.exact[at] - reference.exact[from]) < 1) continue;
    ElementBits wrong = right;
    wrong[at] = right[from];
    EXPECT_EQ(compare_elements(tensor, reference, wrong).wrong, 1) << trial;
  }
}

}  // namespace
}  // namespace faultline
