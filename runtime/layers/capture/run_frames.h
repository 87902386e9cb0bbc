// The host side of a captured program: runs calls frame by frame in any element domain, tracing where no entry fits.
//
// Host code carries out scalar arithmetic and branches between frames; everything on tensors is a segment, given to a
// SegmentRunner, which is how one rung of the ladder executes what its layer left.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "runtime/core/gate.h"
#include "runtime/layers/capture/capture.h"
#include "runtime/layers/capture/host_tensor.h"

namespace faultline {

template <class D>
class SegmentRunner {
 public:
  virtual ~SegmentRunner() = default;
  // Which call of the program the segments that follow belong to, from 0.
  virtual void begin_call(int) {}
  // `entry` is the index in Capture::entries. Writes to inputs go through their shared storage. Returns one tensor a
  // segment output; outputs that alias an input share its storage.
  virtual std::vector<HostTensor<D>> run(int entry, const Segment& segment, std::span<const HostTensor<D>> inputs) = 0;
  // A segment of a frame that runs eagerly: nothing is to be compiled for it. Runners that compile say how.
  virtual std::vector<HostTensor<D>> run_eager(int entry, const Segment& segment,
                                               std::span<const HostTensor<D>> inputs) {
    return run(entry, segment, inputs);
  }
};

// What a run decided, so that a run in another domain can take the same decisions.
struct RunLog {
  std::vector<int> entries;
  std::vector<Scalar> items;
};

template <class D>
struct HostState {
  std::map<std::string, HostTensor<D>> tensors;  // attributes under "self.<name>"
  std::map<std::string, Scalar> scalars;
};

template <class D>
struct CallResult {
  std::vector<std::pair<std::string, std::variant<HostTensor<D>, Scalar>>> returned;
};

// Entries that the cache holds for one position, as Dynamo's recompile_limit. A call that finds all of them there and
// none that fits runs eagerly from this position to its return.
inline constexpr int kRecompileLimit = 8;

template <class D>
struct FrameOptions {
  Gate* gate = &Gate::never();
  RunLog* record = nullptr;
  const RunLog* replay = nullptr;                         // take these decisions
  std::function<Scalar(const HostTensor<D>&)> read_item;  // needed without `replay`
};

// One run of a program: several calls on one cache and one state.
template <class D>
class FrameRun {
 public:
  FrameRun(const Program& program, Capture& capture, SegmentRunner<D>& runner, FrameOptions<D> options)
      : program_(program), capture_(capture), runner_(runner), options_(std::move(options)) {}

  HostState<D>& state() { return state_; }  // set attributes before the first call; parameters are set by call()
  // Names that are not parameters or attributes are dropped between calls.
  CallResult<D> call(std::map<std::string, HostTensor<D>> tensors, std::map<std::string, Scalar> scalars);

 private:
  bool host_step(Position& position);
  int find_entry(const Position& position, bool eager);
  void run_entry(const CaptureEntry& entry, int index);
  Scalar item(const std::string& name);
  FrameState view() const;

  const Program& program_;
  Capture& capture_;
  SegmentRunner<D>& runner_;
  FrameOptions<D> options_;
  HostState<D> state_;
  size_t entries_used_ = 0, items_used_ = 0;
};

}  // namespace faultline
