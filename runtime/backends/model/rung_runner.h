// One rung of a modelled target's ladder: executes segments by the reference executor of what one layer left.
//
//   decompose  the prim graph
//   fuse       kernels on dense arrays
//   layout     kernels through packed bytes
//   tile       tiles with scratch memory
//   schedule   the machine program, in order
//   transfer   the device, with reference arithmetic
//   numerics   the device, with the target's own arithmetic
//
// The rungs `eager` and `capture` run torch instead (eager_segments.h).
#pragma once

#include <stdexcept>

#include "runtime/backends/model/arithmetic_check.h"
#include "runtime/backends/model/model_stack.h"
#include "runtime/device/device.h"
#include "runtime/layers/capture/run_frames.h"
#include "runtime/layers/decompose/run_prims.h"
#include "runtime/layers/layout/run_layout.h"

namespace faultline {

// Native results of a rung's segments in the order in which they ran.
using RecordedPrims = std::vector<PrimResult<NativeDomain>>;

template <class D>
struct RungOptions {
  Layer rung = Layer::numerics;
  int first_poison = 0;                   // number of the first poison pattern
  Device<D>* device = nullptr;            // needed on `transfer` and `numerics`
  RecordedPrims* record = nullptr;        // native, on `decompose`: what every segment computed
  const RecordedPrims* beside = nullptr;  // fingerprints, on `decompose`: the native run to take integers from
  ArithmeticCheck* check = nullptr;       // native, on `decompose`: is shown every step
};

// What the runner saw besides values.
struct RungReport {
  std::vector<DeviceReport> device;  // one a job
  std::vector<Finding> transfers;    // broken promises of the jobs' traces
};

// The device reported an error or hung.
class DeviceStopped : public std::runtime_error {
 public:
  explicit DeviceStopped(const DeviceReport& report);
  bool hung() const { return hung_; }

 private:
  bool hung_;
};

template <class D>
class RungRunner final : public SegmentRunner<D> {
 public:
  // Keeps references to stack and domain. `domain` computes by the arithmetic of the rung: the target's own on
  // `numerics`, the ideal one elsewhere.
  RungRunner(ModelStack& stack, D& domain, RungOptions<D> options)
      : stack_(stack), domain_(domain), options_(options) {}

  void begin_call(int call) override { call_ = call; }
  // Throws DeviceStopped, and what the stack throws.
  std::vector<HostTensor<D>> run(int entry, const Segment& segment, std::span<const HostTensor<D>> inputs) override;
  // Prim by prim, whatever the rung.
  std::vector<HostTensor<D>> run_eager(int entry, const Segment& segment,
                                       std::span<const HostTensor<D>> inputs) override;

  const RungReport& report() const { return report_; }

 private:
  struct Values {
    std::vector<std::vector<typename D::Value>> outputs, write_backs;
  };
  // From host tensors through the storage map of the way in, `execute`, and the map of the way out.
  template <class Execute>
  std::vector<HostTensor<D>> pass_through(const PrimGraph& prims, std::span<const HostTensor<D>> inputs,
                                          Execute execute);
  // Through the storage map, one way or the other; a check is shown both sides.
  using ShowCopy = void (ArithmeticCheck::*)(const std::string& name, const TensorType& type,
                                             const ArithmeticCheck::Values& before,
                                             const ArithmeticCheck::Values& after);
  template <class Convert>
  void bring(const std::string& name, const TensorType& type, std::vector<typename D::Value>& values, Convert convert,
             ShowCopy show);
  Values execute(const CompiledSegment& compiled, const std::vector<std::vector<typename D::Value>>& inputs);
  Values run_decompose(const CompiledSegment& compiled, const std::vector<std::vector<typename D::Value>>& inputs);
  MemoryRun<D> run_device(const CompiledSegment& compiled, const std::vector<std::vector<typename D::Value>>& inputs);
  Values run_buffers(const CompiledSegment& compiled, const std::vector<std::vector<typename D::Value>>& inputs);

  ModelStack& stack_;
  D& domain_;
  RungOptions<D> options_;
  RungReport report_;
  int call_ = 0;
  size_t beside_used_ = 0;
};

// Builds the tensors that leave a graph from the values of its outputs and write-backs, and carries the write-backs
// out. Outputs that are views share their input's storage.
template <class D>
std::vector<HostTensor<D>> leave_graph(const PrimGraph& graph, std::span<const HostTensor<D>> inputs,
                                       const std::vector<std::vector<typename D::Value>>& outputs,
                                       const std::vector<std::vector<typename D::Value>>& write_backs);

}  // namespace faultline
