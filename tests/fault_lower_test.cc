// Fault rows of layout, tile, schedule and transfer: what a mechanism makes of a program is what another, unbroken
// program computes; which elements it reaches follows from sticks and cores; and the broken promise names its kind.
#include <gtest/gtest.h>

#include "runtime/eager/eager.h"
#include "runtime/run/reference.h"
#include "runtime/run/run_case.h"
#include "tests/fault_trial.h"

namespace faultline {
namespace {

// Values of all outputs on the machine, with the fault or without.
std::vector<ElementBits> outputs_of(const std::string& line) {
  const Case test_case = parse_case(line);
  const Subject subject(test_case);
  FaultGate gate(test_case.faults);
  StackTrial trial(subject, gate);
  const auto outcome = trial.run({});
  EXPECT_EQ(outcome.ended(), "") << line;
  std::vector<ElementBits> outputs;
  for (const auto& tensor : outcome.tensors)
    if (tensor.role == TensorRole::output) outputs.push_back(bits_of(tensor));
  return outputs;
}

struct Equivalent {
  const char *fault, *program, *other;
};
const std::vector<Equivalent> kEquivalents = {
    {"layout.square_transpose", "def f(x: f16[67,67]): t = aten.t(x); y = aten.clone(t); return y",
     "def f(x: f16[67,67]): y = aten.clone(x); return y"},
    {"layout.square_transpose", "def f(x: f32[5,5], w: f32[5,5]): t = aten.t(x); y = aten.sub.Tensor(t, w); return y",
     "def f(x: f32[5,5], w: f32[5,5]): y = aten.sub.Tensor(x, w); return y"},
    {"layout.step_offset", "def f(x: f16[9,67]): a = aten.slice.Tensor(x, 0, 1, 9, 2); y = aten.exp(a); return y",
     "def f(x: f16[9,67]): a = aten.slice.Tensor(x, 0, 0, 8, 2); y = aten.exp(a); return y"},
    {"tile.lx_overlap", "def f(a: f16[3,67], b: f16[3,67]): y = aten.sub.Tensor(a, b); return y",
     "def f(a: f16[3,67], b: f16[3,67]): y = aten.sub.Tensor(b, b); return y"},
    // Core 4 * i1 + i0 works on row [i0, i1]; that row's maximum is the one that core has made before.
    {"tile.core_order",
     "def f(x: f32[4,6,33]): m = aten.amax(x, [2], True); d = aten.sub.Tensor(x, m); y = aten.exp(d); return y",
     "def f(x: f32[4,6,33]): m = aten.amax(x, [2], False); v = aten.view(m, [6,4]); t = aten.t(v); "
     "u = aten.unsqueeze(t, 2); d = aten.sub.Tensor(x, u); y = aten.exp(d); return y"},
    {"schedule.lx_slice_base",
     "def f(x: f16[5,128]): a = aten.slice.Tensor(x, 1, 0, 64); b = aten.slice.Tensor(x, 1, 64, 128); "
     "y = aten.add.Tensor(a, b); return y",
     "def f(x: f16[5,128]): a = aten.slice.Tensor(x, 1, 0, 64); y = aten.add.Tensor(a, a); return y"},
    {"schedule.wrong_symbol", "def f(a: f32[3,67], b: f32[3,67]): y = aten.add.Tensor(a, b); return y",
     "def f(a: f32[3,67], b: f32[3,67]): y = aten.add.Tensor(a, a); return y"},
    {"schedule.imm16", "def f(x: i32[67]): y = aten.add.Scalar(x, 70000); return y",
     "def f(x: i32[67]): y = aten.add.Scalar(x, 4464); return y"},
    {"schedule.imm16", "def f(x: i64[67]): y = aten.sub.Scalar(x, 32768); return y",
     "def f(x: i64[67]): y = aten.sub.Scalar(x, -32768); return y"},
    {"schedule.psum_clear", "def f(x: f16[5,256], w: f16[256,7]): y = aten.mm(x, w); return y",
     "def f(x: f16[5,256], w: f16[256,7]): y = aten.full([5,7], 0.0, dtype = f16); return y"},
    // A bit of the exponent of each stick's first element.
    {"transfer.beat_flip", "def f(x: i32[32]): y = aten.clone(x); return y",
     "def f(x: i32[32]): s = aten.slice.Tensor(x, 0, 0, 1); a = aten.bitwise_xor.Scalar(s, 4096); "
     "t = aten.slice.Tensor(x, 0, 1, 32); y = aten.cat([a, t], 0); return y"},
};

class EquivalentProgram : public testing::TestWithParam<size_t> {};

TEST_P(EquivalentProgram, ComputesTheSame) {
  const Equivalent& pair = kEquivalents[GetParam()];
  SCOPED_TRACE(pair.program);
  const auto planted = outputs_of(case_line(pair.fault, pair.program));
  EXPECT_EQ(planted, outputs_of(std::string("program=") + pair.other));
  EXPECT_NE(planted, outputs_of(std::string("program=") + pair.program));
}

std::string pair_name(const testing::TestParamInfo<size_t>& info) {
  std::string name(kEquivalents[info.param].fault);
  std::replace(name.begin(), name.end(), '.', '_');
  return name + "_" + std::to_string(info.param);
}
INSTANTIATE_TEST_SUITE_P(Pairs, EquivalentProgram, testing::Range<size_t>(0, kEquivalents.size()), pair_name);

struct Reach {
  const char *fault, *program, *where;
};
// Sticks of 64 elements of 2 bytes or 32 of 4; rows go to one core each as far as there are cores.
const std::vector<Reach> kReaches = {
    // Elements 32 to 63 lie on top of 0 to 31.
    {"layout.eps_type", "def f(x: f32[67]): y = aten.clone(x); return y", "[0,32)"},
    {"layout.eps_type", "def f(x: f32[64]): y = aten.clone(x); return y", "[32,64)"},
    {"layout.restick_tail", "def f(x: f16[70,3], w: f16[3,70]): t = aten.t(x); y = aten.add.Tensor(t, w); return y",
     "dim 1 [64,70)"},
    // Only the first lane of a group comes from where it should; the others are its neighbours along the other dim.
    {"layout.no_relayout", "def f(x: f16[7,3], w: f16[3,7]): t = aten.t(x); y = aten.add.Tensor(t, w); return y",
     "dim 1 [1,7)"},
    {"tile.core_dup", "def f(x: f16[6,17]): y = aten.clone(x); return y", "[17,102)"},
    {"tile.core_gap", "def f(x: f16[6,17]): y = aten.clone(x); return y", "[85,102)"},
    {"transfer.granule_floor", "def f(x: f16[67]): y = aten.clone(x); return y", "[64,67)"},
    {"transfer.granule_floor", "def f(x: f32[67]): y = aten.clone(x); return y", "[64,67)"},
    {"transfer.granule_floor", "def f(x: f32[95]): y = aten.clone(x); return y", "[64,95)"},
    // Sites: the third row's core; its second copy of two.
    {"schedule.wait_drop(*/2)", "def f(x: f16[5,17]): y = aten.clone(x); return y", "[34,51)"},
    {"transfer.copy_in_lost(*/2.descriptor.*)", "def f(x: f16[5,17]): y = aten.clone(x); return y", "[34,51)"},
    {"transfer.copy_in_lost(*/x/*) nth=2", "def f(x: f16[5,17]): y = aten.clone(x); return y", "[17,34)"},
    {"transfer.copy_in_lost(*) times=1", "def f(x: f16[5,17]): y = aten.clone(x); return y", "[0,17)"},
    {"tile.core_gap(*copy:0/y)", "def f(x: f16[6,17]): y = aten.clone(x); return y", "[85,102)"},
};

class FaultReach : public testing::TestWithParam<size_t> {};

TEST_P(FaultReach, TheseElementsAndNoOthers) {
  if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
  const Reach& reach = kReaches[GetParam()];
  RunOptions options;
  options.sweep = false;
  const std::string line = std::string("fault=") + reach.fault + " program=" + reach.program;
  const Verdict verdict = run_case(parse_case(line), options);
  EXPECT_EQ(name(verdict.outcome), name(Outcome::detected)) << line;
  ASSERT_EQ(verdict.tensors.size(), 1U) << line;
  EXPECT_EQ(verdict.tensors[0].where, reach.where) << line;
  EXPECT_EQ(verdict.planted->localised, "exact") << line;
}

INSTANTIATE_TEST_SUITE_P(Cases, FaultReach, testing::Range<size_t>(0, kReaches.size()));

// On its example a row of these layers is known by its kind, not by its layer alone, with sound layers above and the
// good rung on the other side.
class LowerKind : public testing::TestWithParam<const Fault*> {};

TEST_P(LowerKind, IsNamedOnTheExample) {
  if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
  const Fault& fault = *GetParam();
  RunOptions options;
  options.sweep = false;
  const Verdict verdict = run_case(parse_case(case_line(fault.id, fault.example)), options);
  // A load that forgets its offset stays inside its buffer and breaks no promise: only the rung shows it.
  const bool by_values = fault.id == "layout.step_offset";
  if (!by_values) {
    EXPECT_EQ(verdict.origin.mechanism, fault.mechanism) << verdict.explanation;
  }
  for (const VerifierLine& line : verdict.verifiers)
    if (line.layer < layer_of(fault)) {
      EXPECT_EQ(line.ok, true) << name(line.layer);
    }
  for (const RungLine& line : verdict.rungs)
    if (const auto layer = layer_from_name(line.rung); layer && *layer < layer_of(fault)) {
      EXPECT_EQ(line.agrees, true) << line.rung;
    }
}

std::vector<const Fault*> lower_faults() {
  std::vector<const Fault*> found;
  for (const Fault* fault : faults.rows)
    if (layer_of(*fault) >= Layer::layout && layer_of(*fault) <= Layer::transfer && fault->expect == Expect::detect)
      found.push_back(fault);
  return found;
}
std::string kind_name(const testing::TestParamInfo<const Fault*>& info) {
  std::string name(info.param->id);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Rows, LowerKind, testing::ValuesIn(lower_faults()), kind_name);

// Two hangs that look alike from outside: the program that cannot go on, and the card that lost a signal.
TEST(LowerFaults, HangsOfTheProgramAndOfTheCardAreToldApart) {
  if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
  const std::string program = " program=def f(x: f16[3,67]): y = aten.neg(x); return y";
  const Verdict mine = run_case(parse_case("fault=schedule.signal_token" + program));
  const Verdict theirs = run_case(parse_case("fault=transfer.signal_lost" + program));
  for (const Verdict* verdict : {&mine, &theirs}) {
    EXPECT_EQ(name(verdict->symptom_outcome), name(Outcome::hung));
    EXPECT_EQ(verdict->exposed, Layer::transfer);
  }
  EXPECT_EQ(mine.origin.mechanism, "schedule.sync");
  EXPECT_EQ(theirs.origin.mechanism, "transfer.queue_lost");
}

// A queue that is slow gives no wrong number, and is not called wrong.
TEST(LowerFaults, SlowIsNotWrong) {
  if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
  const Verdict verdict =
      run_case(parse_case("fault=transfer.slow_queue program=def f(x: f16[3,67]): y = aten.neg(x); return y"));
  EXPECT_EQ(name(verdict.symptom_outcome), name(Outcome::slow));
  EXPECT_EQ(verdict.origin.mechanism, "transfer.slow");
  EXPECT_TRUE(verdict.tensors.empty());
}

}  // namespace
}  // namespace faultline
