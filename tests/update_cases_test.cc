// Updates of places, scans and their like through the whole stack: nothing is said of a clean case on any rung, in each
// dtype in which eager adds up in its own way; and numbers that eager left undefined are no evidence.
#include "runtime/run/run_case.h"
#include "tests/random_program_trial.h"

namespace faultline {
namespace {

struct UpdateCase {
  const char* name;
  const char* program;  // '$' is the dtype
};

constexpr UpdateCase kCases[] = {
    {"cumsum", "def f(x: $[3,67]): y = aten.cumsum(x, 1); z = aten.cumsum(x, 0); return y, z"},
    {"cumprod", "def f(x: $[5,17]): y = aten.cumprod(x, -1); return y"},
    {"logcumsumexp", "def f(x: $[3,33]): y = aten.logcumsumexp(x, 1); return y"},
    {"scatter",
     "def f(x: $[9,65], i: i64[12,65], s: $[12,65]): y = aten.scatter.src(x, 0, i, s); "
     "z = aten.scatter.value(x, 0, i, 2); return y, z; call f(i = integers(0,9,1))"},
    {"scatter_add",
     "def f(x: $[7,5], i: i64[7,65], s: $[7,65]): y = aten.scatter_add_(x, 1, i, s); return y; "
     "call f(i = integers(0,5,1), s = uniform())"},
    {"scatter_reduce",
     "def f(x: $[9], i: i64[33], s: $[33]): y = aten.scatter_reduce.two(x, 0, i, s, \"mean\"); "
     "z = aten.scatter_reduce.two(x, 0, i, s, \"amax\", include_self = False); return y, z; "
     "call f(i = integers(0,9,1))"},
    {"index_add",
     "def f(x: $[9], i: i64[67], s: $[67]): y = aten.index_add(x, 0, i, s); return y; "
     "call f(i = integers(0,9,1), s = uniform())"},
    {"index_copy",
     "def f(x: $[9,33], i: i64[12], s: $[12,33]): y = aten.index_copy_(x, 0, i, s); return y; "
     "call f(i = integers(0,9,1))"},
    {"index_put",
     "def f(x: $[9,33], i: i64[40], v: $[40,33]): y = aten.index_put(x, [i], v, True); "
     "z = aten.index_put(x, [i], v); return y, z; call f(i = integers(-3,3,1), v = uniform())"},
    {"masked_scatter", "def f(x: $[3,33], m: bool[3,33], s: $[99]): y = aten.masked_scatter(x, m, s); return y"},
    {"embedding_dense_backward",
     "def f(g: $[60,7], i: i64[60]): y = aten.embedding_dense_backward(g, i, 5, 2, False); "
     "return y; call f(i = integers(0,5,1), g = uniform())"},
    {"embedding_bag",
     "def f(w: $[9,7], i: i64[33], o: i64[3]): y, a, b, c = aten._embedding_bag(w, i, o, False, 1); "
     "return y, a, b, c; call f(i = integers(0,9,1), o = values(0,5,20))"},
    {"addbmm", "def f(b: $[3,7], x: $[33,3,5], y: $[33,5,7]): z = aten.addbmm(b, x, y); return z"},
    {"einsum", "def f(x: $[2,3,33], y: $[33,7,2]): z = aten.einsum(\"bij,jkb->kbi\", [x, y]); return z"},
    {"search",
     "def f(x: $[65], b: $[9]): y = aten.bucketize.Tensor(x, b); return y; "
     "call f(x = integers(0,12,1), b = arange())"},
    {"take", "def f(x: $[9,65], i: i64[3,2]): y = aten.take(x, i); return y; call f(i = integers(-585,585,1))"},
    {"empty", "def f(x: $[3,65]): y = aten.empty_like(x); z = aten.copy_(y, x); return y"},
};

Verdict verdict_of(const std::string& program) {
  RunOptions options;
  options.ladder = true;
  options.sweep = false;
  return run_case(parse_case("program=" + program), options);
}

class UpdateCases : public testing::TestWithParam<UpdateCase> {};

TEST_P(UpdateCases, NothingIsSaidWithoutAFault) {
  if (!eager_status().available) GTEST_SKIP() << eager_status().why_not;
  for (const char* dtype : {"f32", "f16", "bf16"}) {
    std::string text = GetParam().program;
    for (size_t at = 0; (at = text.find('$', at)) != std::string::npos;) text.replace(at, 1, dtype);
    const Verdict verdict = verdict_of(text);
    EXPECT_EQ(random_test::complaint(verdict), "") << text;
    EXPECT_EQ(name(verdict.outcome), name(Outcome::pass)) << text << "\n" << verdict.explanation;
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, UpdateCases, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(UndefinedElements, AreNoEvidence) {
  if (!eager_status().available) GTEST_SKIP() << eager_status().why_not;
  EXPECT_EQ(name(verdict_of("def f(x: f32[65]): y = aten.empty_like(x); z = aten.add.Tensor(x, y); return z").outcome),
            name(Outcome::untrusted));
  EXPECT_EQ(name(verdict_of("def f(x: i64[65]): y = aten.empty_like(x); return y").outcome), name(Outcome::untrusted));
}

}  // namespace
}  // namespace faultline
