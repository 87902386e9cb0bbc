// Capture: graph breaks, guards and the cache, on programs whose counts are known by reading them.
#include "runtime/layers/capture/capture.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/backends/model/rung_runner.h"
#include "runtime/ir/program_text.h"
#include "runtime/layers/capture/run_frames.h"
#include "runtime/layers/capture/verify_capture.h"
#include "runtime/numerics/native_domain.h"

namespace faultline {
namespace {

constexpr const char* kBranches = R"(def f(x: f32[4], n: int):
  y = aten.add.Tensor(x, x)
  s = aten.sum.default(y)
  v = s.item()
  c = v > 0.0
  if c { z = aten.mul.Tensor(y, y) } else { z = aten.neg(y) }
  w = aten.add.Scalar(z, n)
  return w
)";

// Gives every output a fresh tensor of one element; the test is about frames, not values.
class NullRunner : public SegmentRunner<NativeDomain> {
 public:
  std::vector<HostTensor<NativeDomain>> run(int entry, const Segment& segment,
                                            std::span<const HostTensor<NativeDomain>>) override {
    entries.push_back(entry);
    std::vector<HostTensor<NativeDomain>> outputs;
    for (size_t i = 0; i < segment.outputs.size(); ++i) outputs.push_back(tensor());
    return outputs;
  }
  std::vector<HostTensor<NativeDomain>> run_eager(int entry, const Segment& segment,
                                                  std::span<const HostTensor<NativeDomain>> inputs) override {
    ++eager;
    return run(entry, segment, inputs);
  }
  static HostTensor<NativeDomain> tensor(Sizes sizes = {}) {
    const TensorType type = contiguous_type(DType::f32, std::move(sizes));
    return {type, std::make_shared<std::vector<NativeDomain::Value>>(storage_elements(type))};
  }
  std::vector<int> entries;
  int eager = 0;  // how many of them ran eagerly
};

struct Frames {
  explicit Frames(const char* text) : program(parse_program(text, "test")) {
    capture.name = program.name;
    options.read_item = [this](const HostTensor<NativeDomain>&) { return item; };
    run.emplace(program, capture, runner, options);
  }
  void call(int64_t n, Sizes sizes = {4}) { run->call({{"x", NullRunner::tensor(std::move(sizes))}}, {{"n", n}}); }

