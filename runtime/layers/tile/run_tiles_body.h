// The body of run_tiles, instantiated for the three element domains in run_tiles.cc.
#pragma once

#include <fmt/format.h>

#include <deque>

#include "runtime/layers/lanes/evaluate_body.h"
#include "runtime/layers/lanes/partials.h"
#include "runtime/layers/layout/packed_buffers.h"
#include "runtime/layers/layout/placed_memory.h"
#include "runtime/layers/tile/run_tiles.h"

namespace faultline {

template <class D>
class TileRunner {
 public:
  TileRunner(const TileProgram& program, D& domain, int first_poison)
      : program_(program), domain_(domain), device_(domain, first_poison), packed_(program.layout, device_) {
    int64_t cores = 1;
    for (const TileKernel& kernel : program.kernels) cores = std::max(cores, core_count(kernel));
    for (int64_t core = 0; core < cores; ++core) {
      scratch_.emplace_back(domain, first_poison + 1000 * static_cast<int>(core + 1));
      scratch_.back().place(fmt::format("scratch of core {}", core), 0, program.scratch_bytes);
    }
  }

  MemoryRun<D> run(const DenseBuffers<D>& inputs) {
    packed_.pack_inputs(inputs);
    for (kernel_ = 0; kernel_ < static_cast<int>(program_.kernels.size()); ++kernel_) run_kernel();
    MemoryRun<D> run;
    for (int b = 0; b < static_cast<int>(program_.layout.layouts.size()); ++b) {
      run.buffers.push_back(residency_of(program_, b) ? std::vector<typename D::Value>() : packed_.unpack(b));
    }
    add_events(run, device_);
    for (const ByteMemory<D>& scratch : scratch_) add_events(run, scratch);
    return run;
  }

 private:
  const Kernel& source() const { return program_.layout.program.kernels[kernel_]; }
  const KernelLayout& layout() const { return program_.layout.kernels[kernel_]; }
  const TileKernel& tiles() const { return program_.kernels[kernel_]; }

  // Cores that differ only in the reduction loop form a group; without such a loop every core is one.
  void run_kernel() {
    Evaluator<D> evaluator(source(), domain_);
    places_.clear();
    for (const OperandTile& operand : tiles().operands) {
      places_.push_back(device_place(program_.layout, kernel_, operand.node, operand.store, 0));
    }
    const int shared = tiles().reduction_core_loop;
    const int64_t members = shared < 0 ? 1 : tiles().loops[shared].extent;
    int64_t stride = 1;
    for (size_t l = shared < 0 ? tiles().loops.size() : static_cast<size_t>(shared) + 1; l < tiles().loops.size();
         ++l) {
      stride *= tiles().loops[l].kind == LoopKind::core ? tiles().loops[l].extent : 1;
    }
    for (int64_t core = 0; core < core_count(tiles()); ++core) {
      if (core / stride % members == 0) run_group(evaluator, core, stride, members);
    }
  }

  // Tiles of one core follow each other; those that share their parallel part form one sum.
  void run_group(Evaluator<D>& evaluator, int64_t first_core, int64_t stride, int64_t members) {
    std::vector<std::vector<LoopPoint>> points;
    for (int64_t m = 0; m < members; ++m) points.push_back(tiles_of_core(tiles(), first_core + m * stride));
    for (size_t begin = 0; begin < points[0].size();) {
      size_t end = begin + 1;
      while (end < points[0].size() && same_parallel_part(points[0][begin], points[0][end])) ++end;
      AccumulatorState<D> total;
      for (int64_t m = 0; m < members; ++m) {
        AccumulatorState<D> part;
        for (size_t t = begin; t < end; ++t) {
          const bool last = members == 1 && t + 1 == end;
          run_tile(evaluator, first_core + m * stride, points[m][t], t, t == begin, last, part);
        }
        if (m == 0)
          total = std::move(part);
        else
          combine_partials(source(), domain_, total, part);
      }
      if (members > 1)
        finish(evaluator, first_core + (members - 1) * stride, points[members - 1][end - 1], end - 1, total);
      begin = end;
    }
  }

  bool same_parallel_part(const LoopPoint& a, const LoopPoint& b) const {
    for (size_t l = 0; l < a.size(); ++l) {
      if (a[l] != b[l] && (tiles().loops[l].dim < source().parallel || !source().reduction)) return false;
    }
    return true;
  }

