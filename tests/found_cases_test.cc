// Reduced programs that once had the stack accused without a fault, or stopped it: each names what was wrong.
#include "tests/random_program_trial.h"

namespace faultline::random_test {
namespace {

struct Found {
  const char *name, *line;
};
void PrintTo(const Found& found, std::ostream* stream) { *stream << found.line; }

const Found kFound[] = {
    // A view of sizes that were a node's, while nodes were being added.
    {"MaskThatIsExpanded",
     "program=def f(x0: i32[1], x1: f16[1,2,5,5]{stride=100,50,10,2}, x2: f16[1,2,1,5]{stride=5,5,5,1}, x3: "
     "bool[5,1]{stride=1,5}): v0 = aten.pow.Tensor_Scalar(x0, 4); v1 = aten.atan2(x0, v0); "
     "v2 = aten.scaled_dot_product_attention(x1, x2, x2, x3); return v2, v1"},
    // Joining along a dim of size 0.
    {"JoinedNothing",
     "program=def f(x: bool[0,33,64], z: f16[0]): y = aten.cat([x, x], 0); w = aten.stack([z, z], 0); "
     "return y, w"},
    // A tie within the rounding of the sums: either index is right.
    {"TiedIndex", "program=def f(x: f16[2,63,33]): v = aten.sub.Scalar(x, 3); i = aten.argmax(v, 0, True); return i"},
    // Products of subnormals lose their low bits, whatever their sum's relative error.
    {"SubnormalProducts",
     "program=def f(x: f32[96,5], y: f32[5,3]{stride=1,5}): z = aten.mm(x, y); return z; call f(x = address())"},
    // A number that is read from a tensor is as exact as the tensor.
    {"ItemWithinItsError",
     "program=def f(x: f16[96], y: f32[1,1,32,4]): s = aten.sum(x); n = s.item(); "
     "z = aten.mul.Scalar(y, n); return z"},
    // A NaN that is read is itself.
    {"ItemNaN",
     "program=def f(x: f32[2], y: f32[3]): l = aten.log(x); s = aten.amax(l); n = s.item(); "
     "z = aten.mul.Scalar(y, n); return z; call f(x = full(-1.5))"},
};

class FoundCases : public testing::TestWithParam<Found> {};

TEST_P(FoundCases, NothingIsSaid) {
  if (!eager_status().available) GTEST_SKIP() << eager_status().why_not;
  RunOptions options;
  options.ladder = true;
  options.sweep = false;
  const Verdict verdict = run_case(parse_case(GetParam().line), options);
  EXPECT_EQ(complaint(verdict), "");
}

INSTANTIATE_TEST_SUITE_P(Random, FoundCases, testing::ValuesIn(kFound),
                         [](const testing::TestParamInfo<Found>& info) { return std::string(info.param.name); });

// A type that the target lacks is refused by its name; an input that nothing reads needs no place on the machine.
TEST(FoundCases, MissingTypesAreRejected) {
  for (const std::string line : {"program=def f(x: f64[5]): y = aten.roll(x, [-2], [0]); return y",
                                 "program=def f(x: u8[3]): y = aten.neg(x); return y"}) {
    const Verdict verdict = run_case(parse_case(line));
    EXPECT_EQ(verdict.outcome, Outcome::rejected) << line;
  }
  const std::string unread = "program=def f(x: f16[2], z: i16[3]): y = aten.neg(x); return y";
  EXPECT_EQ(run_case(parse_case(unread)).outcome, Outcome::pass);
}

}  // namespace
}  // namespace faultline::random_test
