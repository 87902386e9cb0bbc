// Replies that are no answers: each is a true reply with one thing wrong, and must be called by the words that name it.
// Those about the wire come from a process, which is replaced.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <limits>
#include <optional>

#include "runtime/backends/worker/wire.h"
#include "tests/fake_worker.h"

namespace faultline {
namespace {

using nlohmann::json;
using Status = RunReply::Status;

constexpr int64_t kBytesMax = 1 << 20;

struct Lie {
  std::string where;  // JSON pointer into the reply
  json what;
  std::string words;
};

FileDescriptor memory_block(int64_t bytes) {
  FileDescriptor block(memfd_create("lie", MFD_CLOEXEC));
  EXPECT_EQ(ftruncate(block.number(), bytes), 0);
  return block;
}

// Without a process: what was sent is read all the same.
void expect_lie(const json& sent, const FileDescriptor& block, const std::string& words) {
  RunReply reply;
  const std::optional<std::string> lie = decode_reply(sent, block, fake_request({}), kBytesMax, reply);
  ASSERT_TRUE(lie) << sent;
  EXPECT_NE(lie->find(words), std::string::npos) << *lie << "\nwithout: " << words;
  EXPECT_TRUE(reply.calls.empty());
}
void expect_lies(const std::vector<Lie>& lies) {
  for (const Lie& lie : lies) {
    json sent = true_reply();
    sent[json::json_pointer(lie.where)] = lie.what;
    expect_lie(sent, memory_block(130), lie.words);
  }
}

class WorkerLies : public FakeWorkerTest {
 protected:
  void expect_garbage(const Step& step, const std::string& words) {
    const RunReply reply = worker_.run(fake_request({{"phase", "fetch"}, step}));
    EXPECT_EQ(reply.status, Status::garbage) << step.second.dump().substr(0, 300) << "\n" << said(reply);
    EXPECT_NE(reply.text.find(words), std::string::npos) << reply.text << "\nwithout: " << words;
    EXPECT_EQ(reply.text.find('\n'), std::string::npos);
    EXPECT_EQ(reply.phase, "fetch");
    EXPECT_TRUE(reply.calls.empty());
    EXPECT_EQ(worker_.starts(), ++starts_);
  }
  Worker worker_{fake_command()};
  int starts_ = 0;
};

TEST_F(WorkerLies, TheTruthIsNone) {
  RunReply read;
  EXPECT_EQ(decode_reply(true_reply(), memory_block(130), fake_request({}), kBytesMax, read).value_or(""), "");
  const RunReply reply = worker_.run(fake_request({{"reply_twice", {true_reply(), 130}}}));
  EXPECT_EQ(reply.status, Status::ok) << said(reply);
  ASSERT_EQ(reply.calls.size(), 1u);
  EXPECT_EQ(to_text(reply.calls[0].outputs[0].tensor()->type), "f16[65]");
  // What it says after its reply is nobody's answer.
  expect_answer(worker_);
  EXPECT_EQ(worker_.starts(), 2);
}

TEST(WireLies, AboutTensors) {
  const std::string tensor = "/calls/0/outputs/0/tensor";
  constexpr int64_t huge = int64_t{1} << 62;
  expect_lies({
      {tensor + "/sizes", {-65}, "a size is -65"},
      {tensor + "/sizes", {66}, "output 0 has 130 bytes, its type f16[66] needs 132"},
      {tensor + "/sizes", {huge}, "overflows"},
      {tensor + "/sizes", {65.0}, "no integer"},
      {tensor + "/sizes", {"65"}, "no integer"},
      {tensor + "/sizes", {uint64_t{1} << 63}, "a size is 9223372036854775808"},
      {tensor + "/sizes", 65, "'sizes' is no list"},
      {tensor + "/sizes", json::array({1, 65}), "2 sizes, 1 strides"},
      {tensor + "/sizes", std::vector<int>(65, 1), "65 dims"},
      {tensor + "/strides", {-1}, "a stride is -1"},
      {tensor + "/strides", {2}, "needs 258"},
      {tensor + "/strides", {huge}, "overflows"},
      {tensor + "/offset", 1, "needs 132"},
      {tensor + "/offset", -1, "offset is -1"},
      {tensor + "/offset", std::numeric_limits<int64_t>::max(), "overflows"},
      {tensor + "/storage", 1, "storage 1 of 1"},
      {tensor + "/storage", -1, "storage is -1"},
      {tensor + "/dtype", "f32", "needs 260"},
      {tensor + "/dtype", "f17", "no such dtype"},
      {tensor + "/dtype", 16, "no such dtype"},
      {"/calls/0/outputs/0", json{{"tensor", nullptr}}, "expected an object"},
      {"/calls/0/outputs/0", json::object(), "one member"},
      {"/calls/0/outputs/0", json{{"word", 1}}, "no value of kind 'word'"},
      {"/calls/0/outputs/0", json{{"real", "1.5"}}, "no hex float"},
      {"/calls/0/outputs/0", json{{"real", "0x-1p0"}}, "no hex float"},
      {"/calls/0/outputs/0", json{{"real", "0x1p0 "}}, "no hex float"},
      {"/calls/0/outputs/0", json{{"int", 1.5}}, "no value of kind 'int'"},
  });
  json expanded = true_reply();
  expanded["calls"][0]["outputs"][0]["tensor"] = {
      {"dtype", "f16"}, {"sizes", {1 << 20, 1 << 20}}, {"strides", {0, 0}}, {"offset", 0}, {"storage", 0}};
  expect_lie(expanded, memory_block(130), "1099511627776 elements");
  expanded["calls"][0]["outputs"][0]["tensor"]["sizes"] = {huge, 0, huge};
  expanded["calls"][0]["outputs"][0]["tensor"]["strides"] = {0, 0, 0};
  expect_lie(expanded, memory_block(130), "overflows");
}

TEST(WireLies, AboutStorages) {
  expect_lies({
      {"/storages/0/bytes", 131, "ends at 131 of a block of 130 bytes"},
      {"/storages/0/bytes", -1, "size is -1"},
      {"/storages/0/bytes", std::numeric_limits<int64_t>::max(), "ends at 9223372036854775807 of a block"},
      {"/storages/0/offset", 64, "ends at 194"},
      {"/storages/0/offset", std::numeric_limits<int64_t>::max(), "overflows"},
      {"/storages/1", json{{"offset", 0}, {"bytes", 130}}, "storage 1: at 0, inside of the one before"},
      {"/storages/0", 130, "expected an object"},
      {"/storages", json::object(), "'storages' is no list"},
  });
  const int64_t sparse = int64_t{1} << 40;
  json reply = true_reply();
  expect_lie(reply, FileDescriptor(), "ends at 130 of a block of 0 bytes");
  expect_lie(reply, FileDescriptor(open("/dev/zero", O_RDONLY | O_CLOEXEC)), "the block is no memory");
  reply["storages"][0]["bytes"] = sparse;
  expect_lie(reply, memory_block(sparse), "1099511627776 bytes of tensors, at most 1048576");
}

TEST(WireLies, AboutCalls) {
  json call = true_reply()["calls"][0];
  expect_lies({
      {"/calls", json::array(), "0 calls of 1"},
      {"/calls", json::array({call, call}), "2 calls of 1"},
      {"/calls/0/inputs_after", json::array(), "0 inputs after it, 1 before"},
      {"/calls/0/inputs_after/0", json{{"int", 1}}, "input 0 is of another kind"},
      {"/calls/0/attributes_after", json::array({json::array({"a", {{"int", 1}}})}), "attribute 0 is not the one"},
      {"/calls/0/attributes_after", {1}, "attribute 0 is not the one"},
      {"/calls/0", 1, "expected an object"},
      {"/status", "fine", "no such status 'fine'"},
      {"/status", nullptr, "without a status"},
      {"/attestation", 1, "attestation"},
  });
}

TEST_F(WorkerLies, AboutFrames) {
  expect_garbage({"header", "000000c000"}, "a frame of 3221225472 bytes");
  expect_garbage({"header", "0200000007"}, "7 descriptors");
  expect_garbage({"header", "0200000001"}, "promised 1 descriptors came with 0");
  expect_garbage({"descriptors", 2}, "more than one descriptor");
  expect_garbage({"descriptors", 20}, "more than one descriptor");
  expect_garbage({"text", ""}, "no JSON");
  expect_garbage({"text", "hello?\n"}, "no JSON: hello?");
  expect_garbage({"text", "[1]"}, "no object");
  expect_garbage({"text", "{}"}, "another request");
  expect_garbage({"deep", 1'000'000}, "levels");
  expect_garbage({"wide", 3'000'000}, "values");
  expect_answer(worker_);
}

TEST_F(WorkerLies, AboutReplies) {
  json sent = true_reply();
  sent["id"] = 77;
  expect_garbage({"reply", {sent, 130}}, "another request");
  sent["id"] = "1";
  expect_garbage({"reply", {sent, 130}}, "another request");
  sent = true_reply();
  sent["phase"] = "lunch";
  expect_garbage({"reply", {sent, 130}}, "no such phase 'lunch'");
  expect_garbage({"reply", {true_reply(), 129}}, "ends at 130 of a block of 129 bytes");
  expect_garbage({"pipe", true_reply()}, "the block is no memory");
  expect_answer(worker_);
}

// It goes on for longer than one waits for an end.
TEST_F(WorkerLies, ByHangingUp) {
  WorkerCommand command = fake_command();
  command.deadline_ms = 2'000;
  Worker worker(command);
  const RunReply reply = worker.run(fake_request({{"close", 3}}));
  EXPECT_EQ(reply.status, Status::garbage) << said(reply);
  EXPECT_EQ(reply.text, "it closed its end without a reply");
  expect_answer(worker);
}

TEST_F(WorkerLies, InItsGreeting) {
  for (const char* text : {"{}", "{\"hello\":2}", "hello", "{\"hello\":\"1\"}"}) {
    Worker worker(fake_command(json::array({json::array({"text", text})}).dump()));
    const RunReply reply = worker.run(fake_request({}));
    EXPECT_EQ(reply.status, Status::garbage) << text << said(reply);
    EXPECT_EQ(reply.phase, "start");
  }
}

}  // namespace
}  // namespace faultline
