// The comparison in one pass against the plain judge of comparison_judge.h, exactly: every field of the result.
#include <gtest/gtest.h>

#include "tests/comparison_samples.h"
#include "runtime/base/error.h"

namespace faultline {
namespace {

const std::vector<BoundOfReference> kBounds = {
    {0, 0, 0},         {0, 1, 0},         {0, 0.5, 0},         {0x1p-7, 0, 0}, {1.6e-2, 0, 1e-5},
    {1e-3, 0.5, 1e-5}, {1.3e-6, 0, 1e-5}, {0.125, 1, 0x1p-24}, {0.24, 0.5, 0}, {1e-2, 1, 1e-30},
    {0, 0, 0.25},      {2, 3, 1},         {1e-9, 0, 1e-12},    {0, 3, 0},      {1e-300, 0, 1e-300}};

ElementComparison compare_packed(const Pairs& pairs, const BoundOfReference& bound, const ComparisonOptions& options) {
  const TensorType type = contiguous_type(pairs.dtype, {static_cast<int64_t>(pairs.actual.size())});
  const Tensor actual = laid_out(type, pairs.actual), reference = laid_out(type, pairs.reference);
  return compare_to_reference(view_of(actual), view_of(reference), bound, options);
}

void check(const Pairs& pairs, const BoundOfReference& bound, bool sign_of_zero = false) {
  std::vector<uint8_t> verdicts(pairs.actual.size(), 77);
  ComparisonOptions options{.sign_of_zero = sign_of_zero, .listed = 5};
  options.verdicts = verdicts;
  const ElementComparison found = compare_packed(pairs, bound, options);
  expect_same(found, plainly(pairs, bound, options), text_of(pairs.dtype, bound));
  EXPECT_EQ(found.total, found.passed + found.suspect + found.failed + found.untrusted);
}

TEST(Comparison, EveryPairOfSpecialValues) {
  for (const DType dtype : kFloats) {
    Pairs pairs{dtype, {}, {}};
    for (const uint64_t actual : special_bits(dtype))
      for (const uint64_t reference : special_bits(dtype)) {
        pairs.actual.push_back(actual);
        pairs.reference.push_back(reference);
      }
    for (const BoundOfReference& bound : kBounds)
      for (const bool sign : {false, true}) check(pairs, bound, sign);
  }
}

// One element at a time, so that no special value hides behind another in a block.
TEST(Comparison, SpecialValuesAlone) {
  for (const DType dtype : kFloats)
    for (const uint64_t actual : special_bits(dtype))
      for (const uint64_t reference : special_bits(dtype))
        for (const size_t bound : {1, 5, 9}) check({dtype, {actual}, {reference}}, kBounds[bound]);
}

TEST(Comparison, EveryByteAgainstEveryByte) {
  for (const DType dtype : {DType::f8e4m3, DType::f8e5m2, DType::i8, DType::u8}) {
    Pairs pairs{dtype, {}, {}};
    for (uint64_t actual = 0; actual < 256; ++actual)
      for (uint64_t reference = 0; reference < 256; ++reference) {
        pairs.actual.push_back(actual);
        pairs.reference.push_back(reference);
      }
    for (const BoundOfReference& bound : kBounds) check(pairs, bound);
  }
}

TEST(Comparison, EveryHalfAgainstItsSurroundings) {
  for (const DType dtype : {DType::bf16, DType::f16}) {
    for (const BoundOfReference& bound : {kBounds[1], kBounds[4], kBounds[5], kBounds[9]}) {
      Pairs near{dtype, {}, {}}, far{dtype, {}, {}};
      const std::vector<uint64_t> special = special_bits(dtype);
      for (uint64_t reference = 0; reference < 65536; ++reference) {
        for (const uint64_t step : {0, 1, -1, 2, -5, 40}) {
          near.reference.push_back(reference);
          near.actual.push_back(low_bits(dtype, reference + step));
        }
        for (size_t i = 0; i < special.size(); i += 3) {
          far.reference.push_back(reference);
          far.actual.push_back(special[i]);
        }
      }
      check(near, bound);
      check(far, bound);
    }
  }
}

TEST(Comparison, EveryLengthAroundTheVectors) {
  PhiloxStream draws(1, "lengths");
  for (const DType dtype : kAllTypes)
    for (size_t count = 0; count <= 200; ++count)
      check(random_pairs(dtype, count, draws, count % 4 == 0 ? 20 : 0), kBounds[count % kBounds.size()]);
  for (const DType dtype : kAllTypes)
    for (const size_t count : {1791, 1792, 1793, 3583, 3584, 3600, 10000})
      for (const uint32_t wild : {0, 1}) check(random_pairs(dtype, count, draws, wild), kBounds[count % 7]);
}

TEST(Comparison, RandomBounds) {
  PhiloxStream draws(2, "bounds");
  for (int round = 0; round < 600; ++round) {
    const DType dtype = kFloats[draws.below(6)];
    const auto part = [&](int from, int to) {
      const auto exponent = from + static_cast<int>(draws.below(static_cast<uint32_t>(to - from)));
      return draws.below(3) == 0 ? 0 : std::ldexp(1 + draws.unit(), exponent);
    };
    const BoundOfReference bound{part(-26, -1), part(-3, 7), part(-30, 3)};
    check(random_pairs(dtype, 1 + draws.below(5000), draws, draws.below(2) * 3), bound, draws.below(4) == 0);
  }
}

// Ratios at and beside every power of two and every bound, where a rounded one would fall to the wrong side.
TEST(Comparison, AtTheEdgesOfTheBins) {
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16})
    for (int power = -10; power <= 10; ++power)
      for (const double relative : {0.0, std::ldexp(1.0, power) * 1e-3})
        for (const int64_t beside : {-1, 0, 1}) {
          Pairs pairs{dtype, {}, {}};
          const Format format = host_format(dtype);
          for (int i = 1; i <= 256; ++i) {
            const double y = 1 + i / 256.0;
            const uint64_t reference = encode(format, y);
            const double error = relative * y + (relative == 0 ? 0x1p-9 : 0);
            pairs.reference.push_back(reference);
            pairs.actual.push_back(encode(format, y + std::ldexp(error, power)) + static_cast<uint64_t>(beside));
          }
          check(pairs, {relative, 0, relative == 0 ? 0x1p-9 : 0});
        }
}

