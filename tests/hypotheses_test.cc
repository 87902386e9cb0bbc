// Hypotheses: what would have to be wrong for wrong values to be right. Variants of a graph are valid graphs, and a
// hypothesis holds where the values are those of the variant and nowhere else.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <string>
#include <vector>

#include "faults/fault.h"
#include "runtime/eager/eager.h"
#include "runtime/layers/decompose/verify_decompose.h"
#include "checkers/graph_variants.h"
#include "checkers/hypotheses.h"
#include "runtime/run/run_case.h"
#include "taxonomy/mechanism.h"

namespace faultline {
namespace {

PrimGraph graph_of(const std::string& program) {
  const Case test_case = parse_case("program=" + program);
  const Subject subject(test_case);
  StackTrial trial(subject, Gate::never());
  TrialOptions options;
  options.rung = Layer::decompose;
  EXPECT_EQ(trial.run(options).ended(), "");
  return trial.stack().compiled(0)->prims;
}

const std::vector<std::string> kPrograms = {
    "def f(x: f32[4,4,4], b: f32[4]): y = aten.add.Tensor(x, b); z = aten.sum.dim_IntList(y, [1, 2]); return y, z",
    "def f(x: f32[3,3]): a = aten.add.Scalar(x, 1.0); b = aten.add.Scalar(x, 2.0); y = aten.mul.Tensor(a, b); "
    "z = aten.argmax(y, 1); return y, z",
    "def f(x: f32[6,5]): v = aten.slice.Tensor(x, 0, 1, 6, 2); w = aten.select.int(x, 1, 3); "
    "y = aten.mul_.Tensor(v, 2.0); z = aten.exp(v); return w, z",
    "def f(x: f32[5]): a = aten.add_.Tensor(x, 3.0); y = aten.exp(x); return y",
};

TEST(GraphVariants, AreValidGraphsOfTheSameTypes) {
  std::set<std::string_view> kinds;
  for (const std::string& program : kPrograms) {
    const PrimGraph graph = graph_of(program);
    for (const VariantKind& kind : variant_kinds())
      for (const GraphVariant& variant : kind.of(graph)) {
        SCOPED_TRACE(program + ": " + variant.text);
        PrimGraph mine = graph;
        variant.edit(mine);
        EXPECT_FALSE(mine == graph);
        for (const Finding& finding : verify_nodes(mine)) ADD_FAILURE() << finding.place << ": " << finding.text;
        for (size_t n = 0; n < graph.nodes.size(); ++n) EXPECT_EQ(mine.nodes[n].sizes, graph.nodes[n].sizes);
        kinds.insert(kind.kind);
      }
  }
  EXPECT_EQ(kinds.size(), variant_kinds().size());
}

TEST(GraphVariants, ReduceAlongDimsThatLeaveTheSameSizes) {
  const PrimGraph graph = graph_of("def f(x: f32[3,3,5]): y = aten.sum.dim_IntList(x, [0]); return y");
  const VariantKind& axes = variant_kinds()[0];
  ASSERT_EQ(axes.kind, "other_axis");
  const std::vector<GraphVariant> variants = axes.of(graph);
  ASSERT_EQ(variants.size(), 1U);
  EXPECT_EQ(variants[0].text, "%1 along dim 1 in place of 0");
}

struct Expected {
  std::string fault, program, kind;  // "": none holds
};
const std::vector<Expected> kExpected = {
    {"decompose.reduce_axis", "def f(x: f32[5,3,3]): y = aten.mean.dim(x, [2]); z = aten.exp(y); return z",
     "other_axis"},
    {"decompose.alpha_default", "def f(x: f32[7], y: f32[7]): z = aten.add.Tensor(x, y, alpha = 5); return z",
     "default_attribute"},
    {"decompose.view_offset", "def f(x: f32[9,5]): v = aten.narrow(x, 0, 4, 3); y = aten.exp(v); return y",
     "view_start"},
    {"decompose.softmax_unstable",
     "def f(x: f32[3,67]): s = aten.mul.Scalar(x, 150.0); y = aten._log_softmax(s, 1, False); return y",
     "right_in_fp64_range"},
    {"decompose.promote_narrow", "def f(x: f16[7], w: f32[7]): y = aten.add.Tensor(x, w); return y",
     "right_in_fp64_narrow"},
    {"decompose.variance_divisor", "def f(x: f32[3,7]): y = aten.std.correction(x, [1], correction = 1); return y", ""},
    {"decompose.eps_order", "def f(x: f32[3,7], w: f32[7]): y = aten.rms_norm(x, [7], w, 0.25); return y", ""},
    {"fuse.combine_op", "def f(x: f32[3,7]): y = aten.amin(x, [1]); z = aten.neg(y); return y, z", "other_reduction"},
    {"fuse.cse_constant",
     "def f(x: f32[7]): a = aten.mul.Scalar(x, 2.0); b = aten.mul.Scalar(x, 7.0); y = aten.sub.Tensor(b, a); return y",
     "merged"},
    {"fuse.stale_read", "def f(x: f32[7]): a = aten.add_.Scalar(x, 3.0); y = aten.sin(x); return y", "old_contents"},
    {"fuse.bcast_axis", "def f(x: f32[5,5], b: f32[5]): y = aten.div.Tensor(x, b); return y", "other_broadcast"},
    {"fuse.epilogue_order",
     "def f(b: f32[7], x: f32[5,8], w: f32[8,7]): y = aten.addmm(b, x, w); z = aten.relu(y); return z", ""},
    {"layout.step_offset", "def f(x: f32[9,7]): a = aten.slice.Tensor(x, 0, 2, 9, 3); y = aten.neg(a); return y",
     "view_start"},
    {"layout.square_transpose", "def f(x: f32[7,7]): t = aten.t(x); y = aten.clone(t); return y", ""},
};

class Hypothesis : public testing::TestWithParam<size_t> {};

TEST_P(Hypothesis, HoldsWhereTheValuesAreItsOwn) {
  if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
  const Expected& expected = kExpected[GetParam()];
  const Case test_case = parse_case("fault=" + expected.fault + " program=" + expected.program);
  const Subject subject(test_case);
  RunOptions options;
  options.sweep = false;
  const Evidence evidence = gather_evidence(subject, options).evidence;
  std::vector<std::string> kinds;
  for (const HypothesisEvidence& hypothesis : evidence.hypotheses) kinds.push_back(hypothesis.kind);
  EXPECT_EQ(kinds, expected.kind.empty() ? std::vector<std::string>{} : std::vector{expected.kind})
      << expected.fault << " in " << expected.program;
}

INSTANTIATE_TEST_SUITE_P(Cases, Hypothesis, testing::Range<size_t>(0, kExpected.size()));

// One sum whose graph may be edited; whatever is asked, the runs have the values that they are told to have.
class ToldRuns final : public ExactRuns {
 public:
  ToldRuns(double unbroken, double edited)
      : program_(parse_case("program=def f(x: f32[3,3,5]): y = aten.sum.dim_IntList(x, [0]); return y").program),
        graph_(graph_of("def f(x: f32[3,3,5]): y = aten.sum.dim_IntList(x, [0]); return y")),
        unbroken_(unbroken),
        edited_(edited) {}

