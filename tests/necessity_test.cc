// No rung and no verifier is decoration: for each layer a planted fault whose diagnosis is right with all evidence and
// no longer right without that layer's rung, and another for its verifier. Evidence is gathered once and one row taken
// out of it, so that nothing else changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "checkers/diagnose.h"
#include "faults/fault.h"
#include "runtime/eager/eager.h"
#include "runtime/run/run_case.h"

namespace faultline {
namespace {

void remove_rung(Evidence& evidence, Layer layer) {
  const auto is_its = [layer](const RungEvidence& rung) { return rung.rung != "eager" && rung.layer == layer; };
  EXPECT_EQ(std::erase_if(evidence.rungs, is_its), 1U);
}

// The promises of the trace are transfer's verifier.
void remove_verifier(Evidence& evidence, Layer layer) {
  const auto is_its = [layer](const VerifierEvidence& verifier) { return verifier.layer == layer; };
  EXPECT_EQ(std::erase_if(evidence.verifiers, is_its), 1U);
  if (layer == Layer::transfer) evidence.device.transfer_findings.clear();
}

Verdict diagnosed(const Evidence& evidence) {
  Verdict verdict;
  diagnose(evidence, verdict);
  return verdict;
}

// What is lost without the row.
enum class Loss {
  outcome,    // nothing is found wrong at all
  layer,      // another layer is accused
  untold,     // no layer can be singled out
  mechanism,  // the layer is right, and another kind is named
};

struct Need {
  Layer layer;  // whose rung or verifier is taken out
  Loss loss;
  std::string fault, program;
  std::optional<Layer> without_verifier = {};  // this layer's row is missing before and after
};

// For GoogleTest, which would print bytes.
void PrintTo(const Need& need, std::ostream* out) { *out << need.fault << " in " << need.program; }

std::string name_of(const testing::TestParamInfo<Need>& info) { return std::string(name(info.param.layer)); }

class Necessity : public testing::TestWithParam<Need> {
 protected:
  void SetUp() override {
    if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
  }

  // With everything there.
  Evidence evidence() const {
    const Case test_case = parse_case("fault=" + GetParam().fault + " program=" + GetParam().program);
    const Subject subject(test_case);
    RunOptions options;
    options.sweep = false;
    Evidence all = gather_evidence(subject, options).evidence;
    if (const auto layer = GetParam().without_verifier) remove_verifier(all, *layer);
    return all;
  }

  const Fault& fault() const { return faults.at(GetParam().fault, "fault"); }

  void expect_right(const Verdict& verdict) const {
    EXPECT_NE(verdict.outcome, Outcome::pass);
    EXPECT_EQ(verdict.origin.layer, layer_of(fault())) << verdict.explanation;
    if (GetParam().loss == Loss::mechanism) {
      EXPECT_EQ(verdict.origin.mechanism, fault().mechanism);
    }
  }