  Program program;
  Capture capture;
  NullRunner runner;
  FrameOptions<NativeDomain> options;
  Scalar item = 1.0;
  std::optional<FrameRun<NativeDomain>> run;
};

TEST(Capture, OneBreakMakesTwoSegments) {
  Frames frames(kBranches);
  frames.call(3);
  ASSERT_EQ(frames.capture.entries.size(), 2u);
  EXPECT_TRUE(frames.capture.entries[0].exit.breaks);
  EXPECT_EQ(frames.capture.entries[0].segment.calls.size(), 2u);
  EXPECT_EQ(frames.capture.entries[1].segment.calls.size(), 2u);
  EXPECT_EQ(to_text(frames.capture.entries[1].position), "4.then.0");
}

TEST(Capture, SecondCallWithTheSameTypesUsesTheCache) {
  Frames frames(kBranches);
  frames.call(3);
  frames.call(3);
  EXPECT_EQ(frames.runner.entries, (std::vector<int>{0, 1, 0, 1}));
}

TEST(Capture, AChangedShapeAScalarAndABranchCompileAnew) {
  Frames frames(kBranches);
  frames.call(3);
  frames.call(3, {6});  // another shape: the first segment anew; the second depends on y, whose type NullRunner keeps
  EXPECT_EQ(frames.runner.entries, (std::vector<int>{0, 1, 2, 1}));
  frames.call(4);  // the second segment froze n
  EXPECT_EQ(frames.runner.entries.back(), 3);
  frames.item = -1.0;
  frames.call(4);  // the other arm
  EXPECT_EQ(to_text(frames.capture.entries.back().position), "4.else.0");
}

TEST(Capture, VerifierIsSilentOnTheTracersOwnWork) {
  Frames frames(kBranches);
  frames.call(3);
  frames.call(4, {7});
  for (const Finding& finding : verify_capture(frames.program, frames.capture)) ADD_FAILURE() << finding.text;
}

// Numbers that nothing asks for need no guard, and their absence from the guards is no broken promise.
TEST(Capture, UnreadScalarsNeedNoGuard) {
  Frames frames(R"(self.k = 3
def f(x: f32[4], n: int):
  k = self.k
  m = n + 1
  l = k * 2
  y = aten.exp(x)
  s = aten.sum.default(y)
  v = s.item()
  c = v > 0.0
  if c { z = aten.add.Scalar(y, v) } else { z = aten.neg(y) }
  return z
)");
  frames.run->state().scalars["self.k"] = int64_t{3};
  frames.call(3);
  frames.call(4);
  ASSERT_EQ(frames.capture.entries.size(), 2u);
  for (const Guard& guard : frames.capture.entries[0].guards) EXPECT_EQ(guard.kind, Guard::Kind::tensor_type);
  for (const Finding& finding : verify_capture(frames.program, frames.capture)) ADD_FAILURE() << finding.text;
}

TEST(Capture, VerifierFindsEachDroppedGuard) {
  Frames frames(kBranches);
  frames.call(3);
  int dropped = 0;
  for (size_t e = 0; e < frames.capture.entries.size(); ++e)
    for (size_t g = 0; g < frames.capture.entries[e].guards.size(); ++g) {
      Capture broken = frames.capture;
      broken.entries[e].guards.erase(broken.entries[e].guards.begin() + static_cast<int>(g));
      EXPECT_FALSE(verify_capture(frames.program, broken).empty()) << to_text(frames.capture.entries[e].guards[g]);
      ++dropped;
    }
  EXPECT_GE(dropped, 3);
}

TEST(Capture, VerifierFindsSwappedLiveValuesAndLostEffects) {
  Frames frames(R"(self.count = tensor f32[4] = zeros()
def f(x: f32[4], n: int):
  a = aten.add.Tensor(x, x)
  b = aten.mul.Tensor(x, x)
  old = self.count
  new = aten.add.Tensor(old, a)
  self.count = new
  s = aten.sum.default(a)
  v = s.item()
  d = aten.sub.Tensor(a, b)
  return d
)");
  frames.run->state().tensors["self.count"] = NullRunner::tensor({4});
  frames.call(1);
  EXPECT_TRUE(verify_capture(frames.program, frames.capture).empty());
  Capture swapped = frames.capture;
  auto& outputs = swapped.entries[0].segment.outputs;
  const auto a = std::find_if(outputs.begin(), outputs.end(), [](const auto& o) { return o.name == "a"; });
  const auto b = std::find_if(outputs.begin(), outputs.end(), [](const auto& o) { return o.name == "b"; });
  ASSERT_TRUE(a != outputs.end() && b != outputs.end());
  std::swap(a->value, b->value);
  EXPECT_FALSE(verify_capture(frames.program, swapped).empty());
  Capture lost = frames.capture;
  std::erase_if(lost.entries[0].segment.outputs, [](const auto& o) { return o.name == "self.count"; });
  EXPECT_FALSE(verify_capture(frames.program, lost).empty());
}

// Counts how often the capture layer's artefact is offered for rewriting: once a compilation.
class CountingGate final : public Gate {
 public:
  void artefact(Layer layer, std::string_view, void*) override { compiled += layer == Layer::capture ? 1 : 0; }
  TransferAnswer transfer(const TransferSite&) override { return {}; }
  const Arithmetic& arithmetic(const Arithmetic& base) override { return base; }
  int compiled = 0;
};

// Every n is frozen into a graph of its own. Eight of them are compiled; the ninth and later values run eagerly, while
// the first eight still find theirs.
TEST(Capture, AfterTheRecompileLimitAFrameRunsEagerly) {
  Frames frames("def f(x: f32[4], n: int):\n  y = aten.add.Scalar(x, n)\n  return y\n");
  CountingGate gate;
  frames.options.gate = &gate;
  RunLog log;
  frames.options.record = &log;
  frames.run.emplace(frames.program, frames.capture, frames.runner, frames.options);
  for (int64_t n = 0; n < 8; ++n) frames.call(n);
  EXPECT_EQ(gate.compiled, 8);
  EXPECT_EQ(frames.runner.eager, 0);
  frames.call(8);
  EXPECT_EQ(gate.compiled, 8);
  EXPECT_EQ(frames.runner.eager, 1);
  frames.call(3);
  frames.call(8);
  frames.call(9);
  EXPECT_EQ(gate.compiled, 8);
  EXPECT_EQ(frames.runner.eager, 3);
  EXPECT_EQ(frames.runner.entries, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 3, 8, 9}));
  EXPECT_EQ(std::count_if(frames.capture.entries.begin(), frames.capture.entries.end(),
                          [](const CaptureEntry& entry) { return entry.eager; }),
            2);
  EXPECT_TRUE(verify_capture(frames.program, frames.capture).empty());
  EXPECT_EQ(parse_capture(to_text(frames.capture)).entries, frames.capture.entries);

  // Another run that takes the same decisions runs the same segments eagerly.
  NullRunner again;
  frames.options.gate = &Gate::never();
  frames.options.record = nullptr;
  frames.options.replay = &log;
  frames.run.emplace(frames.program, frames.capture, again, frames.options);
  for (const int64_t n : {0, 1, 2, 3, 4, 5, 6, 7, 8, 3, 8, 9}) frames.call(n);
  EXPECT_EQ(again.entries, frames.runner.entries);
  EXPECT_EQ(again.eager, 3);
}

