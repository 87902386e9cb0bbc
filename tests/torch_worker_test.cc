// Programs through the worker of torch.compile: bytes, aliasing, writes, state, errors. Expected values by hand. Back
// ends that generate code are in torch_worker_full_test.cc.
#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "tests/worker_trial.h"

namespace faultline {
namespace {

using Status = RunReply::Status;
using Floats = std::vector<float>;

// One process for all cases: it takes seconds to start.
class TorchWorker : public ::testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() { worker_ = std::make_unique<Worker>(torch_command()); }
  static void TearDownTestSuite() { worker_.reset(); }

  void SetUp() override {
    const RunReply reply = run("def f(): return ()\n", {{}});
    if (reply.status == Status::unavailable) GTEST_SKIP() << reply.text;
    ASSERT_EQ(reply.status, Status::ok) << said(reply);
  }
  static RunReply run(std::string program, std::vector<ValueList> calls, NamedValues attributes = {},
                      nlohmann::json settings = {{"backend", "none"}}) {
    RunRequest request;
    request.form = "python";
    request.program = "import torch\n" + std::move(program);
    request.entry = "f";
    request.settings = std::move(settings);
    request.attributes = std::move(attributes);
    request.calls = std::move(calls);
    return worker_->run(request);
  }
  static nlohmann::json backend() { return {{"backend", GetParam()}}; }

