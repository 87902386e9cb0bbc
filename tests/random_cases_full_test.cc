// 2,000 further random programs without a fault, as tests/random_cases_test.cc has 300.
#include "tests/random_program_trial.h"

namespace faultline::random_test {
namespace {

TEST(RandomCasesFull, NothingIsSaidWithoutAFault) {
  if (!eager_status().available) GTEST_SKIP() << eager_status().why_not;
  try_seeds(1001, 2000, 40);
}

}  // namespace
}  // namespace faultline::random_test
