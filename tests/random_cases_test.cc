// 300 random programs without a fault, and 300 on tiny tensors with odd strides: no false accusation on any rung, no
// verifier that complains, and of every sixth the same bytes of both reports from two runs.
#include <set>

#include "runtime/layers/decompose/op.h"
#include "tests/random_program_trial.h"

namespace faultline::random_test {
namespace {

TEST(RandomCases, NothingIsSaidWithoutAFault) {
  if (!eager_status().available) GTEST_SKIP() << eager_status().why_not;
  try_seeds(1, 300, 6);
}

TEST(RandomCases, NothingIsSaidOfTinyTensors) {
  if (!eager_status().available) GTEST_SKIP() << eager_status().why_not;
  try_seeds(1, 300, 6, Shapes::tiny);
}

// The generator reaches every operator of the table but those that need a program of their own.
TEST(RandomCases, ReachMostOperators) {
  std::set<std::string> seen;
  for (uint64_t seed = 1; seed <= 4000; ++seed) {
    SeededChoices choices(seed, "random program");
    const std::string text = random_program(choices);
    for (size_t at = text.find("aten."); at != std::string::npos; at = text.find("aten.", at + 5)) {
      const size_t end = text.find('(', at);
      if (const OpRow* row = find_op(text.substr(at, end - at))) seen.insert(std::string(row->id));
    }
  }
  EXPECT_GE(seen.size(), 195U);
}

}  // namespace
}  // namespace faultline::random_test
