// Starts tests/fake_worker.py and looks at what it leaves behind.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/worker_trial.h"

namespace faultline {

// `greeting`: steps that it takes before it greets; they may end it.
inline WorkerCommand fake_command(const std::string& greeting = {}) {
  WorkerCommand command;
  command.command = {project_python(), "-S", FAULTLINE_SOURCE_DIR "/tests/fake_worker.py"};
  if (!greeting.empty()) command.command.push_back(greeting);
  command.deadline_ms = command.start_ms = 60'000;
  return command;
}

// By name, with one argument: {{"phase", "compile"}, {"exit", 3}}.
using Step = std::pair<std::string, nlohmann::json>;

// One call with a tensor f16[65] that takes these steps.
inline RunRequest fake_request(const std::vector<Step>& steps) {
  RunRequest request;
  request.form = "steps";
  request.entry = "f";
  request.settings = {{"steps", steps}};
  request.calls = {{{make_tensor(contiguous_type(DType::f16, {65}))}}};
  return request;
}

inline void expect_answer(Worker& worker) {
  const RunReply reply = worker.run(fake_request({{"echo", nullptr}}));
  EXPECT_EQ(reply.status, RunReply::Status::ok) << said(reply);
}

// The JSON of a true reply to fake_request with a block of 130 bytes, to be made a lie.
inline nlohmann::json true_reply() {
  const nlohmann::json tensor = {
      {"tensor", {{"dtype", "f16"}, {"sizes", {65}}, {"strides", {1}}, {"offset", 0}, {"storage", 0}}}};
  nlohmann::json call = {{"outputs", nlohmann::json::array({tensor})},
                         {"inputs_after", nlohmann::json::array({tensor})},
                         {"attributes_after", nlohmann::json::array()}};
  return {{"status", "ok"},
          {"calls", nlohmann::json::array({call})},
          {"storages", nlohmann::json::array({{{"offset", 0}, {"bytes", 130}}})},
          {"attestation", nlohmann::json::object()}};
}

inline std::vector<std::string> entries_of(const std::string& folder) {
  std::vector<std::string> entries;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) entries.push_back(entry.path().filename());
  return entries;
}
inline size_t open_descriptors() { return entries_of("/proc/self/fd").size(); }

// A process that has ended may stay as a name until somebody reaps it.
inline bool is_running(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const size_t end = text.rfind(')');
  return end != std::string::npos && end + 2 < text.size() && text[end + 2] != 'Z' && text[end + 2] != 'X';
}
inline bool ends_soon(int process) {
  for (int i = 0; i < 1000 && is_running(process); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return !is_running(process);
}

// The temporary folder is the test's own, so that nothing else comes and goes in it.
class FakeWorkerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = std::filesystem::temp_directory_path().string() + "/faultline_test_XXXXXX";
    ASSERT_TRUE(mkdtemp(pattern.data()));
    if (const char* before = getenv("TMPDIR")) before_ = before;
    temporary_ = pattern;
    setenv("TMPDIR", temporary_.c_str(), 1);
    setenv("FAULTLINE_TEST_SECRET", "1", 1);
  }
  void TearDown() override {
    before_.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", before_.c_str(), 1);
    std::filesystem::remove_all(temporary_);
  }
  const std::string& temporary() const { return temporary_; }

 private:
  std::string temporary_, before_;
};

}  // namespace faultline
