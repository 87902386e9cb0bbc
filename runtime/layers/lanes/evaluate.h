// One evaluator for kernels, shared by the executors of fuse, layout, tile, schedule and by the device: it walks a box
// of the iteration space and works on vectors of lanes. Where elements lie is the caller's affair (LaneMemory), so each
// layer's artefact decides what is read and written.
//
// Order: parallel dims outside in order, then reduction dims in order; the lane dim advances by whole vectors in its
// place, its lanes innermost; sums are taken in that order. What does not change along the reduction dims is evaluated
// before them.
//
// The template's body is in evaluate_body.h, instantiated for the three element domains in evaluate.cc; a test with a
// domain of its own includes the body.
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

  // out[k] = element of load node `node` at the iteration point `index` with index[lane_dim] + k, k in [0, lanes). A
  // load that does not change along lane_dim is asked once, with lanes = 1. A load without a fill is not checked
  // against the buffer's sizes: memory answers with what lies at that address. indirect[c] is, for coordinate c with an
  // indirect node, the lanes' integer values; null elsewhere (`indirect` itself is null for an access without such a
  // coordinate). fill[k] is the fill of lane k, null for a load without one.
  virtual void load(int node, const int64_t* index, int lane_dim, int lanes, const Value* const* indirect,
                    const Value* fill, Value* out) = 0;
  // Writes store number `store` at the same points.
  virtual void store(int store, const int64_t* index, int lane_dim, int lanes, const Value* values) = 0;
};

// The partial results of one kernel's reduction between boxes that share their parallel part: one accumulator a
// parallel point of the box (row-major), and the index of the extreme value for argmax and argmin.
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

// Prepared for one kernel, to be run on many boxes. Keeps references to both arguments. Not thread-safe.
template <class D>
class Evaluator {
 public:
  using Value = typename D::Value;
  using Accumulator = typename D::Accumulator;

  Evaluator(const Kernel& kernel, D& domain);
  // `state` may be null when options.first and options.last hold.
  void run(const Box& box, const EvaluationOptions& options, LaneMemory<D>& memory, AccumulatorState<D>* state);

 private:
  struct Walk;  // the box, options and memory of one run

  void find_uses();
  void find_levels();
  void set_lane_dim(int lane_dim);
  Value* lanes_of(int node) { return values_.data() + static_cast<size_t>(node) * kLanesMax; }
  bool changes_along(const ScalarNode& node, int dim, const std::vector<uint8_t>& changing) const;
  void compute(int node, Walk& walk, int lanes);
  void load(int node, Walk& walk, int lanes);
  void spread(int node, int lanes);
  void parallel_vector(Walk& walk, int lanes);
  void begin_accumulators(Walk& walk, int lanes);
  void reduce(Walk& walk, int lanes);
  void reduce_vector(Walk& walk, int lanes);
  void fold(Walk& walk, int lanes);
  void fold_extremes(Walk& walk, int lanes);
  void save_accumulators(Walk& walk, int lanes);
  void finish(Walk& walk, int lanes);
  void finish_reduction(DType dtype, Value* out, int lanes);

  const Kernel& kernel_;
  D& domain_;
  DType reduced_dtype_ = DType::f32;  // of the value reduced
  bool contraction_ = false, extreme_ = false;
  std::vector<int> outer_, body_, epilogue_;  // nodes by level, in order
  std::vector<uint8_t> wanted_, in_reduction_, in_epilogue_;
  int lane_dim_ = -1;
  std::vector<uint8_t> varies_;  // by node: changes along the lane dim
  std::vector<uint8_t> spread_;  // by node: a value that does not vary is wanted in every lane
  std::vector<Value> values_;    // kLanesMax a node
  std::vector<Accumulator> accumulators_;
  std::vector<Value> extremes_;
  std::vector<int64_t> extreme_indices_;
  std::vector<const Value*> indirect_;
};

template <class D>
void evaluate(const Kernel& kernel, const Box& box, const EvaluationOptions& options, D& domain, LaneMemory<D>& memory,
              AccumulatorState<D>* state);

}  // namespace faultline
