// A compiler under test in a process of its own, started when it is first asked and again after it died, hung, lied or
// grew. It is never trusted: every size it names is checked before a byte is read.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/backends/worker/message.h"

namespace faultline {

// How to start it and how long to put up with it. Times are wall clock, in milliseconds: a limit, never a result.
struct WorkerCommand {
  std::vector<std::string> command;                              // program and arguments
  std::vector<std::pair<std::string, std::string>> environment;  // added to a small clean one
  int64_t start_ms = 120'000;
  int64_t deadline_ms = 120'000;            // of one request
  int64_t memory_bytes = int64_t{8} << 30;  // address space where that can be limited, resident size anyway
  int requests_max = 200;                   // then it is replaced
};

class Worker {
 public:
  explicit Worker(WorkerCommand command);
  ~Worker();  // ends the whole process group and removes its private folder
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // One request at a time. Never throws for what the process does.
  RunReply run(const RunRequest& request);
  // Wall time that requests spent in each phase since the start, by phase, in nanoseconds: for benchmarks and progress.
  const std::map<std::string, int64_t>& phase_nanoseconds() const;
  int starts() const;  // how many processes there were

 private:
  class Process;
  WorkerCommand command_;
  std::unique_ptr<Process> process_;
};

}  // namespace faultline
