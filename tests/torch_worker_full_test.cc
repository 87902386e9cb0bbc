// Inductor through the worker: values by hand, and that every switch of the ladder's rungs changes the code that is
// generated for a program which it concerns.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "tests/worker_trial.h"

namespace faultline {
namespace {

using nlohmann::json;
using Status = RunReply::Status;
using Floats = std::vector<float>;

class Inductor : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    WorkerCommand command = torch_command();
    command.deadline_ms = command.start_ms = 600'000;  // a loaded machine makes precompiled headers for minutes
    command.environment = {{"FAULTLINE_HEADERS", FAULTLINE_BINARY_DIR "/headers"}};
    worker_ = std::make_unique<Worker>(command);
  }
  static void TearDownTestSuite() { worker_.reset(); }

  static RunReply run(const std::string& program, std::vector<ValueList> calls, json settings = json::object(),
                      NamedValues attributes = {}) {
    RunRequest request;
    request.form = "python";
    request.program = "import torch\naten = torch.ops.aten\n" + program;
    request.entry = "f";
    settings["backend"] = settings.value("backend", "inductor");
    request.settings = std::move(settings);
    request.attributes = std::move(attributes);
    request.calls = std::move(calls);
    RunReply reply = worker_->run(request);
    return reply;
  }
  void SetUp() override {
    const RunReply reply = run("def f(): return ()\n", {{}}, {{"backend", "none"}});
    if (reply.status == Status::unavailable) GTEST_SKIP() << reply.text;
    if (reply.attestation.value("compiler", "").empty()) GTEST_SKIP() << "no g++, which Inductor needs";
    ASSERT_EQ(reply.status, Status::ok) << said(reply);
  }

  static std::unique_ptr<Worker> worker_;
};
std::unique_ptr<Worker> Inductor::worker_;

TEST_F(Inductor, ClonesEveryElement) {
  std::vector<uint16_t> bits(65);
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<uint16_t>(0x3c00 + i);
  const RunReply reply =
      run("def f(x): return (aten.clone.default(x),)\n", {{{tensor_of(DType::f16, {65}, bits)}}}, {{"code", true}});
  ASSERT_EQ(reply.status, Status::ok) << said(reply);
  EXPECT_EQ(elements_of<uint16_t>(reply.calls[0].outputs[0]), bits);
  EXPECT_EQ(reply.attestation.at("graphs"), 1);
  EXPECT_EQ(reply.attestation.at("kernels"), 1);
  EXPECT_NE(reply.attestation.at("code").at(0).get<std::string>().find("65L"), std::string::npos);
  EXPECT_NE(reply.calls[0].outputs[0].tensor()->storage, reply.calls[0].inputs_after[0].tensor()->storage);
}

// The second call has other sizes: it is compiled again, with a symbol, and state carries over.
TEST_F(Inductor, WritesToInputsAndStateAcrossCalls) {
  const RunReply reply =
      run("def f(self, x):\n"
          "    y = aten.add_.Tensor(x, self.step)\n"
          "    self.step = aten.mul.Tensor(self.step, 2)\n"
          "    return (y, aten.sum.default(x))\n",
          {{{tensor_of(DType::f32, {3}, Floats{1, 2, 3})}}, {{tensor_of(DType::f32, {5}, Floats{0, 0, 1, 0, 0})}}},
          json::object(), {{"step", {tensor_of(DType::f32, {1}, Floats{10})}}});
  ASSERT_EQ(reply.status, Status::ok) << said(reply);
  const CallReply &first = reply.calls[0], &second = reply.calls[1];
  EXPECT_EQ(elements_of<float>(first.inputs_after[0]), (Floats{11, 12, 13}));
  EXPECT_EQ(first.outputs[0].tensor()->storage, first.inputs_after[0].tensor()->storage);
  EXPECT_EQ(elements_of<float>(first.outputs[1]), (Floats{36}));
  EXPECT_EQ(elements_of<float>(first.attributes_after[0].second), (Floats{20}));
  EXPECT_EQ(elements_of<float>(second.inputs_after[0]), (Floats{20, 20, 21, 20, 20}));
  EXPECT_EQ(elements_of<float>(second.outputs[1]), (Floats{101}));
  EXPECT_EQ(elements_of<float>(second.attributes_after[0].second), (Floats{40}));
  EXPECT_EQ(reply.attestation.at("graphs"), 2);
}