  void expect_lost(const Verdict& verdict) const {
    switch (GetParam().loss) {
      case Loss::outcome: EXPECT_EQ(verdict.outcome, Outcome::pass); return;
      case Loss::untold: EXPECT_EQ(verdict.origin.layer, std::nullopt); return;
      case Loss::layer:
        ASSERT_TRUE(verdict.origin.layer.has_value());
        EXPECT_NE(verdict.origin.layer, layer_of(fault()));
        return;
      case Loss::mechanism:
        EXPECT_EQ(verdict.origin.layer, layer_of(fault()));
        EXPECT_NE(verdict.origin.mechanism, fault().mechanism);
        return;
    }
  }
};

class RungNecessity : public Necessity {};

TEST_P(RungNecessity, WithoutItNoLayerIsSingledOut) {
  Evidence all = evidence();
  expect_right(diagnosed(all));
  remove_rung(all, GetParam().layer);
  expect_lost(diagnosed(all));
}

// A rung is needed on either side of a departure: as the bad one by faults of its own layer that break no promise, and
// as the good one, which acquits its layer, by such faults of the layer below. Everything that tells in a capture, a
// tile or a machine program breaks a promise; and so these rungs are shown as the good side, or, where the layer below
// has no such faults either, as the second witness beside a verifier that is silent.
const std::vector<Need> kRungs = {
    {Layer::capture, Loss::untold, "decompose.variance_divisor",
     "def f(x: f32[5,17]): y = aten.var.correction(x, [1], correction = 1); return y"},
    {Layer::decompose, Loss::untold, "decompose.eps_order",
     "def f(x: f16[5,17], w: f16[17]): y = aten.rms_norm(x, [17], w, 0.125); return y"},
    {Layer::fuse, Loss::untold, "fuse.stale_read",
     "def f(x: f16[67]): a = aten.mul_.Tensor(x, 3.0); y = aten.exp(x); return y"},
    {Layer::layout, Loss::untold, "layout.square_transpose",
     "def f(x: f16[33,33]): t = aten.t(x); y = aten.clone(t); return y"},
    {Layer::tile, Loss::untold, "tile.trip_floor", "def f(x: f16[3,97]): y = aten.clone(x); return y", Layer::tile},
    {Layer::schedule, Loss::untold, "transfer.cell_flip", "def f(x: f16[3,67]): y = aten.neg(x); return y"},
    {Layer::transfer, Loss::untold, "numerics.bf16_trunc",
     "def f(x: bf16[67], y: bf16[67]): z = aten.add.Tensor(x, y); return z", Layer::numerics},
    {Layer::numerics, Loss::untold, "numerics.psum_dl16",
     "def f(x: f16[3,1024]): y = aten.sum.dim_IntList(x, [1]); return y; call f(x = uniform())", Layer::numerics},
};
INSTANTIATE_TEST_SUITE_P(Layers, RungNecessity, testing::ValuesIn(kRungs), name_of);

class VerifierNecessity : public Necessity {};

TEST_P(VerifierNecessity, WithoutItTheDiagnosisIsNotRight) {
  Evidence all = evidence();
  expect_right(diagnosed(all));
  remove_verifier(all, GetParam().layer);
  expect_lost(diagnosed(all));
}

// Where the layer's rung still tells the layer, the verifier names the kind. A wrong number that is lost in the
// rounding of a larger one is within the bound of the program: only the step that made it tells.
const std::vector<Need> kVerifiers = {
    {Layer::capture, Loss::layer, "capture.guard_shape",
     "def f(x: f16[4,5]): y = aten.exp(x); return y; call f(); call f(x: f16[5,4])"},
    {Layer::decompose, Loss::mechanism, "decompose.copyback_lost",
     "def f(x: f16[65], y: f16[65]): z = aten.add_.Tensor(x, y); w = aten.neg(z); return w"},
    {Layer::fuse, Loss::mechanism, "fuse.cse_load",
     "def f(x: f16[67], y: f16[67]): z = aten.sub.Tensor(x, y); return z"},
    {Layer::layout, Loss::mechanism, "layout.no_relayout",
     "def f(x: f16[67,9], w: f16[9,67]): t = aten.t(x); y = aten.add.Tensor(t, w); return y"},
    {Layer::tile, Loss::mechanism, "tile.trip_floor", "def f(x: f16[3,97]): y = aten.clone(x); return y"},
    {Layer::schedule, Loss::layer, "schedule.wait_drop", "def f(x: f16[3,67]): y = aten.neg(x); return y"},
    {Layer::transfer, Loss::outcome, "transfer.launch_twice", "def f(x: f16[3,67]): y = aten.neg(x); return y"},
    {Layer::numerics, Loss::outcome, "numerics.flip1",
     "def f(x: f16[3,67]): a = aten.neg(x); y = aten.add.Scalar(a, 4096.0); return y"},
};
INSTANTIATE_TEST_SUITE_P(Layers, VerifierNecessity, testing::ValuesIn(kVerifiers), name_of);

std::set<Layer> layers_of(const std::vector<Need>& needs) {
  std::set<Layer> layers;
  for (const Need& need : needs) layers.insert(need.layer);
  return layers;
}

TEST(NecessityTable, HasEveryRungAndEveryVerifier) {
  const std::set<Layer> layers(kLayers.begin(), kLayers.end());
  EXPECT_EQ(layers_of(kRungs), layers);
  EXPECT_EQ(layers_of(kVerifiers), layers);
}

// A departure behind a rung that did not run names the layers that may be meant.
TEST(Necessity, AGapInTheLadderIsSaid) {
  if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
  const Case test_case = parse_case(
      "fault=fuse.stale_read program=def f(x: f16[67]): a = aten.mul_.Tensor(x, 3.0); y = aten.exp(x); return y");
  const Subject subject(test_case);
  Evidence evidence = gather_evidence(subject).evidence;
  remove_rung(evidence, Layer::fuse);
  const Verdict verdict = diagnosed(evidence);
  EXPECT_EQ(verdict.exposed, Layer::layout);
  EXPECT_NE(std::find(verdict.evidence.begin(), verdict.evidence.end(),
                      "rung fuse did not run: whether fuse or layout departs first is not known"),
            verdict.evidence.end());
}

}  // namespace
}  // namespace faultline