TEST(Comparison, OneWrongElementAtEveryPosition) {
  PhiloxStream draws(3, "planted");
  for (const DType dtype :
       {DType::bf16, DType::f16, DType::f32, DType::f64, DType::f8e4m3, DType::i32, DType::boolean}) {
    Pairs pairs = random_pairs(dtype, 1000, draws, 0);
    pairs.actual = pairs.reference;
    for (size_t i = 0; i < 1000; ++i) {
      pairs.actual[i] ^= dtype == DType::boolean ? 1 : is_float(dtype) ? 1 << (byte_size(dtype) > 1 ? 8 : 3) : 1;
      const ElementComparison found = compare_packed(pairs, {0, 1, 0}, {.listed = 3});
      EXPECT_EQ(found.beyond, std::vector<int64_t>{static_cast<int64_t>(i)});
      EXPECT_EQ(found.worst, static_cast<int64_t>(i));
      EXPECT_EQ(found.passed, 999);
      pairs.actual[i] = pairs.reference[i];
    }
  }
}

// 64 million elements in sum: what an aggregate dilutes is found here.
TEST(Comparison, OneWrongAmongFourMillion) {
  constexpr int64_t count = int64_t{4} << 20;
  const TensorType type = contiguous_type(DType::bf16, {count});
  Tensor actual = make_tensor(type), reference = make_tensor(type);
  PhiloxStream draws(4, "diluted");
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bits = encode(Format::bf16, draws.normal() * 16);
    const uint64_t beside = bits + (i % 3 == 0 && (bits & 0x7FFF) > 64 ? 1 : 0);
    std::memcpy(reference.data() + 2 * i, &bits, 2);
    std::memcpy(actual.data() + 2 * i, &beside, 2);
  }
  const BoundOfReference bound{0, 1, 0x1p-9};
  EXPECT_EQ(compare_to_reference(view_of(actual), view_of(reference), bound).passed, count);
  for (int round = 0; round < 60; ++round) {
    const int64_t at = draws.below(count);
    uint16_t kept = 0;
    std::memcpy(&kept, actual.data() + 2 * at, 2);
    const uint16_t wrong = kept ^ 0x8000;
    std::memcpy(actual.data() + 2 * at, &wrong, 2);
    const ElementComparison found =
        compare_to_reference(view_of(actual), view_of(reference), bound, {.threads = 1 + round % 3, .listed = 4});
    EXPECT_EQ(found.beyond, std::vector<int64_t>{at});
    EXPECT_EQ(found.worst, at);
    std::memcpy(actual.data() + 2 * at, &kept, 2);
  }
}

TEST(Comparison, ABoundThatIsNoneIsAnError) {
  const Pairs pairs{DType::f32, {0}, {0}};
  for (const double part : {-1.0, static_cast<double>(INFINITY), static_cast<double>(NAN)}) {
    EXPECT_THROW(compare_packed(pairs, {part, 0, 0}, {}), UserError);
    EXPECT_THROW(compare_packed(pairs, {0, part, 0}, {}), UserError);
    EXPECT_THROW(compare_packed(pairs, {0, 0, part}, {}), UserError);
  }
  // Finite parts whose sum is none: nothing passes.
  const Pairs large{DType::f64, {0x7FE0000000000000, 0}, {0x7FE0000000000000, 0}};
  EXPECT_EQ(compare_packed(large, {1e300, 0, 0}, {}).untrusted, 1);
  EXPECT_EQ(compare_packed(large, {1e300, 0, 0}, {}).passed, 1);
}

TEST(Comparison, TheFirstBeyondAreListed) {
  PhiloxStream draws(5, "listed");
  const Pairs pairs = random_pairs(DType::bf16, 20000, draws, 300);
  for (const size_t listed : {0, 1, 2, 100, 5000}) {
    const ElementComparison found = compare_packed(pairs, {0, 1, 0}, {.listed = listed});
    expect_same(found, plainly(pairs, {0, 1, 0}, {.listed = listed}), std::to_string(listed));
  }
}

}  // namespace
}  // namespace faultline