TEST_F(Inductor, ReportsWhatIsRaised) {
  const RunReply reply =
      run("def f(x): return (aten.view.default(x, [7]),)\n", {{{tensor_of(DType::f32, {3}, Floats{1, 2, 3})}}});
  EXPECT_EQ(reply.status, Status::raised) << said(reply);
  EXPECT_EQ(reply.phase, "compile");
  EXPECT_NE(reply.text.find("Error"), std::string::npos) << reply.text;
}

TEST_F(Inductor, SaysWhichSettingItDoesNotHave) {
  const std::vector<ValueList> call = {{{tensor_of(DType::f32, {1}, Floats{1})}}};
  const std::string program = "def f(x): return (aten.neg.default(x),)\n";
  const RunReply reply = run(program, call, {{"inductor", {{"cpp.no_such_switch", 1}}}});
  EXPECT_EQ(reply.status, Status::unavailable);
  EXPECT_EQ(reply.text, "this torch has no setting torch._inductor.config.cpp.no_such_switch");
  EXPECT_EQ(run(program, call, {{"dynamics", true}}).text, "no such setting of this worker: dynamics");
}

struct Switch {
  const char* name;
  json value;
  const char* program;
};

std::string without_comments(const std::string& code) {
  std::string kept;
  for (size_t at = 0; at < code.size();) {
    const size_t end = std::min(code.find('\n', at), code.size());
    const std::string line = code.substr(at, end - at);
    const size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos && line[first] != '#' && line.compare(first, 2, "//") != 0) kept += line + "\n";
    at = end + 1;
  }
  return kept;
}

constexpr const char* kRewritten =
    "def f(x, y):\n"
    "    z = aten.cat.default([aten.slice.Tensor(x, 0, 0, 32), aten.slice.Tensor(x, 0, 32, 64)])\n"
    "    return (aten.add.Tensor(aten.mm.default(z, y), x),)\n";
constexpr const char* kFused =
    "def f(x, y):\n"
    "    a = aten.mul.Tensor(x, y)\n"
    "    b = aten.sum.dim_IntList(aten.sin.default(a), [1])\n"
    "    return (aten.add.Tensor(aten.relu.default(b), 1), aten.mean.default(aten.exp.default(x)))\n";
constexpr const char* kReused =
    "def f(x, y):\n"
    "    a = aten.relu.default(aten.mm.default(x, y))\n"
    "    b = aten.sin.default(aten.mm.default(a, y))\n"
    "    return (aten.add.Tensor(aten.mm.default(b, y), 1),)\n";
constexpr const char* kChained =
    "def f(x, y):\n"
    "    a = aten.mm.default(aten.mm.default(aten.mm.default(x, y), y), y)\n"
    "    return (aten.mm.default(a, y), aten.sum.default(x))\n";
constexpr const char* kConvolved =
    "def f(x, y):\n"
    "    a = aten.view.default(aten.cat.default([x, x, x, x], 0), [1, 16, 32, 32])\n"
    "    w = aten.view.default(aten.slice.Tensor(aten.cat.default([y, y], 0), 0, 0, 72), [32, 16, 3, 3])\n"
    "    z = aten.convolution.default(a, w, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1)\n"
    "    return (aten.relu.default(z),)\n";

TEST_F(Inductor, EverySwitchOfARungChangesTheCode) {
  const Switch switches[] = {
      {"pattern_matcher", false, kRewritten},
      {"max_fusion_size", 1, kFused},
      {"cpp.simdlen", 1, kFused},
      {"allow_buffer_reuse", false, kChained},
      {"inplace_buffers", false, kReused},
      {"layout_optimization", false, kConvolved},
  };
  const Tensor x = tensor_of(DType::f32, {64, 64}, Floats(4096, 0.5F));
  const Tensor y = tensor_of(DType::f32, {64, 64}, Floats(4096, 0.25F));
  const auto code_of = [&](const Switch& one, bool switched) {
    json settings = {{"code", true}, {"inductor", json::object()}};
    if (switched) settings["inductor"][one.name] = one.value;
    const RunReply reply = run(one.program, {{{x}, {y}}}, settings);
    EXPECT_EQ(reply.status, Status::ok) << one.name << ": " << said(reply);
    return reply.status == Status::ok ? without_comments(reply.attestation.at("code").at(0)) : "";
  };
  for (const Switch& one : switches) {
    const std::string code = code_of(one, false);
    EXPECT_EQ(code, code_of(one, false)) << "its code is another each time: comparing it proves nothing";
    EXPECT_NE(code, code_of(one, true)) << one.name;
  }
}

}  // namespace
}  // namespace faultline
