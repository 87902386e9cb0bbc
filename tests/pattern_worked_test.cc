// The worked examples of the pattern engine with their computed lengths, in bits, to a tenth. Lengths come from the
// formulas, by hand; the data are built here. Hints are 4, 8, 16, 32, 64, 128 and elements have 16 bits unless said
// otherwise.
#include <gtest/gtest.h>

#include <algorithm>

#include "checkers/patterns/code_length.h"
#include "checkers/patterns/pattern.h"
#include "runtime/base/philox.h"

namespace faultline {
namespace {

std::vector<UnitHint> plain_hints() {
  std::vector<UnitHint> hints;
  for (const int64_t unit : {4, 8, 16, 32, 64, 128}) hints.push_back({unit, unit == 64 ? "stick" : "lanes"});
  return hints;
}

// Codes 0x0100, 0x0101, ... in a scrambled order: each element has its own, none is a poison, and none follows the
// index.
std::vector<uint64_t> codes(int64_t count, std::string_view stream) {
  std::vector<uint64_t> bits(static_cast<size_t>(count));
  for (size_t k = 0; k < bits.size(); ++k) bits[k] = 0x0100 + k;
  PhiloxStream draws(7, stream);
  for (size_t k = bits.size(); k > 1; --k) std::swap(bits[k - 1], bits[draws.below(static_cast<uint32_t>(k))]);
  return bits;
}

ObservedCase right_case(Sizes sizes, DType dtype = DType::i16) {
  ObservedCase one;
  one.dtype = dtype;
  one.reference = codes(element_count(sizes), "reference");
  one.got = one.reference;
  one.sizes = std::move(sizes);
  one.failing.assign(one.got.size(), 0);
  return one;
}

void judge(ObservedCase& one) {
  for (size_t k = 0; k < one.got.size(); ++k) one.failing[k] = one.got[k] != one.reference[k] ? 1 : 0;
}

ObservedCase clone_case(int64_t n, int64_t first_wrong) {
  ObservedCase one = right_case({n}, DType::f16);
  one.poison1 = 0x7E5A;
  for (int64_t i = first_wrong; i < n; ++i) one.got[static_cast<size_t>(i)] = 0x7E5A;
  judge(one);
  return one;
}

bool has(const PatternReport& report, std::string_view where, std::string_view what) {
  return std::any_of(report.explanations.begin(), report.explanations.end(), [&](const Explanation& one) {
    return one.where == where && one.what.find(what) != std::string::npos;
  });
}

bool mentions(const std::vector<std::string>& lines, std::string_view text) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

TEST(PatternWorked, CodeLengths) {
  EXPECT_NEAR(8 + integer_bits(0), 9.0, 1e-9);
  EXPECT_NEAR(kFamilyBits + list_bits(65, 1, 16), 29.0, 0.05);
  EXPECT_NEAR(8 + choice_bits(65) + integer_bits(0), 15.0, 0.05);
  EXPECT_NEAR(kFamilyBits + list_bits(4096, 56, 16), 1334, 0.5);
  EXPECT_NEAR(kFamilyBits + list_bits(1024, 16, 16), 385, 0.5);
  EXPECT_NEAR(kFamilyBits + list_bits(6144, 3072, 16), 55316, 0.5);
  EXPECT_NEAR(kFamilyBits + list_bits(6144, 37, 16), 929.2, 0.05);
  // The transposed tile with its place alone: a square shape of four, a tile of 64, eight holes on the diagonal.
  EXPECT_NEAR(kFamilyBits + 2 + 6 + integer_bits(8) + choose_bits(4096, 8), 99.7, 0.05);
}

TEST(PatternWorked, OneSizeOfTheCloneIsAmbiguous) {
  const ObservedCase one = clone_case(65, 64);
  const PatternReport report = name_pattern({&one, 1}, plain_hints());
  EXPECT_EQ(report.status, PatternStatus::ambiguous) << to_text(report);
  ASSERT_GE(report.explanations.size(), 2U);
  EXPECT_EQ(report.explanations[0].where, "last of dim 0");
  EXPECT_EQ(report.explanations[0].what, "unwritten");
  EXPECT_NEAR(report.explanations[0].bits, 9.0, 0.05);
  EXPECT_EQ(report.explanations[1].where_family, "W1");
  EXPECT_NEAR(report.explanations[1].bits, 11.6, 0.05);
  EXPECT_NEAR(report.margin, 2.6, 0.05);
  EXPECT_NEAR(report.raw_bits, 29.0, 0.05);
  EXPECT_TRUE(mentions(report.next, "resize: n = ")) << to_text(report);
  EXPECT_EQ(report.positions[0], "[64,65)");
}

TEST(PatternWorked, FourSizesNameTheTail) {
  const std::vector<ObservedCase> cases{clone_case(65, 64), clone_case(96, 64), clone_case(129, 128),
                                        clone_case(197, 192)};
  const PatternReport report = name_pattern(cases, plain_hints());
  EXPECT_EQ(report.status, PatternStatus::named) << to_text(report);
  ASSERT_EQ(report.explanations.size(), 1U);
  EXPECT_EQ(report.explanations[0].where, "tail of dim 0 beyond k*64");
  EXPECT_EQ(report.explanations[0].what, "unwritten");
  EXPECT_EQ(report.explanations[0].unit, "stick 64");
  EXPECT_NEAR(report.bits, 14.6, 0.05);
  EXPECT_NEAR(report.raw_bits, 791, 0.5);
  EXPECT_NEAR(report.margin, 606.6, 0.5);  // to the tails of 8, 16 and 32, at 621
}

TEST(PatternWorked, StaleColumns) {
  ObservedCase one = right_case({64, 100});
  one.previous_output = codes(6400, "previous");
  NamedBuffer input{"input 0", codes(6400, "input"), {64, 100}};
  one.buffers.push_back(input);
  for (size_t k = 0; k < one.got.size(); ++k) {
    const bool stale = k % 100 >= 64;
    if (stale && one.previous_output[k] == one.reference[k]) one.previous_output[k] ^= 0x8000;
    if (stale) one.got[k] = one.previous_output[k];
  }
  // One stale element happens to be right, as the page's 42 901 bits for the list say: 2303 wrong, not 2304.
  one.previous_output[5 * 100 + 70] = one.got[5 * 100 + 70] = one.reference[5 * 100 + 70];
  judge(one);
  const PatternReport report = name_pattern({&one, 1}, plain_hints());
  EXPECT_EQ(report.status, PatternStatus::named) << to_text(report);
  EXPECT_TRUE(has(report, "tail of dim 1 beyond k*64", "stale: previous output")) << to_text(report);
  EXPECT_NEAR(report.bits, 13.6, 0.05);
  EXPECT_NEAR(report.raw_bits, 42901, 0.5);
  EXPECT_EQ(report.explanations[0].exceptions, 0);
}

TEST(PatternWorked, TransposedTile) {
  ObservedCase one = right_case({64, 64});
  for (int64_t r = 0; r < 8; ++r)
    for (int64_t c = 0; c < 8; ++c)
      one.got[static_cast<size_t>((16 + r) * 64 + 40 + c)] = one.reference[static_cast<size_t>((16 + c) * 64 + 40 + r)];
  judge(one);
  const PatternReport report = name_pattern({&one, 1}, plain_hints());
  EXPECT_EQ(report.status, PatternStatus::named) << to_text(report);
  EXPECT_TRUE(has(report, "tile (2,5) of 8x8", "transposed within 8x8")) << to_text(report);
  EXPECT_EQ(report.wrong, 56);
  EXPECT_NEAR(report.bits, 19.0, 0.05);
  EXPECT_NEAR(report.raw_bits, 1334, 0.5);
  EXPECT_NEAR(report.bits + report.margin, 807, 0.5);
}

// x[1:] = x[:-1] without the copy: every row becomes row 0.
ObservedCase removed_clone(int64_t rows) {
  ObservedCase one = right_case({rows, 3});
  for (int64_t i = 0; i < rows * 3; ++i) {
    one.reference[static_cast<size_t>(i)] = static_cast<uint64_t>(i < 3 ? i : i - 3);
    one.got[static_cast<size_t>(i)] = static_cast<uint64_t>(i % 3);
  }
  judge(one);
  return one;
}

TEST(PatternWorked, RemovedClone) {
  const ObservedCase four = removed_clone(4);
  const PatternReport few = name_pattern({&four, 1}, plain_hints());
  EXPECT_EQ(few.status, PatternStatus::ambiguous) << to_text(few);
  EXPECT_NEAR(few.explanations[0].bits, 10.0, 0.05);
  EXPECT_TRUE(has(few, "all", "slice 0 of dim 0 everywhere")) << to_text(few);
  EXPECT_TRUE(has(few, "rows 2.. of dim 0", "shifted by 2 rows")) << to_text(few);
  EXPECT_TRUE(mentions(few.next, "more rows"));

  const ObservedCase sixteen = removed_clone(16);
  const PatternReport report = name_pattern({&sixteen, 1}, plain_hints());
  EXPECT_EQ(report.status, PatternStatus::named) << to_text(report);
  EXPECT_TRUE(has(report, "all", "slice 0 of dim 0 everywhere")) << to_text(report);
  EXPECT_NEAR(report.bits, 10.0, 0.05);
  EXPECT_EQ(report.wrong, 42);
}

TEST(PatternWorked, StuckLane) {
  ObservedCase one = right_case({1024});
  int borrows = 0;
  for (size_t k = 63; k < 1024; k += 64) {
    // Of sixteen lanes, five have bit 10 clear: there the flip adds.
    const bool clear = k / 64 % 3 == 1;
    one.reference[k] = (one.reference[k] & ~uint64_t{0x0400}) | (clear ? 0U : 0x0400U);
    borrows += clear ? 1 : 0;
    one.got[k] = one.reference[k] ^ 0x0400;
  }
  ASSERT_EQ(borrows, 5);
  judge(one);
  const PatternReport report = name_pattern({&one, 1}, plain_hints());
  EXPECT_EQ(report.status, PatternStatus::named) << to_text(report);
  EXPECT_TRUE(has(report, "{i : i mod 64 = 63}", "xor 0x0400")) << to_text(report);
  EXPECT_NEAR(report.bits, 33.6, 0.05);
  EXPECT_NEAR(report.raw_bits, 385, 0.5);
  EXPECT_NEAR(report.bits + report.margin, 161, 0.5);  // minus 1024, with five exceptions
}

TEST(PatternWorked, SpillOfTheBase) {
  ObservedCase one = right_case({96, 64});
  const std::vector<uint64_t> base = codes(64 * 64, "base");
  for (size_t k = 0; k < base.size(); ++k) {
    one.got[32 * 64 + k] = base[k] ^ 0x4000;
    if (k < 16 * 64) one.reference[32 * 64 + k] = base[k] ^ 0x4000;
  }
  std::vector<uint64_t> source = base;
  for (uint64_t& bits : source) bits ^= 0x4000;
  one.buffers.push_back({"source base", source, {64, 64}});
  one.buffers.push_back({"destination before", codes(96 * 64, "before"), {96, 64}});
  judge(one);
  const PatternReport report = name_pattern({&one, 1}, plain_hints());
  EXPECT_EQ(report.status, PatternStatus::named) << to_text(report);
  EXPECT_TRUE(has(report, "rows 48.. of dim 0", "source base shifted by 32 rows")) << to_text(report);
  EXPECT_NEAR(report.bits, 26.2, 0.05);
  EXPECT_NEAR(report.raw_bits, 55316, 0.5);
}

TEST(PatternWorked, AmbiguousOnPurpose) {
  ObservedCase one = right_case({96, 64});
  one.buffers.push_back({"input 0", codes(96 * 64, "input"), {96, 64}});
  one.buffers.push_back({"input 1", codes(96 * 64, "other"), {96, 64}});
  for (size_t k = 48 * 64; k < 64 * 64; ++k) {
    if (one.buffers[0].bits[k] == one.reference[k]) one.buffers[0].bits[k] ^= 0x8000;
    one.got[k] = one.buffers[0].bits[k];
  }
  judge(one);
  const PatternReport report = name_pattern({&one, 1}, plain_hints());
  EXPECT_EQ(report.status, PatternStatus::ambiguous) << to_text(report);
  ASSERT_GE(report.explanations.size(), 2U);
  EXPECT_EQ(report.explanations[0].where, "dim 0 [48,64)");
  EXPECT_NEAR(report.explanations[0].bits, 24.2, 0.05);
  EXPECT_EQ(report.explanations[1].where, "{i : i_0 mod 64 in [48,64)}");
  EXPECT_NEAR(report.explanations[1].bits, 25.6, 0.05);
  EXPECT_NEAR(report.margin, 1.4, 0.05);
  EXPECT_TRUE(mentions(report.next, "a run of 160 along dim 0")) << to_text(report);
}

// 37 elements of 6144 with one bit flipped each.
ObservedCase flipped_case(uint64_t seed) {
  ObservedCase one = right_case({96, 64}, DType::f16);
  PhiloxStream draws(seed, "flips");
  int planted = 0;
  while (planted < 37) {
    const uint32_t k = draws.below(6144);
    if (one.got[k] != one.reference[k]) continue;
    one.got[k] ^= uint64_t{1} << draws.below(16);
    ++planted;
  }
  judge(one);
  return one;
}

TEST(PatternWorked, RandomFlipsAreUnstructured) {
  EXPECT_NEAR(8 + choice_bits(2) + choice_bits(6) + list_bits(6144, 37, 16), 936.8, 0.05)
      << "the page's best rule: a tail of a dimension of two with one unit of six, and a value that explains nothing";
  // A flip may happen to equal a rule, such as the rounding to a shorter type, and a rule for that one element then
  // saves its place and value on the list: less than the margin, whatever the rule costs.
  const double saved = list_bits(6144, 37, 16) - list_bits(6144, 36, 16) - kFamilyBits - choice_bits(6144);
  EXPECT_LT(saved, kMarginBits);
  for (const uint64_t seed : {11, 12, 13, 14}) {
    const ObservedCase one = flipped_case(seed);
    const PatternReport report = name_pattern({&one, 1}, plain_hints());
    EXPECT_EQ(report.status, PatternStatus::unstructured) << to_text(report);
    EXPECT_TRUE(report.explanations.empty());
    EXPECT_NEAR(report.raw_bits, 929.2, 0.05);
    EXPECT_GE(report.best_rule_bits, report.raw_bits - saved) << to_text(report);
    EXPECT_TRUE(mentions(report.notes, "unstructured, 37 of 6144, popcount 1")) << to_text(report);
  }
}

ObservedCase argmax_case(Sizes shape, Sizes strides, uint64_t right, uint64_t wrong) {
  ObservedCase one = right_case({}, DType::i64);
  one.reference = {right};
  one.got = {wrong};
  NamedBuffer operand{"input 0", codes(element_count(shape), "operand"), shape, strides, DType::f16};
  one.buffers.push_back(operand);
  judge(one);
  return one;
}

TEST(PatternWorked, ArgReduction) {
  const ObservedCase one = argmax_case({7, 5}, {1, 7}, 31, 13);
  const PatternReport report = name_pattern({&one, 1}, plain_hints());
  EXPECT_EQ(report.status, PatternStatus::named) << to_text(report);
  ASSERT_EQ(report.explanations.size(), 1U);
  EXPECT_EQ(report.explanations[0].what_family, "V12");

  const ObservedCase square = argmax_case({2, 2}, {1, 2}, 1, 2);
  const PatternReport rivals = name_pattern({&square, 1}, plain_hints());
  EXPECT_EQ(rivals.status, PatternStatus::ambiguous) << to_text(rivals);
  EXPECT_TRUE(has(rivals, "all", "memory order")) << to_text(rivals);
  EXPECT_TRUE(has(rivals, "all", "off by +1")) << to_text(rivals);
  EXPECT_TRUE(mentions(rivals.next, "prime sides"));
}

}  // namespace
}  // namespace faultline