  static std::unique_ptr<Worker> worker_;
};
std::unique_ptr<Worker> TorchWorker::worker_;

std::vector<uint16_t> counting(size_t count) {
  std::vector<uint16_t> bits(count);
  for (size_t i = 0; i < count; ++i) bits[i] = static_cast<uint16_t>(0x3c00 + i);
  return bits;
}

TEST_P(TorchWorker, ClonesEveryElement) {
  const Tensor x = tensor_of(DType::f16, {65}, counting(65));
  const RunReply reply = run("def f(x): return (torch.ops.aten.clone.default(x),)\n", {{{x}}}, {}, backend());
  ASSERT_EQ(reply.status, Status::ok) << said(reply);
  EXPECT_EQ(reply.phase, "fetch");
  ASSERT_EQ(reply.calls.size(), 1u);
  const CallReply& call = reply.calls[0];
  ASSERT_EQ(call.outputs.size(), 1u);
  ASSERT_TRUE(call.outputs[0].tensor());
  EXPECT_EQ(to_text(call.outputs[0].tensor()->type), "f16[65]");
  EXPECT_EQ(elements_of<uint16_t>(call.outputs[0]), counting(65));
  EXPECT_EQ(elements_of<uint16_t>(call.inputs_after[0]), counting(65));
  EXPECT_NE(call.outputs[0].tensor()->storage, call.inputs_after[0].tensor()->storage);
  EXPECT_NE(call.inputs_after[0].tensor()->storage, x.storage);
}

TEST_P(TorchWorker, SaysHowItRan) {
  const RunReply reply = run("def f(x): return (torch.ops.aten.neg.default(x),)\n",
                             {{{tensor_of(DType::f32, {2}, Floats{1, 2})}}}, {}, backend());
  ASSERT_EQ(reply.status, Status::ok) << said(reply);
  const nlohmann::json& attestation = reply.attestation;
  if (std::string_view(GetParam()) != "none") {
    EXPECT_EQ(attestation.at("graphs"), 1) << attestation;
    EXPECT_EQ(attestation.at("graph_breaks"), 0);
  }
  EXPECT_EQ(attestation.at("threads"), 1);
  for (const char* word : {"torch", "cpu_capability", "compiler", "subnormals", "caches", "python"})
    EXPECT_TRUE(attestation.at(word).is_string()) << word;
}

// y is x, a is a view of x, b stands alone.
TEST_P(TorchWorker, ShowsWhichTensorsShareMemory) {
  const RunReply reply =
      run("def f(x):\n"
          "    a = torch.ops.aten.slice.Tensor(x, 0, 1, 3)\n"
          "    b = torch.ops.aten.neg.default(x)\n"
          "    return (x, a, b)\n",
          {{{tensor_of(DType::f32, {4}, Floats{1, 2, 3, 4})}}}, {}, backend());
  ASSERT_EQ(reply.status, Status::ok) << said(reply);
  const ValueList& outputs = reply.calls[0].outputs;
  const auto& input = reply.calls[0].inputs_after[0].tensor()->storage;
  EXPECT_EQ(outputs[0].tensor()->storage, input);
  EXPECT_EQ(outputs[1].tensor()->storage, input);
  EXPECT_NE(outputs[2].tensor()->storage, input);
  EXPECT_EQ(to_text(outputs[1].tensor()->type), "f32[2]{offset=1}");
  EXPECT_EQ(elements_of<float>(outputs[1]), (Floats{2, 3}));
}

// Two arguments over one storage: the write through one shows in the other, and in both after the call.
TEST_P(TorchWorker, WritesThroughAliasedInputs) {
  const Tensor x = tensor_of(DType::f32, {2, 3}, Floats{1, 2, 3, 4, 5, 6});
  const Tensor column = {{DType::f32, {2}, {3}, 1}, x.storage};
  const RunReply reply =
      run("def f(x, column):\n"
          "    torch.ops.aten.mul_.Scalar(column, 10)\n"
          "    return (torch.ops.aten.add.Tensor(x, 0),)\n",
          {{{x}, {column}}}, {}, backend());
  ASSERT_EQ(reply.status, Status::ok) << said(reply);
  const CallReply& call = reply.calls[0];
  EXPECT_EQ(elements_of<float>(call.outputs[0]), (Floats{1, 20, 3, 4, 50, 6}));
  EXPECT_EQ(elements_of<float>(call.inputs_after[0]), (Floats{1, 20, 3, 4, 50, 6}));
  EXPECT_EQ(elements_of<float>(call.inputs_after[1]), (Floats{20, 50}));
  EXPECT_EQ(call.inputs_after[0].tensor()->storage, call.inputs_after[1].tensor()->storage);
  EXPECT_EQ(elements_of<float>({x}), (Floats{1, 2, 3, 4, 5, 6}));
}

// Three calls; each reply is what its own call left.
TEST_P(TorchWorker, KeepsStateBetweenCalls) {
  const Value x = {tensor_of(DType::f32, {1}, Floats{5})};
  const RunReply reply =
      run("def f(self, x, n):\n"
          "    torch.ops.aten.add_.Tensor(self.total, x)\n"
          "    self.count = self.count + n\n"
          "    return (torch.ops.aten.mul.Tensor(self.total, 2), self.count)\n",
          {{x, {int64_t{1}}}, {x, {int64_t{1}}}, {x, {int64_t{3}}}},
          {{"total", {tensor_of(DType::f32, {1}, Floats{100})}}, {"count", {int64_t{7}}}}, backend());
  ASSERT_EQ(reply.status, Status::ok) << said(reply);
  ASSERT_EQ(reply.calls.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    const CallReply& call = reply.calls[i];
    const float total = 105.0F + 5.0F * static_cast<float>(i);
    const int64_t count = i == 2 ? 12 : 8 + static_cast<int64_t>(i);
    EXPECT_EQ(elements_of<float>(call.outputs[0]), (Floats{2 * total})) << i;
    EXPECT_EQ(std::get<int64_t>(call.outputs[1].value), count) << i;
    ASSERT_EQ(call.attributes_after.size(), 2u);
    EXPECT_EQ(call.attributes_after[0].first, "total");
    EXPECT_EQ(elements_of<float>(call.attributes_after[0].second), (Floats{total})) << i;
    EXPECT_EQ(std::get<int64_t>(call.attributes_after[1].second.value), count) << i;
  }
}

TEST_P(TorchWorker, ReportsWhatIsRaisedAndTheCallsBefore) {
  const RunReply reply =
      run("def f(x, y): return (torch.ops.aten.mm.default(x, y),)\n",
          {{{tensor_of(DType::f32, {1, 1}, Floats{3})}, {tensor_of(DType::f32, {1, 1}, Floats{5})}},
           {{tensor_of(DType::f32, {1, 1}, Floats{3})}, {tensor_of(DType::f32, {2, 1}, Floats{5, 6})}}},
          {}, backend());
  EXPECT_EQ(reply.status, Status::raised) << said(reply);
  EXPECT_NE(reply.text.find("RuntimeError"), std::string::npos) << reply.text;
  EXPECT_EQ(reply.text.find("fake tensor"), std::string::npos)
      << reply.text;  // Dynamo's first line, which says nothing
  ASSERT_EQ(reply.calls.size(), 1u);
  EXPECT_EQ(elements_of<float>(reply.calls[0].outputs[0]), (Floats{15}));
  EXPECT_NE(reply.stderr_tail.find("\"<program>\", line 2, in f"), std::string::npos) << reply.stderr_tail;
  EXPECT_EQ(run("def f(): return ()\n", {{}}).status, Status::ok);
  EXPECT_EQ(worker_->starts(), 1);
}

// Without fullgraph Dynamo runs around what it cannot trace, with it that is a refusal.
TEST_P(TorchWorker, TellsARefusalFromAnError) {
  const std::string program =
      "def f(x):\n"
      "    if torch.ops.aten.sum.default(x).item() > 0:\n"
      "        return (torch.ops.aten.neg.default(x),)\n"
      "    return (torch.ops.aten.clone.default(x),)\n";
  const std::vector<ValueList> calls = {{{tensor_of(DType::f32, {2}, Floats{1, 2})}}};
  const RunReply broken = run(program, calls, {}, backend());
  ASSERT_EQ(broken.status, Status::ok) << said(broken);
  EXPECT_EQ(elements_of<float>(broken.calls[0].outputs[0]), (Floats{-1, -2}));
  if (std::string_view(GetParam()) == "none") return;
  EXPECT_GE(broken.attestation.at("graph_breaks"), 1);
  nlohmann::json whole = backend();
  whole["fullgraph"] = true;
  const RunReply refused = run(program, calls, {}, whole);
  EXPECT_EQ(refused.status, Status::rejected) << said(refused);
  EXPECT_EQ(refused.phase, "compile");
  whole["fullgrown"] = true;
  EXPECT_EQ(run(program, calls, {}, whole).text, "no such setting of this worker: fullgrown");
}

// A dtype that programs do not have.
TEST_P(TorchWorker, RefusesWhatItCannotSend) {
  const RunReply reply = run("def f(x): return (torch.ops.aten.to.dtype(x, torch.complex64),)\n",
                             {{{tensor_of(DType::f32, {2}, Floats{1, 2})}}}, {}, backend());
  EXPECT_EQ(reply.status, Status::rejected) << said(reply);
  EXPECT_EQ(reply.phase, "fetch");
  EXPECT_NE(reply.text.find("complex64"), std::string::npos) << reply.text;
}

// Each type's bytes as they are, subnormals and NaN payloads included, through a program that only moves them.
TEST_P(TorchWorker, MovesTheBytesOfEveryType) {
  for (int index = 0; index < kDTypeCount; ++index) {
    const auto dtype = static_cast<DType>(index);
    std::vector<uint8_t> bytes(static_cast<size_t>(6 * byte_size(dtype)));
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<uint8_t>(dtype == DType::boolean ? i % 2 : 37 * i + 1);
    Tensor x = make_tensor(contiguous_type(dtype, {2, 3}));
    std::memcpy(x.data(), bytes.data(), bytes.size());
    const RunReply reply = run("def f(x): return (torch.ops.aten.t.default(x),)\n", {{{x}}}, {}, backend());
    ASSERT_EQ(reply.status, Status::ok) << name(dtype) << ": " << said(reply);
    const Tensor* y = reply.calls[0].outputs[0].tensor();
    ASSERT_TRUE(y);
    EXPECT_EQ(y->type, (TensorType{dtype, {3, 2}, {1, 3}, 0}));
    ASSERT_EQ(y->storage->size(), bytes.size());
    EXPECT_EQ(std::memcmp(y->data(), bytes.data(), bytes.size()), 0) << name(dtype);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, TorchWorker, ::testing::Values("none", "eager", "aot_eager"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace faultline
