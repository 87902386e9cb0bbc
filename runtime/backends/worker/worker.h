// A compiler under test in a process of its own, started when it is first asked and again after it died, hung, lied or
// grew. It is never trusted: every size it names is checked before a byte is read.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/backends/worker/message.h"

namespace faultline {

// How to start it and how long to put up with it. Times are wall clock, in milliseconds: a limit, never a result.
struct WorkerCommand {
  std::vector<std::string> command;                              // program and arguments
  std::vector<std::pair<std::string, std::string>> environment;  // added to a small clean one
  int64_t start_ms = 120'000;
  int64_t deadline_ms = 120'000;            // of one request
  int64_t memory_bytes = int64_t{8} << 30;  // resident size, and address space where that can be limited
  // Accelerators and sanitizers reserve far more addresses than they use: then the resident size alone counts.
  bool limits_address_space = true;
  int64_t reply_bytes_max = int64_t{2} << 30;  // of all tensors in one reply
  int requests_max = 200;                      // then it is replaced
};

class PhaseTimer;
class Process;
struct FrameFailure;

class Worker {
 public:
  explicit Worker(WorkerCommand command);
  ~Worker();  // ends the whole process group and removes its private folder
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // One request at a time. Never throws for what the process does.
  RunReply run(const RunRequest& request);
  // Wall time that requests spent in each phase since the start, by phase, in nanoseconds: for benchmarks and progress.
  const std::map<std::string, int64_t>& phase_nanoseconds() const { return phase_nanoseconds_; }
  int starts() const { return starts_; }  // how many processes there were

 private:
  bool must_be_replaced() const;
  bool start(RunReply& reply);
  void converse(const RunRequest& request, PhaseTimer& timer, RunReply& reply);
  void give_up(const FrameFailure& failure, int64_t limit_ms, RunReply& reply);
  std::vector<std::pair<std::string, std::string>> environment() const;

  WorkerCommand command_;
  // Private: home/ and cache/ last as long as this object, unless a process was ended while it wrote there; tmp/ as
  // long as a process. Empty before the first start.
  std::string folder_;
  std::unique_ptr<Process> process_;
  std::string unavailable_;  // why it never will start
  nlohmann::json attestation_;
  std::map<std::string, int64_t> phase_nanoseconds_;
  int64_t resident_at_start_ = 0;
  int64_t id_ = 0;
  int requests_ = 0;  // of this process
  int starts_ = 0;
};

}  // namespace faultline