// A frame that gives up does so to its end: behind the graph break nothing compiled is looked up either, although what
// follows was compiled before.
TEST(Capture, AnEagerFrameStaysEagerBehindItsBreaks) {
  Frames frames(kBranches);
  for (int64_t size = 1; size <= 8; ++size) frames.call(3, {size});
  ASSERT_EQ(frames.runner.entries, (std::vector<int>{0, 1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 1, 7, 1, 8, 1}));
  frames.call(3, {9});
  EXPECT_EQ(frames.runner.eager, 2);
  EXPECT_EQ(to_text(frames.capture.entries[9].position) + " " + to_text(frames.capture.entries[10].position),
            "0 4.then.0");
  frames.call(3, {2});
  EXPECT_EQ(frames.runner.eager, 2);
}

// Each position has a cache of its own: that of the resumed code is full first.
TEST(Capture, ResumedCodeHasItsOwnLimit) {
  Frames frames(kBranches);
  for (int64_t n = 0; n < 9; ++n) frames.call(n);
  EXPECT_EQ(frames.runner.eager, 1);
  EXPECT_EQ(to_text(frames.capture.entries.back().position), "4.then.0");
  EXPECT_TRUE(frames.capture.entries.back().eager);
  EXPECT_FALSE(frames.capture.entries[frames.runner.entries[16]].eager);
}

// On a modelled stack: the values past the limit are right on a rung that compiles, and nothing was compiled for them.
TEST(Capture, EagerFramesOfAModelledStack) {
  const Program program = parse_program("def f(x: f32[4], n: int):\n  y = aten.add.Scalar(x, n)\n  return y\n", "test");
  const std::unique_ptr<TargetModel> model = make_target(target_spyre, {});
  ModelStack stack(*model, Gate::never());
  const IdealArithmetic ideal(&model->arithmetic());
  NativeDomain domain(ideal);
  RungRunner<NativeDomain> runner(stack, domain, {.rung = Layer::schedule});
  Capture capture;
  FrameRun<NativeDomain> run(program, capture, runner, {});
  for (int64_t n = 0; n < 12; ++n) {
    HostTensor<NativeDomain> x = NullRunner::tensor({4});
    for (int i = 0; i < 4; ++i) (*x.storage)[i].real = i * 0.5;
    const CallResult<NativeDomain> result = run.call({{"x", x}}, {{"n", n}});
    const auto& y = std::get<HostTensor<NativeDomain>>(result.returned[0].second);
    for (int i = 0; i < 4; ++i) EXPECT_EQ((*y.storage)[i].real, i * 0.5 + static_cast<double>(n));
  }
  EXPECT_EQ(capture.entries.size(), 12u);
  EXPECT_EQ(stack.entries(), kRecompileLimit);
}

TEST(Capture, TextRoundTrips) {
  Frames frames(kBranches);
  frames.call(3);
  frames.item = -2.5;
  frames.call(4, {2});
  const std::string text = to_text(frames.capture);
  EXPECT_EQ(parse_capture(text).entries, frames.capture.entries) << text;
}

}  // namespace
}  // namespace faultline