  const Program& program() const override { return program_; }
  ExactRun observed() override { return run(unbroken_); }
  ExactRun unbroken() override { return run(unbroken_); }
  ExactRun edited(const std::string& graph, const std::function<void(PrimGraph&)>& edit) override {
    EXPECT_EQ(graph, "f_0");
    PrimGraph mine = graph_;
    edit(mine);
    return run(mine == graph_ ? unbroken_ : edited_);
  }
  ExactRun of_program(const Program&) override { return {}; }

  Evidence evidence(float rung) const {
    Evidence evidence;
    TensorEvidence tensor;
    tensor.name = "y";
    tensor.eager_type = tensor.actual_type = contiguous_type(DType::f32, {3, 5});
    tensor.eager = bits(static_cast<float>(unbroken_));
    tensor.ideal = tensor.target = reference(unbroken_);
    evidence.tensors = {tensor};
    RungEvidence capture, departing;
    capture.layer = Layer::capture, departing.layer = Layer::fuse;
    capture.ran = departing.ran = true;
    capture.values = {tensor.eager}, departing.values = {bits(rung)};
    evidence.rungs = {capture, departing};
    return evidence;
  }

 private:
  static ElementBits bits(float value) { return ElementBits(15, std::bit_cast<uint32_t>(value)); }
  static ElementReference reference(double value) {
    return {std::vector<double>(15, value), std::vector<double>(15, 0.01), std::vector<uint32_t>(15, 0)};
  }
  ExactRun run(double value) const { return {{{"f_0", graph_}}, {reference(value)}}; }

  Program program_;
  PrimGraph graph_;
  double unbroken_, edited_;
};

// What is decided follows from the evidence and the values of the runs: no case, no fault.
TEST(Hypotheses, AreDecidedByValuesAlone) {
  ToldRuns runs(1, 2);
  const std::vector<HypothesisEvidence> found = hypotheses_that_hold(runs.evidence(2), runs);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "other_reduction");
  EXPECT_EQ(found[0].text, "the unbroken graph with %1 as prod in place of sum");
  EXPECT_TRUE(hypotheses_that_hold(runs.evidence(3), runs).empty());
  EXPECT_TRUE(hypotheses_that_hold(runs.evidence(1), runs).empty());
}

// Where a promise is broken at or above the departing rung, that speaks, and nothing is tried.
TEST(Hypotheses, AreNotTriedUnderABrokenPromise) {
  ToldRuns runs(1, 2);
  Evidence evidence = runs.evidence(2);
  VerifierEvidence verifier;
  verifier.layer = Layer::layout;
  verifier.findings = {{"coverage", "y", "an element has no place"}};
  evidence.verifiers = {verifier};
  EXPECT_EQ(hypotheses_that_hold(evidence, runs).size(), 1U);
  evidence.verifiers[0].layer = Layer::decompose;
  EXPECT_TRUE(hypotheses_that_hold(evidence, runs).empty());
}

// The report says what the values are.
TEST(Hypotheses, AreSaid) {
  if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
  const Verdict verdict = run_case(parse_case(
      "fault=decompose.alpha_default program=def f(x: f32[7], y: f32[7]): z = aten.add.Tensor(x, y, alpha = 5); "
      "return z"));
  EXPECT_NE(std::find(verdict.evidence.begin(), verdict.evidence.end(),
                      "the values are those of the program with aten.add.Tensor at the default of alpha"),
            verdict.evidence.end());
}

}  // namespace
}  // namespace faultline
