// One evaluator for kernels, shared by the executors of fuse, layout, tile, schedule and by the device: it walks a box of the
// iteration space and works on vectors of lanes. Where elements lie is the caller's affair (LaneMemory), so each layer's
// artefact decides what is read and written.
//
// Order: parallel dims outside in order, then reduction dims in order, lanes innermost; sums are taken in that order.
#pragma once

#include <vector>

#include "runtime/layers/fuse/kernel.h"

namespace faultline {

inline constexpr int kLanesMax = 128;

template <class D>
class LaneMemory {
 public:
  using Value = typename D::Value;
  virtual ~LaneMemory() = default;

  // out[k] = element of load node `node` at the iteration point `index` with index[lane_dim] + k, k in [0, lanes).
  // A load without a fill is not checked against the buffer's sizes: memory answers with what lies at that address.
  // indirect[c] is, for an access with an indirect coordinate c, the lanes' integer values (null elsewhere).
  virtual void load(int node, const int64_t* index, int lane_dim, int lanes, const Value* const* indirect,
                    const Value* fill, Value* out) = 0;
  // Writes store number `store` at the same points.
  virtual void store(int store, const int64_t* index, int lane_dim, int lanes, const Value* values) = 0;
};

// The partial results of one kernel's reduction between boxes that share their parallel part: one accumulator a parallel
// point of the box (row-major), and the index of the extreme value for argmax and argmin.
template <class D>
struct AccumulatorState {
  std::vector<typename D::Accumulator> accumulators;
  std::vector<typename D::Value> extremes;
  std::vector<int64_t> extreme_indices;  // -1: none yet
};

struct EvaluationOptions {
  int lane_dim = 0;
  // Points with index[d] >= valid[d] are masked: skipped, which is neutral to a reduction and stores nothing. Empty:
  // kernel.extents. A machine program carries these numbers as its masks.
  std::vector<int64_t> valid;
  bool first = true;  // clear the accumulators before
  bool last = true;   // run the epilogue and store after
};

// `state` may be null when options.first and options.last hold.
template <class D>
void evaluate(const Kernel& kernel, const Box& box, const EvaluationOptions& options, D& domain, LaneMemory<D>& memory,
              AccumulatorState<D>* state);

}  // namespace faultline
