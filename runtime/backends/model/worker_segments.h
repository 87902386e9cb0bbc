// A program on a compiler that takes graphs, not programs: the project captures it, and each segment is decomposed,
// written down in the compiler's form and run in its worker. So what is under test begins below `decompose`.
#pragma once

#include <map>
#include <stdexcept>

#include "runtime/backends/external/backend.h"
#include "runtime/backends/worker/message.h"
#include "runtime/layers/capture/run_frames.h"
#include "runtime/numerics/native_domain.h"

namespace faultline {

// A segment had no answer, or another than its results; `rejected` is thrown as Rejected instead.
class WorkerStopped : public std::runtime_error {
 public:
  explicit WorkerStopped(RunReply reply) : std::runtime_error(reply.text), reply_(std::move(reply)) {}
  const RunReply& reply() const { return reply_; }

 private:
  RunReply reply_;
};

class WorkerSegmentRunner final : public SegmentRunner<NativeDomain> {
 public:
  WorkerSegmentRunner(const NamedBackend& backend, nlohmann::json settings)
      : backend_(backend), settings_(std::move(settings)) {}

  // A segment that is not answered in time is asked once more: a machine may be busy. Throws what decompose and the
  // emitters throw, and WorkerStopped.
  std::vector<HostTensor<NativeDomain>> run(int entry, const Segment& segment,
                                            std::span<const HostTensor<NativeDomain>> inputs) override;

 private:
  struct Compiled {
    PrimGraph prims;
    std::string program;
  };
  const Compiled& compiled(int entry, const Segment& segment);

  NamedBackend backend_;
  nlohmann::json settings_;
  std::map<int, Compiled> compiled_;  // by entry
};

}  // namespace faultline
