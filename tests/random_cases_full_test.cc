// 2,000 further random programs without a fault, as tests/random_cases_test.cc has 300, and 4,000 on tiny tensors with
// odd strides: nothing is said, and the reports of two runs are the same bytes, of every program.
#include "tests/random_program_trial.h"

namespace faultline::random_test {
namespace {

TEST(RandomCasesFull, NothingIsSaidWithoutAFault) {
  if (!eager_status().available) GTEST_SKIP() << eager_status().why_not;
  try_seeds(1001, 2000, 1);
}

TEST(RandomCasesFull, NothingIsSaidOfTinyTensors) {
  if (!eager_status().available) GTEST_SKIP() << eager_status().why_not;
  try_seeds(1001, 4000, 1, Shapes::tiny);
}

}  // namespace
}  // namespace faultline::random_test
