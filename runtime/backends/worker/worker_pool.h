// The workers of this process, by backend: taken for one request and given back. As many of one kind are started as are
// busy at a time.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/backends/external/backend.h"
#include "runtime/backends/worker/worker.h"

namespace faultline {

class WorkerPool {
 public:
  // Runs on an idle worker of this backend, or on a new one. Thread-safe.
  RunReply run(const NamedBackend& backend, const RunRequest& request);
  // Ends those that are idle.
  void clear();

 private:
  std::mutex mutex_;
  std::map<std::string, std::vector<std::unique_ptr<Worker>>> idle_;
};

// That of the process; its workers end with it.
WorkerPool& worker_pool();

// The command that starts this backend's worker, or why there is none.
struct WorkerPlace {
  WorkerCommand command;
  std::string unavailable;  // "xla@0.10.2 is not set up: ./faultline setup xla@0.10.2"
};
WorkerPlace place_of(const NamedBackend& backend);

}  // namespace faultline
