// Reduced programs that once had the stack accused without a fault, or stopped it: each names what was wrong.
#include "tests/random_program_trial.h"

namespace faultline::random_test {
namespace {

struct Found {
  const char *name, *line;
};
void PrintTo(const Found& found, std::ostream* stream) { *stream << found.line; }

const Found kFound[] = {
    // A number that nothing asks for has no guard, and needs none.
    {"AttributeThatNobodyReads",
     "program=self.k = 3; def f(x: f32[9,70]): k = self.k; y = aten.exp(x); return y"},
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
    // Two reshapes of one value: a kernel may read either.
    {"ReshapeOfAWindow",
     "program=def f(x: f16[10,31], y: f16[5]{offset=4 of=x}): v = aten.view(x, [62, 5]); "
     "w = aten.add.Tensor(v, y); z = aten.amax(w, [1]); return z"},
    // Dims of size 1 say nothing about the order of the others.
    {"WindowBesideASizeOfOne",
     "program=def f(x: f16[5,1,128]{stride=1,1,5}): v = aten.as_strided(x, [3], [108]); "
     "aten.clamp_(x, -0.5, 0.75); w = aten.stack([v, v], 1); return w"},
    // A norm's formula rounds halves after each step, eager once.
    {"NormOfHalves",
     "program=def f(x: bf16[32,2,96], w: bf16[96]): y = aten.layer_norm(x, [96], w, w); return y; "
     "call f(x = arange())"},
    // Squares that underflow have no measured error.
    {"InverseOfAnUnderflow",
     "program=def f(x: bf16[129]): y = aten.pow.Tensor_Scalar(x, -2); return y; "
     "call f(x = values(0,1,65504,1e-7,0.1))"},
    // DL16 has no negative zero.
    {"AngleOfZero",
     "program=def f(x: bf16[4], y: f16[4], z: bf16[]): a = aten.mul_.Tensor(x, y); "
     "b = aten.atan2(x, z); return b; "
     "call f(x = address(), y = values(-1,1), z = full(-1.5))"},
    // A subnormal that leaves and comes back is halved again.
    {"SubnormalAcrossABreak",
     "program=def f(x: f16[64]): a = aten.mul.Scalar(x, 1e-5); s = aten.amax(x); n = s.item(); "
     "b = aten.mul.Scalar(a, n); return b"},
    // Eager's attention gives zeros where every score is -inf.
    {"ScoresOfMinusInfinity",
     "program=def f(q: f32[1,2,5,1], k: f32[1,2,3,1], v: f32[1,2,3,2]): "
     "y = aten.scaled_dot_product_attention(q, k, v); return y; call f(q = values(1, -1), k = values(inf))"},
    // What nobody asks for does not run.
    {"DeadOfAMissingType",
     "program=def f(x: f16[3]): d = aten.arange(3, dtype = i16); i = aten.argmin(d); "
     "y = aten.neg(x); return y"},
    // Operands that are cast lie as their copies do, and those have other strides.
    {"StridesOfACastOperand",
     "program=def f(x: i32[1,1,2]{stride=2,10,2}, y: f16[5,1], z: i32[5,1]{stride=2,3}): s = aten.sin(x); "
     "c = aten.clone(s); e = aten.eq.Tensor(y, z); return c, e"},
    // isfinite and isinf are several steps, each with strides of its own.
    {"StridesOfFinite",
     "program=def f(x: bf16[3,1]{stride=2,4}, y: f32[2,0,1]{stride=1,1,3}): a = aten.isfinite(x); "
     "b = aten.isinf(y); return a, b"},
    // A roll joins two parts, and an empty one is not channels-last.
    {"StridesOfARoll",
     "program=def f(x: f32[3,2,1,1]{stride=3,1,3,3}, y: f32[2,3,4,5]{stride=60,1,15,3}): a = aten.roll(x, [3], [2]); "
     "b = aten.roll(y, [5], [3]); return a, b"},
    // An empty vector that joins others counts for the strides.
    {"StridesBesideAnEmptyVector",
     "program=def f(x: f32[2,3,4,5]{stride=60,1,15,3}, y: f32[0]): a = aten.cat([x, y], 1); return a"},
    {"StridesOfARmsNorm",
     "program=def f(x: f32[5,1,2]{stride=2,10,1}, w: f32[1,2]{stride=3,1}, y: f16[1,4]{stride=1,1}, v: f16[4]): "
     "a = aten.rms_norm(x, [1, 2], w, 0.001); b = aten.rms_norm(y, [4], v, 0.001); return a, b"},
    {"StridesOfAnEmptyOuterProduct",
     "program=def f(x: bf16[3,1], y: bf16[1]): v = aten.diagonal(x, 2); a = aten.outer(v, y); return a"},
    // Eager clones what it scatters into where elements share memory, and a clone keeps the order of the dims.
    {"ScatterIntoExpanded",
     "program=def f(x: f32[3,2]{stride=1,3}, y: f32[4,3]): v = aten.expand(x, [4, 3, 2]); "
     "a = aten.select_scatter(v, y, 2, 1); return a"},
    // An index into a dim of size 1 is loaded and not used: no layout has to suit it.
    {"IndexThatDoesNotMatter",
     "program=def f(x: f16[31,33], i: i64[5]): v = aten.argmax(x, 0, True); e = aten.embedding(v, i); "
     "p = aten.constant_pad_nd(e, [3, 3, 1, 3]); return p; call f(i = integers(0,1,1))"},
    // 1 + exp(-x) overflows in eager's silu, and exp(x) in its cosh, where the results do not.
    {"OverflowOnTheWay",
     "program=def f(x: f32[128]): n = aten.mul.Scalar(x, -1); a = aten.silu(n); c = aten.cosh(x); s = aten.sinh(n); "
     "return a, c, s; call f(x = arange())"},
    // A reshape of a literal is a literal, which equals another one.
    {"ReshapeOfALiteral",
     "program=def f(x: f32[5], m: bool[5]): v = aten.unsqueeze(x, 1); w = aten.movedim.int(v, 0, 1); "
     "s = aten.select.int(w, 0, -1); f = aten.fill_.Scalar(s, 3); y = aten.masked_fill.Scalar(x, m, 2); return y"},
    // A negative base has a power where rounding makes the exponent whole.
    {"PowerOfANearlyWholeExponent",
     "program=def f(x: bf16[4,65]): t = aten.tan(x); y = aten.pow.Tensor_Tensor(t, t); return y"},
    // Eager's remainders are NaN where the quotient overflows, and its gelu of an infinity is; its bf16 gelu takes
    // subnormals for 0.
    {"EagersNotANumber",
     "program=def f(x: f32[64], y: f32[64], b: bf16[64]): r = aten.remainder.Tensor(x, y); e = aten.exp(x); "
     "g = aten.gelu(e); h = aten.gelu(b); return r, g, h; call f(x = arange(), y = address(), b = address())"},
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
