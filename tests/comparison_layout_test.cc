// The comparison over tensors of any strides, with references given by element, by bits, on several threads and with
// every instruction set of this machine: always the result of the plain judge.
#include <gtest/gtest.h>

#include <hwy/targets.h>

#include <algorithm>

#include "tests/comparison_samples.h"

namespace faultline {
namespace {

Sizes random_sizes(PhiloxStream& draws) {
  Sizes sizes;
  const uint32_t dims = draws.below(5);
  for (uint32_t i = 0; i < dims; ++i) {
    const uint32_t kind = draws.below(4);
    sizes.push_back(kind == 0 ? 1 + draws.below(3) : kind == 1 ? 30 + draws.below(40) : 1 + draws.below(12));
  }
  return sizes;
}

// The dims in some order in memory, some with room between their elements, some elements for a whole dim, an offset.
TensorType random_type(DType dtype, const Sizes& sizes, PhiloxStream& draws, bool broadcasts) {
  std::vector<size_t> order;
  for (size_t i = 0; i < sizes.size(); ++i) order.insert(order.begin() + draws.below(static_cast<uint32_t>(i + 1)), i);
  if (draws.below(2) == 0) std::sort(order.rbegin(), order.rend());
  TensorType type{dtype, sizes, Sizes(sizes.size()), draws.below(2) * draws.below(7)};
  int64_t stride = draws.below(5) == 0 ? 2 : 1;
  for (const size_t dim : order) {
    const bool repeated = broadcasts && draws.below(4) == 0;
    type.strides[dim] = repeated ? 0 : stride;
    if (!repeated) stride *= sizes[dim] + (draws.below(4) == 0 ? draws.below(3) : 0);
  }
  return type;
}

TEST(ComparisonLayout, AnyStrides) {
  PhiloxStream draws(1, "strides");
  for (int round = 0; round < 500; ++round) {
    const DType dtype = kAllTypes[draws.below(12)];
    const Sizes sizes = random_sizes(draws);
    const auto count = static_cast<size_t>(element_count(sizes));
    const Pairs asked = random_pairs(dtype, count, draws, draws.below(2) * 3);
    const Tensor actual = laid_out(random_type(dtype, sizes, draws, false), asked.actual);
    const Tensor reference = laid_out(random_type(dtype, sizes, draws, true), asked.reference);
    const Pairs pairs{dtype, elements_of(actual), elements_of(reference)};
    std::vector<uint8_t> verdicts(count);
    ComparisonOptions options{.sign_of_zero = draws.below(4) == 0, .listed = 7};
    options.verdicts = verdicts;
    const BoundOfReference bound{draws.below(2) * 1.6e-2, 0.5, draws.below(2) * 1e-5};
    const ElementComparison found = compare_to_reference(view_of(actual), view_of(reference), bound, options);
    expect_same(found, plainly(pairs, bound, options), to_text(actual.type) + " against " + to_text(reference.type));
  }
}

// Ties: the first in row-major order is the worst, whichever is visited first.
TEST(ComparisonLayout, TheFirstOfEqualsIsTheWorst) {
  PhiloxStream draws(2, "ties");
  for (const Sizes& sizes : {Sizes{70, 130}, Sizes{5, 90, 40}, Sizes{3, 200, 3}, Sizes{64, 2, 64}}) {
    const int64_t count = element_count(sizes);
    for (int round = 0; round < 20; ++round) {
      std::vector<uint64_t> ones(static_cast<size_t>(count), encode(Format::bf16, 1)), actual = ones;
      int64_t first = count;
      for (int i = 0; i < 6; ++i) {
        const int64_t at = draws.below(static_cast<uint32_t>(count));
        actual[static_cast<size_t>(at)] += 1 - 2 * draws.below(2) + draws.below(2);
        if (actual[static_cast<size_t>(at)] != ones[0]) first = std::min(first, at);
      }
      const Pairs pairs{DType::bf16, actual, ones};
      const Tensor left = laid_out(random_type(DType::bf16, sizes, draws, false), actual);
      const Tensor right = laid_out(random_type(DType::bf16, sizes, draws, false), ones);
      const ElementComparison found = compare_to_reference(view_of(left), view_of(right), {0, 64, 0});
      expect_same(found, plainly(pairs, {0, 64, 0}, {}), to_text(left.type) + " against " + to_text(right.type));
    }
  }
}

struct Given {
  std::vector<double> exact, bound;
  std::vector<uint32_t> reasons;
};

Given random_given(const Pairs& pairs, PhiloxStream& draws, uint32_t wild) {
  Given given;
  const double kinds[] = {0, -0.0, -1, INFINITY, NAN, 1e-310, 1e300};
  for (const uint64_t bits : pairs.reference) {
    const double y = plain_number(pairs.dtype, bits);
    double exact = y, bound = is_float(pairs.dtype) ? std::abs(y) * 1e-3 + 0.5 * plain_ulp(pairs.dtype, y) : 0;
    if (is_float(pairs.dtype)) exact += y * 1e-4 * draws.normal();
    if (draws.below(1000) < wild) exact = draws.below(2) == 0 ? y * 1e5 : kinds[draws.below(7)];
    if (draws.below(1000) < wild) bound = kinds[draws.below(7)];
    if (draws.below(8) == 0) exact = y, bound = 0;
    given.exact.push_back(exact);
    given.bound.push_back(bound);
    given.reasons.push_back(draws.below(2000) < wild ? 4 : 0);
  }
  return given;
}

TEST(ComparisonLayout, ReferencesByElement) {
  PhiloxStream draws(3, "given");
  for (int round = 0; round < 800; ++round) {
    const DType dtype = kAllTypes[draws.below(12)];
    const Sizes sizes = draws.below(2) == 0 ? random_sizes(draws) : Sizes{1 + draws.below(6000)};
    const auto count = static_cast<size_t>(element_count(sizes));
    const uint32_t wild = draws.below(2) * 3;
    const Pairs pairs = random_pairs(dtype, count, draws, wild);
    const Given given = random_given(pairs, draws, wild);
    const bool reasons = draws.below(2) == 0;
    std::vector<uint8_t> verdicts(count);
    ComparisonOptions options{.sign_of_zero = draws.below(4) == 0, .listed = 7};
    options.verdicts = verdicts;
    const Tensor actual = laid_out(random_type(dtype, sizes, draws, false), pairs.actual);
    const ElementComparison found = compare_to_exact(
        view_of(actual), {given.exact, given.bound, reasons ? given.reasons : std::span<const uint32_t>()}, options);
    PlainJudge judge(dtype, options);
    for (size_t i = 0; i < count; ++i)
      judge.given(pairs.actual[i], given.exact[i], given.bound[i], reasons ? given.reasons[i] : 0);
    expect_same(found, judge.sums, to_text(actual.type));
    for (size_t i = 0; i < count; ++i) ASSERT_EQ(verdicts[i], static_cast<uint8_t>(judge.verdicts[i])) << i;
  }
}

TEST(ComparisonLayout, OneWrongElementOfAGivenReferenceAtEveryPosition) {
  PhiloxStream draws(4, "planted");
  for (const DType dtype : {DType::f32, DType::bf16, DType::i64}) {
    Pairs pairs = random_pairs(dtype, 1000, draws, 0);
    pairs.actual = pairs.reference;
    std::vector<double> exact, bound;
    for (const uint64_t bits : pairs.reference) {
      exact.push_back(plain_number(dtype, bits));
      bound.push_back(is_float(dtype) ? plain_ulp(dtype, exact.back()) : 0);
    }
    for (size_t i = 0; i < 1000; ++i) {
      pairs.actual[i] ^= 2;
      const Tensor actual = laid_out(contiguous_type(dtype, {1000}), pairs.actual);
      const ElementComparison found = compare_to_exact(view_of(actual), {exact, bound, {}}, {.listed = 3});
      EXPECT_EQ(found.beyond, std::vector<int64_t>{static_cast<int64_t>(i)});
      EXPECT_EQ(found.passed, 999);
      pairs.actual[i] = pairs.reference[i];
    }
  }
}

TEST(ComparisonLayout, Bits) {
  PhiloxStream draws(5, "bits");
  for (int round = 0; round < 500; ++round) {
    const DType dtype = kAllTypes[draws.below(12)];
    const Sizes sizes = draws.below(2) == 0 ? random_sizes(draws) : Sizes{draws.below(9000)};
    Pairs pairs = random_pairs(dtype, static_cast<size_t>(element_count(sizes)), draws, 30);
    if (round % 3 == 0) pairs.actual = pairs.reference;
    const Tensor actual = laid_out(random_type(dtype, sizes, draws, false), pairs.actual);
    const Tensor reference = laid_out(random_type(dtype, sizes, draws, false), pairs.reference);
    PlainJudge judge(dtype, {.listed = 9});
    for (size_t i = 0; i < pairs.actual.size(); ++i) judge.bits(pairs.actual[i], pairs.reference[i]);
    expect_same(compare_bits(view_of(actual), view_of(reference), {.listed = 9}), judge.sums, to_text(actual.type));
  }
}

// The instruction sets this build knows and this machine has, one after the other.
class OnEveryTarget : public testing::Test {
 protected:
  static void choose(int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  void TearDown() override { choose(0); }
};

TEST_F(OnEveryTarget, TheSameBits) {
  choose(0);
  const std::vector<int64_t> targets = hwy::SupportedAndGeneratedTargets();
  ASSERT_FALSE(targets.empty());
  for (const int64_t target : targets) {
    SCOPED_TRACE(hwy::TargetName(target));
    choose(target);
    PhiloxStream draws(7, "targets");
    for (int round = 0; round < 150; ++round) {
      const DType dtype = kAllTypes[draws.below(12)];
      const Pairs pairs = random_pairs(dtype, 1 + draws.below(8000), draws, draws.below(2));
      const TensorType type = contiguous_type(dtype, {static_cast<int64_t>(pairs.actual.size())});
      const Tensor actual = laid_out(type, pairs.actual), reference = laid_out(type, pairs.reference);
      const BoundOfReference bound{draws.below(2) * 1.6e-2, draws.below(3) * 0.5, draws.below(2) * 1e-5};
      expect_same(compare_to_reference(view_of(actual), view_of(reference), bound, {.listed = 5}),
                  plainly(pairs, bound, {.listed = 5}), text_of(dtype, bound));
      const Given given = random_given(pairs, draws, 0);
      PlainJudge judge(dtype, {});
      for (size_t i = 0; i < pairs.actual.size(); ++i) judge.given(pairs.actual[i], given.exact[i], given.bound[i], 0);
      expect_same(compare_to_exact(view_of(actual), {given.exact, given.bound, {}}), judge.sums, "given");
    }
    // What has no number, alone in a block: a target that takes it for one would pass it.
    for (const DType dtype : kFloats)
      for (const uint64_t bits : special_bits(dtype)) {
        const Pairs pairs{dtype, {bits, 0}, {encode(host_format(dtype), 1), 0}};
        const TensorType type = contiguous_type(dtype, {2});
        const Tensor actual = laid_out(type, pairs.actual), reference = laid_out(type, pairs.reference);
        expect_same(compare_to_reference(view_of(actual), view_of(reference), {0.125, 0, 0}),
                    plainly(pairs, {0.125, 0, 0}, {}), text_of(dtype, {0.125, 0, 0}));
      }
  }
}

}  // namespace
}  // namespace faultline
