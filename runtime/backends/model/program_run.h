// One run of a whole program on one rung in one domain: calls, state, and every tensor that leaves, in a fixed order
// (per call: outputs in the order of `return`, parameters after the call, attributes after the call by name).
#pragma once

#include <functional>
#include <memory>

#include "runtime/backends/model/case_inputs.h"
#include "runtime/core/evidence.h"
#include "runtime/layers/capture/run_frames.h"

namespace faultline {

template <class D>
struct LeavingTensor {
  std::string name;
  TensorRole role = TensorRole::output;
  int call = 0;
  TensorType type;
  std::string alias;                      // "input x", "attribute w", "output y", or empty
  std::vector<typename D::Value> values;  // row-major logical order
  std::shared_ptr<const std::vector<IndexChoice>> choices{};  // of the exact domain: what open integers may be
};

template <class D>
struct ProgramOutcome {
  std::vector<LeavingTensor<D>> tensors;
  RunLog log;
};

// What `.item()` gives in a domain whose values are no single numbers.
template <class D>
using ItemReader = std::function<Scalar(const HostTensor<D>&)>;

// Runs every call. In other domains than the native one either `replay`, decisions to take, or `read_item` is needed.
// Throws what the runner throws.
template <class D>
ProgramOutcome<D> run_program(const Program& program, const CaseInputs& inputs, Capture& capture,
                              SegmentRunner<D>& runner, D& domain, Gate& gate, const RunLog* replay = nullptr,
                              ItemReader<D> read_item = {});

}  // namespace faultline
