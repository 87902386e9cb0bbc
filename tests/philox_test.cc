// The known answers of Philox4x32-10 (docs/sources.md, Philox), and what the stream promises.
#include "runtime/base/philox.h"

#include <gtest/gtest.h>

namespace faultline {
namespace {

TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox4x32_10({0, 0, 0, 0}, {0, 0}), (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox4x32_10({ones, ones, ones, ones}, {ones, ones}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, StreamsAreNamedAndRepeat) {
  PhiloxStream first(5, "inputs"), same(5, "inputs"), other(5, "weights"), seeded(6, "inputs");
  int equal_other = 0, equal_seeded = 0;
  for (int i = 0; i < 100; ++i) {
    const uint32_t draw = first.next();
    EXPECT_EQ(draw, same.next());
    equal_other += draw == other.next();
    equal_seeded += draw == seeded.next();
  }
  EXPECT_LE(equal_other, 1);
  EXPECT_LE(equal_seeded, 1);
}

TEST(Philox, BelowIsEven) {
  PhiloxStream stream(1, "below");
  int counts[6] = {};
  for (int i = 0; i < 60000; ++i) ++counts[stream.below(6)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
}

TEST(Philox, NormalHasMeanZeroAndVarianceOne) {
  PhiloxStream stream(1, "normal");
  double sum = 0, squares = 0;
  for (int i = 0; i < 20000; ++i) {
    const double x = stream.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / 20000, 0, 0.03);
  EXPECT_NEAR(squares / 20000, 1, 0.05);
}

TEST(Philox, NamesHashAsDeclared) {
  // FNV-1a's own test values, http://www.isthe.com/chongo/tech/comp/fnv/
  EXPECT_EQ(fnv1a32(""), 0x811c9dc5u);
  EXPECT_EQ(fnv1a32("a"), 0xe40c292cu);
  EXPECT_EQ(fnv1a32("foobar"), 0xbf9cf968u);
}

}  // namespace
}  // namespace faultline
