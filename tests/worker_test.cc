// The supervisor against a process that answers, dies, hangs, grows and lies on request (tests/fake_worker.py). What a
// lie is called is asserted by the words that name the fault; every one must leave a worker that answers the next
// request.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "tests/fake_worker.h"

namespace faultline {
namespace {

using nlohmann::json;
using Status = RunReply::Status;

// The temporary folder is the test's own, so that nothing else comes and goes in it.
class WorkerProcess : public FakeWorkerTest {};

TEST_F(WorkerProcess, GivesBackEveryKindOfValue) {
  Worker worker(fake_command());
  const Tensor x = tensor_of<uint16_t>(DType::f16, {4}, {0x3c00, 0x7e01, 0x8000, 0x0001});
  const Tensor view = {{DType::f16, {2, 2}, {1, 2}, 0}, x.storage};
  const Tensor none = make_tensor(contiguous_type(DType::i64, {0, 3}));
  constexpr double inf = std::numeric_limits<double>::infinity();
  RunRequest request = fake_request({{"echo", nullptr}});
  request.program = std::string("a\0\xff\x80z", 5);
  request.attributes = {{"layers.0", {view}}, {"on", {false}}};
  request.calls = {
      {{x}, {view}, {none}},
      {{std::numeric_limits<int64_t>::min()}, {std::numeric_limits<int64_t>::max()}, {true}, {NoneArgument{}}},
      {{-0.0}, {0.1}, {5e-324}, {1.7976931348623157e308}, {inf}, {-inf}},
      {{ValueList{{x}, {int64_t{2}}, {ValueList{}}}}}};
  const RunReply reply = worker.run(request);
  ASSERT_EQ(reply.status, Status::ok) << said(reply);
  ASSERT_EQ(reply.calls.size(), 4u);
  EXPECT_EQ(reply.attestation.at("program"), "6100ff807a");
  EXPECT_EQ(reply.attestation.at("entry"), "f");
  EXPECT_EQ(reply.attestation.at("fake"), 1);  // of the greeting

  const ValueList& tensors = reply.calls[0].outputs;
  EXPECT_EQ(tensors[0].tensor()->type, x.type);
  EXPECT_EQ(tensors[1].tensor()->type, view.type);
  EXPECT_EQ(tensors[2].tensor()->type, none.type);
  EXPECT_EQ(*tensors[0].tensor()->storage, *x.storage);
  EXPECT_EQ(tensors[0].tensor()->storage, tensors[1].tensor()->storage);
  EXPECT_EQ(tensors[0].tensor()->storage, reply.calls[0].attributes_after[0].second.tensor()->storage);
  EXPECT_NE(tensors[0].tensor()->storage, reply.calls[3].attributes_after[0].second.tensor()->storage);
  EXPECT_NE(tensors[0].tensor()->storage, x.storage);
  EXPECT_FALSE(std::get<bool>(reply.calls[0].attributes_after[1].second.value));
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(reply.calls[1].outputs[i].value.index(), request.calls[1][i].value.index()) << i;
  EXPECT_EQ(std::get<int64_t>(reply.calls[1].outputs[0].value), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(std::get<int64_t>(reply.calls[1].outputs[1].value), std::numeric_limits<int64_t>::max());
  for (size_t i = 0; i < request.calls[2].size(); ++i) {
    const double sent = std::get<double>(request.calls[2][i].value);
    EXPECT_EQ(std::get<double>(reply.calls[2].outputs[i].value), sent);
    EXPECT_EQ(std::signbit(std::get<double>(reply.calls[2].inputs_after[i].value)), std::signbit(sent));
  }
  EXPECT_EQ(std::get<int64_t>(std::get<ValueList>(reply.calls[3].outputs[0].value)[1].value), 2);
}

TEST_F(WorkerProcess, SaysHowItEndedAndInWhichPhase) {
  Worker worker(fake_command());
  int starts = 0;
  for (const char* phase : {"parse", "compile", "execute", "fetch"}) {
    for (const int number : {SIGSEGV, SIGABRT, SIGFPE}) {
      const RunReply reply = worker.run(fake_request({{"phase", phase}, {"print", 0}, {"signal", number}}));
      EXPECT_EQ(reply.status, Status::crashed) << said(reply);
      EXPECT_EQ(reply.phase, phase);
      EXPECT_EQ(reply.text, number == SIGSEGV ? "SIGSEGV" : number == SIGABRT ? "SIGABRT" : "SIGFPE");
      EXPECT_NE(reply.stderr_tail.find("last words\n"), std::string::npos) << reply.stderr_tail;
      EXPECT_EQ(worker.starts(), ++starts);
    }
  }
  const RunReply left = worker.run(fake_request({{"phase", "compile"}, {"exit", 3}}));
  EXPECT_EQ(left.status, Status::crashed);
  EXPECT_EQ(left.text, "exit code 3");
  const RunReply taken = worker.run(fake_request({{"signal", SIGKILL}}));
  EXPECT_EQ(taken.status, Status::out_of_memory) << said(taken);
  EXPECT_EQ(taken.phase, "start");
  expect_answer(worker);
  EXPECT_GT(worker.phase_nanoseconds().at("start"), 0);
  EXPECT_GT(worker.phase_nanoseconds().at("compile"), 0);
}

TEST_F(WorkerProcess, HasADeadline) {
  WorkerCommand command = fake_command();
  command.deadline_ms = 300;
  Worker worker(command);
  const RunReply hung = worker.run(fake_request({{"phase", "compile"}, {"sleep", 100'000}}));
  EXPECT_EQ(hung.status, Status::timed_out) << said(hung);
  EXPECT_EQ(hung.phase, "compile");
  EXPECT_EQ(hung.text, "no answer within 300 ms");
  EXPECT_NE(hung.stderr_tail.find("in take_steps"), std::string::npos) << hung.stderr_tail;  // where it was
  const RunReply deaf = worker.run(fake_request({{"ignore", SIGTERM}, {"sleep", 100'000}}));
  EXPECT_EQ(deaf.status, Status::timed_out);
  const RunReply chatty = worker.run(fake_request({{"print", 1'000'000}}));
  EXPECT_EQ(chatty.status, Status::timed_out) << said(chatty);
  expect_answer(worker);
  EXPECT_EQ(worker.starts(), 4);
}

// One who reads nothing: sending must end too.
TEST_F(WorkerProcess, HasADeadlineForTakingARequest) {
  WorkerCommand command = fake_command(R"([["text", "{\"hello\":1,\"attestation\":{}}"], ["sleep", 100000]])");
  command.deadline_ms = 200;
  Worker worker(command);
  RunRequest request = fake_request({});
  request.program = std::string(size_t{4} << 20, 'x');
  EXPECT_EQ(worker.run(request).status, Status::timed_out);
}

// Nor may its end meanwhile raise SIGPIPE here.
TEST_F(WorkerProcess, NoticesAnEndWhileItSends) {
  Worker worker(fake_command(R"([["text", "{\"hello\":1,\"attestation\":{}}"], ["sleep", 100], ["exit", 4]])"));
  RunRequest request = fake_request({});
  request.program = std::string(size_t{4} << 20, 'x');
  const RunReply reply = worker.run(request);
  EXPECT_EQ(reply.status, Status::crashed) << said(reply);
  EXPECT_EQ(reply.text, "exit code 4");
}

TEST_F(WorkerProcess, StartsSlowlyOrNotAtAll) {
  WorkerCommand slow = fake_command(R"([["sleep", 1000]])");
  Worker patient(slow);
  expect_answer(patient);
  slow.start_ms = 300;
  Worker hasty(slow);
  const RunReply late = hasty.run(fake_request({}));
  EXPECT_EQ(late.status, Status::timed_out);
  EXPECT_EQ(late.phase, "start");

  Worker broken(fake_command(R"([["print", 0], ["exit", 1]])"));
  const RunReply ended = broken.run(fake_request({}));
  EXPECT_EQ(ended.status, Status::crashed);
  EXPECT_EQ(ended.phase, "start");
  EXPECT_EQ(ended.text, "exit code 1");
  EXPECT_NE(ended.stderr_tail.find("last words"), std::string::npos);

  WorkerCommand missing = fake_command();
  missing.command[0] = "no_such_program_here";
  Worker absent(missing);
  for (int i = 0; i < 2; ++i) {
    const RunReply reply = absent.run(fake_request({}));
    EXPECT_EQ(reply.status, Status::unavailable);
    EXPECT_EQ(reply.text, "cannot run 'no_such_program_here': No such file or directory");
  }
  EXPECT_EQ(absent.starts(), 1);
  Worker without(fake_command(R"([["text", "{\"hello\":1,\"unavailable\":\"pip install it\"}"], ["sleep", 100000]])"));
  const RunReply refused = without.run(fake_request({}));
  EXPECT_EQ(refused.status, Status::unavailable);
  EXPECT_EQ(refused.text, "pip install it");
}

TEST_F(WorkerProcess, IsHeldToItsMemory) {
  WorkerCommand command = fake_command();
  command.memory_bytes = int64_t{160} << 20;
  {
    Worker limited(command);  // the interpreter gets no more and says so
    const RunReply reply = limited.run(fake_request({{"phase", "execute"}, {"allocate", 400}}));
    EXPECT_EQ(reply.status, Status::out_of_memory) << said(reply);
    EXPECT_EQ(reply.text, "MemoryError");
    expect_answer(limited);
    EXPECT_EQ(limited.starts(), 2);
  }
  command.limits_address_space = false;
  Worker watched(command);
  const RunReply reply = watched.run(fake_request({{"phase", "execute"}, {"allocate", 400}, {"sleep", 100'000}}));
  EXPECT_EQ(reply.status, Status::out_of_memory) << said(reply);
  EXPECT_EQ(reply.phase, "execute");
  EXPECT_NE(reply.text.find("resident"), std::string::npos) << reply.text;
  expect_answer(watched);
}

TEST_F(WorkerProcess, IsReplacedInTime) {
  WorkerCommand command = fake_command();
  command.requests_max = 2;
  Worker counted(command);
  for (int i = 0; i < 5; ++i) expect_answer(counted);
  EXPECT_EQ(counted.starts(), 3);

  command = fake_command();
  command.memory_bytes = int64_t{200} << 20;
  Worker grown(command);
  expect_answer(grown);
  EXPECT_EQ(grown.run(fake_request({{"allocate", 110}, {"echo", nullptr}})).status, Status::ok);
  EXPECT_EQ(grown.starts(), 1);
  expect_answer(grown);
  EXPECT_EQ(grown.starts(), 2);
}

TEST_F(WorkerProcess, SaysWhatWasRaisedOrRefused) {
  Worker worker(fake_command());
  const RunReply raised = worker.run(fake_request({{"echo", nullptr}, {"raise", "value"}}));
  EXPECT_EQ(raised.status, Status::raised);
  EXPECT_EQ(raised.text, "ValueError: first");
  EXPECT_EQ(raised.calls.size(), 1u);
  EXPECT_NE(raised.stderr_tail.find("in raise_named"), std::string::npos);
  const RunReply refused = worker.run(fake_request({{"raise", "rejected"}}));
  EXPECT_EQ(refused.status, Status::rejected);
  EXPECT_EQ(refused.text, "no such operator");
  EXPECT_EQ(refused.stderr_tail, "");
  EXPECT_EQ(worker.run(fake_request({{"raise", "exit"}})).text, "SystemExit: 5");
  EXPECT_EQ(worker.starts(), 1);
}

// 30 MB on stdout, with bytes that are no text.
TEST_F(WorkerProcess, MayPrint) {
  Worker worker(fake_command());
  const RunReply reply = worker.run(fake_request({{"print", 1000}, {"echo", nullptr}}));
  EXPECT_EQ(reply.status, Status::ok) << said(reply);
  EXPECT_LE(reply.stderr_tail.size(), 4096u);
  EXPECT_TRUE(reply.stderr_tail.ends_with("\n??many words without an end \nlast words\n")) << reply.stderr_tail;
  EXPECT_EQ(worker.run(fake_request({{"echo", nullptr}})).stderr_tail, "");
}

TEST_F(WorkerProcess, LeavesNothingBehind) {
  const size_t descriptors = open_descriptors();
  int child = 0;
  {
    Worker worker(fake_command());
    const RunReply reply = worker.run(fake_request({{"child", nullptr}, {"environment", nullptr}, {"echo", nullptr}}));
    ASSERT_EQ(reply.status, Status::ok) << said(reply);
    child = reply.attestation.at("child");
    EXPECT_TRUE(is_running(child));
    EXPECT_EQ(entries_of(temporary()).size(), 1u);
    EXPECT_TRUE(reply.attestation.at("TMPDIR").get<std::string>().starts_with(temporary()));
    EXPECT_TRUE(reply.attestation.at("HOME").get<std::string>().starts_with(temporary()));
    EXPECT_FALSE(reply.attestation.contains("FAULTLINE_TEST_SECRET"));
    worker.run(fake_request({{"exit", 3}}));
    EXPECT_TRUE(ends_soon(child));
    for (const char* step : {"pipe", "descriptors"})
      EXPECT_EQ(worker.run(fake_request({{step, step[0] == 'p' ? true_reply() : json(3)}})).status, Status::garbage);
    expect_answer(worker);
  }
  EXPECT_EQ(open_descriptors(), descriptors);
  EXPECT_EQ(entries_of(temporary()).size(), 0u);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);  // not even one to be reaped
}

TEST_F(WorkerProcess, OutlivesTheThreadThatStartedIt) {
  Worker worker(fake_command());
  std::thread([&] { expect_answer(worker); }).join();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  expect_answer(worker);
  EXPECT_EQ(worker.starts(), 1);
}

TEST_F(WorkerProcess, DiesWithItsSupervisorAndIsInASessionOfItsOwn) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t supervisor = fork();
  if (supervisor == 0) {
    Worker worker(fake_command());
    const RunReply reply = worker.run(fake_request({{"process", nullptr}, {"echo", nullptr}}));
    int ids[2] = {-1, -1};
    if (reply.status == Status::ok) ids[0] = reply.attestation["process"], ids[1] = reply.attestation["session"];
    if (write(ends[1], ids, sizeof ids) < 0) _exit(1);
    worker.run(fake_request({{"sleep", 100'000}}));  // where it does not see that nobody is left to answer
    _exit(1);
  }
  int ids[2] = {0, 0};
  EXPECT_EQ(read(ends[0], ids, sizeof ids), static_cast<ssize_t>(sizeof ids));
  close(ends[0]);
  close(ends[1]);
  EXPECT_GT(ids[0], 0);
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_TRUE(is_running(ids[0]));
  kill(supervisor, SIGKILL);
  waitpid(supervisor, nullptr, 0);
  EXPECT_TRUE(ends_soon(ids[0]));
}

}  // namespace
}  // namespace faultline