  void run_tile(Evaluator<D>& evaluator, int64_t core, const LoopPoint& point, size_t number, bool first, bool last,
                AccumulatorState<D>& state) {
    evaluate_box(evaluator, core, point, number, tile_box(tiles(), layout(), point), first, last, state);
  }

  // The epilogue of a sum whose parts are joined: the tile's box without a reduction point.
  void finish(Evaluator<D>& evaluator, int64_t core, const LoopPoint& point, size_t number,
              AccumulatorState<D>& state) {
    Box box = tile_box(tiles(), layout(), point);
    for (size_t d = source().parallel; d < box.end.size(); ++d) box.end[d] = box.begin[d];
    evaluate_box(evaluator, core, point, number, box, false, true, state);
  }

  void evaluate_box(Evaluator<D>& evaluator, int64_t core, const LoopPoint& point, size_t number, const Box& box,
                    bool first, bool last, AccumulatorState<D>& state) {
    std::vector<DeviceBox> boxes;
    for (size_t o = 0; o < tiles().operands.size(); ++o) {
      const OperandTile& operand = tiles().operands[o];
      boxes.push_back(operand_footprint(program_, kernel_, operand, point));
      move_place(places_[o], operand, boxes.back(), number);
      if (operand.node >= 0) copy(operand, boxes.back(), places_[o], scratch_[core], true);
    }
    PlacedMemory<D> lanes(program_.layout, kernel_, scratch_[core], places_, packed_.kernel_actor(kernel_));
    EvaluationOptions options;
    options.lane_dim = layout().lane_dim;
    options.valid = layout().valid;
    options.first = first;
    options.last = last;
    evaluator.run(box, options, lanes, source().reduction ? &state : nullptr);
    for (size_t o = 0; last && o < boxes.size(); ++o) {
      if (tiles().operands[o].store >= 0) copy(tiles().operands[o], boxes[o], places_[o], scratch_[core], false);
    }
  }

  // An operand's tile lies row-major by its largest extents.
  static void move_place(LanePlace& place, const OperandTile& operand, const DeviceBox& box, size_t number) {
    place.origin = box.begin;
    place.base = operand.address + static_cast<int64_t>(number) % operand.buffers * operand.bytes;
    int64_t stride = place.lane_bytes;
    for (size_t j = operand.extents.size(); j-- > 0;) {
      place.stride_bytes[j] = stride;
      stride *= operand.extents[j];
    }
  }

  // Row by row of the innermost device dim, between device memory and scratch.
  void copy(const OperandTile& operand, const DeviceBox& box, const LanePlace& place, ByteMemory<D>& scratch, bool in) {
    if (box.elements() == 0 || residency_of(program_, operand.buffer)) return;
    const std::vector<int64_t> strides = program_.layout.layouts[operand.buffer].flat_strides();
    const int64_t row = box.extent.back() * place.lane_bytes;
    const int actor = packed_.kernel_actor(kernel_);
    std::vector<int64_t> at(box.extent.size(), 0);
    for (bool more = true; more;) {
      int64_t device = packed_.base(operand.buffer), local = place.base;
      for (size_t j = 0; j < at.size(); ++j) {
        device += (box.begin[j] + at[j]) * strides[j];
        local += at[j] * place.stride_bytes[j];
      }
      if (in)
        scratch.put(local, device_.take(device, row, actor), actor);
      else
        device_.put(device, scratch.take(local, row, actor), actor);
      size_t j = at.size() - 1;
      while (j > 0 && ++at[j - 1] == box.extent[j - 1]) at[--j] = 0;
      more = j > 0;
    }
  }

  static void add_events(MemoryRun<D>& run, const ByteMemory<D>& memory) {
    for (const MemoryEvent& event : memory.events().kept()) run.events.push_back(to_text(event, memory.map()));
  }

  const TileProgram& program_;
  D& domain_;
  ByteMemory<D> device_;
  PackedBuffers<D> packed_;
  std::deque<ByteMemory<D>> scratch_;  // by core
  int kernel_ = 0;
  std::vector<LanePlace> places_;  // of the operands of that kernel
};

template <class D>
MemoryRun<D> run_tiles(const TileProgram& program, D& domain, const DenseBuffers<D>& inputs, int first_poison) {
  return TileRunner<D>(program, domain, first_poison).run(inputs);
}

}  // namespace faultline
