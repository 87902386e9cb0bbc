// Quasi-affine algebra against enumeration.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "runtime/layers/fuse/affine.h"
#include "runtime/layers/fuse/kernel_text.h"
#include "runtime/layers/fuse/reshape.h"

namespace faultline {
namespace {

using Extents = std::vector<int64_t>;

int64_t pick(std::initializer_list<int64_t> values) { return *rc::gen::elementOf(std::vector<int64_t>(values)); }

Affine some_affine(const Extents& extents) {
  Affine affine = constant_affine(*rc::gen::inRange(-6, 7));
  const int count = *rc::gen::inRange(0, 4);
  for (int t = 0; t < count; ++t)
    affine.terms.push_back({*rc::gen::inRange(0, static_cast<int>(extents.size())), pick({1, 2, 3, -1, 4, 6, 12, 0, 5}),
                            pick({1, 2, 3, 4}), pick({0, 2, 3, 4})});
  return affine;
}

template <class Check>
void for_all_points(const Extents& extents, Check check) {
  Extents index(extents.size(), 0);
  for (;;) {
    check(index);
    size_t d = extents.size();
    while (d-- > 0 && ++index[d] == extents[d]) index[d] = 0;
    if (d == static_cast<size_t>(-1)) return;
  }
}

const Extents kExtents = {4, 6, 5};

TEST(FuseAffine, SimplifiedIsEqualEverywhereAndNotLonger) {
  EXPECT_TRUE(rc::check([] {
    const Affine affine = some_affine(kExtents), simple = simplified(affine, kExtents);
    RC_ASSERT(simple.terms.size() <= affine.terms.size());
    for_all_points(kExtents, [&](const Extents& index) { RC_ASSERT(simple.at(index) == affine.at(index)); });
    RC_ASSERT(simplified(simple, kExtents) == simple);
  }));
}

TEST(FuseAffine, RangesHoldAllValues) {
  EXPECT_TRUE(rc::check([] {
    const Affine affine = some_affine(kExtents);
    const Range range = range_of(affine, kExtents);
    for_all_points(kExtents, [&](const Extents& index) {
      RC_ASSERT(affine.at(index) >= range.low);
      RC_ASSERT(affine.at(index) <= range.high);
    });
  }));
}

TEST(FuseAffine, DivisionGivesFloorAndRest) {
  EXPECT_TRUE(rc::check([] {
    const Affine affine = some_affine(kExtents);
    const int64_t divisor = pick({1, 2, 3, 4, 6, 12});
    const auto division = divided(affine, divisor, kExtents);
    RC_PRE(division.has_value());
    for_all_points(kExtents, [&](const Extents& index) {
      const int64_t rest = division->remainder.at(index);
      RC_ASSERT(rest >= 0);
      RC_ASSERT(rest < divisor);
      RC_ASSERT(division->quotient.at(index) * divisor + rest == affine.at(index));
    });
  }));
}

std::string coordinates(const Sizes& from, const Sizes& to) {
  const auto result = reshaped_identity(from, to);
  if (!result) return "none";
  std::string text;
  for (const Affine& affine : *result) text += (text.empty() ? "" : ", ") + to_text(affine, 9);
  return text;
}

TEST(FuseAffine, ReshapesThatAreAccessMaps) {
  EXPECT_EQ(coordinates({6}, {2, 3}), "i0 * 3 + i1");
  EXPECT_EQ(coordinates({2, 3}, {6}), "i0 / 3, i0 % 3");
  EXPECT_EQ(coordinates({2, 3, 4}, {6, 4}), "i0 / 3, i0 % 3, i1");
  EXPECT_EQ(coordinates({4, 6}, {8, 3}), "i0 / 2, i0 % 2 * 3 + i1");
  EXPECT_EQ(coordinates({2, 3, 4}, {24}), "i0 / 12, (i0 / 4) % 3, i0 % 4");
  EXPECT_EQ(coordinates({1, 5, 1}, {5}), "0, i0, 0");
  EXPECT_EQ(coordinates({}, {1}), "");
}

// The digits of one shape cut across those of the other: no sum of single-index terms says it.
TEST(FuseAffine, ReshapesThatAreNone) {
  EXPECT_EQ(coordinates({2, 3}, {3, 2}), "none");
  EXPECT_EQ(coordinates({4, 9}, {6, 6}), "none");
}

TEST(FuseAffine, PiecesOfOneIndexMeetAgain) {
  const Extents extents = {24};
  Affine affine;
  affine.terms = {{0, 1, 1, 4}, {0, 12, 12, 0}, {0, 4, 4, 3}};
  EXPECT_EQ(simplified(affine, extents), index_affine(0));
}

}  // namespace
}  // namespace faultline
