// Streams of one launch: tile by tile and core by core, with the tokens of schedule.h.
#include "runtime/layers/schedule/emit.h"

#include <algorithm>
#include <array>

#include "runtime/layers/layout/lane_access.h"
#include "runtime/layers/schedule/copy_nest.h"
#include "runtime/layers/schedule/schedule_policy.h"

namespace faultline {

namespace {

enum TokenKind { loads_done, computes_done, stores_done, ring_done, finish_done, kTokenKinds };

// The streams of one core, and how many tiles each engine has been given.
struct CoreStreams {
  int core = 0;
  std::array<Stream, kEngineCount> streams;
  int64_t stores = 0;
  std::vector<LoopPoint> tiles;

  Stream& of(Engine engine) { return streams[static_cast<int>(engine)]; }
};

class Emitter {
 public:
  Emitter(const TileProgram& program, int kernel)
      : tiles_(program.kernels[kernel]),
        layout_(program.layout),
        kernel_layout_(program.layout.kernels[kernel]),
        kernel_(program.layout.program.kernels[kernel]),
        program_(program) {
    launch_.name = kernel_.name;
    launch_.kernel = kernel;
  }

  Launch run() {
    std::vector<CoreStreams> cores(core_count(tiles_));
    for (size_t c = 0; c < cores.size(); ++c) {
      cores[c].core = static_cast<int>(c);
      for (int e = 0; e < kEngineCount; ++e) cores[c].streams[e] = {static_cast<int>(c), static_cast<Engine>(e), {}};
      cores[c].tiles = tiles_of_core(tiles_, static_cast<int64_t>(c));
      for (size_t n = 0; n < cores[c].tiles.size(); ++n) emit_tile(cores[c], static_cast<int64_t>(n));
    }
    if (tiles_.reduction_core_loop >= 0) emit_ring(cores);
    launch_.tokens = static_cast<int>(cores.size()) * kTokenKinds;
    for (CoreStreams& core : cores)
      for (Stream& stream : core.streams)
        if (!stream.instructions.empty()) launch_.streams.push_back(std::move(stream));
    return std::move(launch_);
  }

 private:
  static int token(const CoreStreams& core, TokenKind kind) { return core.core * kTokenKinds + kind; }

  void push(Stream& stream, Instruction instruction) {
    instruction.sequence = sequence_++;
    stream.instructions.push_back(instruction);
  }
  void wait(Stream& stream, int token, int64_t count) {
    if (count > 0) push(stream, {.opcode = Opcode::wait, .token = token, .count = count});
  }
  void signal(Stream& stream, int token) { push(stream, {.opcode = Opcode::signal, .token = token}); }

  bool is_reduction(const Loop& loop) const { return loop.dim >= kernel_.parallel; }

  // Whether every reduction loop that runs in time stands at its first, or last, trip.
  bool at_edge(const LoopPoint& point, bool last) const {
    for (size_t i = 0; i < tiles_.loops.size(); ++i) {
      const Loop& loop = tiles_.loops[i];
      if (loop.kind == LoopKind::sequential && is_reduction(loop) && point[i] != (last ? loop.extent - 1 : 0))
        return false;
    }
    return true;
  }

  DeviceBox box_of(const OperandTile& operand, const LoopPoint& point) const {
    return operand_footprint(program_, launch_.kernel, operand, point);
  }

  static int64_t slot(const OperandTile& operand, int64_t n) {
    return operand.address + n % operand.buffers * operand.bytes;
  }

  // Nothing to do for a tile that is empty or for a buffer that stays in scratch.
  void copy(Stream& stream, const OperandTile& operand, const LoopPoint& point, int64_t n) {
    const DeviceBox box = box_of(operand, point);
    if (box.elements() == 0 || residency_of(program_, operand.buffer) != nullptr) return;
    const bool load = operand.node >= 0;
    push(stream, {.opcode = Opcode::copy, .descriptor = static_cast<int>(launch_.descriptors.size())});
    launch_.descriptors.push_back(
        copy_descriptor(layout_.layouts[operand.buffer], operand.buffer, box, operand.extents, slot(operand, n), load));
  }

  void emit_loads(CoreStreams& core, const LoopPoint& point, int64_t n) {
    Stream& stream = core.of(Engine::load);
    int64_t buffers = 2;
    for (const OperandTile& operand : tiles_.operands)
      if (operand.node >= 0) buffers = std::min<int64_t>(buffers, operand.buffers);
    wait(stream, token(core, computes_done), n - buffers + 1);
    for (const OperandTile& operand : tiles_.operands)
      if (operand.node >= 0) copy(stream, operand, point, n);
    signal(stream, token(core, loads_done));
  }

  int add_compute(const LoopPoint& point, int64_t n, int64_t m, bool first, bool last) {
    Compute compute;
    compute.unit = unit_of(kernel_);
    compute.operations = launch_.kernel;
    compute.box = tile_box(tiles_, kernel_layout_, point);
    compute.valid = kernel_layout_.valid;
    compute.lane_dim = kernel_layout_.lane_dim;
    compute.first = first;
    compute.last = last;
    for (const OperandTile& operand : tiles_.operands) {
      const bool load = operand.node >= 0;
      if (!load && !last) continue;
      compute.operands.push_back(
          {operand.node, operand.store, slot(operand, load ? n : m),
           address_dims(layout_.layouts[operand.buffer], box_of(operand, point), operand.extents),
           lane_group(layout_, launch_.kernel, operand_access(kernel_, operand))});
    }
    launch_.computes.push_back(std::move(compute));
    return static_cast<int>(launch_.computes.size()) - 1;
  }

  int64_t store_buffers() const {
    int64_t buffers = 2;
    for (const OperandTile& operand : tiles_.operands)
      if (operand.store >= 0) buffers = std::min<int64_t>(buffers, operand.buffers);
    return buffers;
  }

  void emit_stores(CoreStreams& core, const LoopPoint& point, TokenKind after, int64_t count) {
    Stream& stream = core.of(Engine::store);
    wait(stream, token(core, after), count);
    for (const OperandTile& operand : tiles_.operands)
      if (operand.store >= 0) copy(stream, operand, point, core.stores);
    signal(stream, token(core, stores_done));
    ++core.stores;
  }

  void emit_tile(CoreStreams& core, int64_t n) {
    const LoopPoint& point = core.tiles[n];
    const bool split = tiles_.reduction_core_loop >= 0;
    const bool last = at_edge(point, true) && !split;
    emit_loads(core, point, n);
    Stream& compute = core.of(Engine::compute);
    wait(compute, token(core, loads_done), n + 1);
    if (last) wait(compute, token(core, stores_done), core.stores - store_buffers() + 1);
    push(compute,
         {.opcode = Opcode::compute, .compute = add_compute(point, n, core.stores, at_edge(point, false), last)});
    signal(compute, token(core, computes_done));
    if (last) emit_stores(core, point, computes_done, n + 1);
  }

  // Cores that differ only in the reduction's core loop, in its order.
  std::vector<std::vector<int>> ring_groups(const std::vector<CoreStreams>& cores) const {
    std::vector<std::vector<int>> groups;
    std::vector<LoopPoint> keys;
    for (const CoreStreams& core : cores) {
      if (core.tiles.empty()) continue;
      LoopPoint key = core.tiles[0];
      key[tiles_.reduction_core_loop] = 0;
      const size_t at = std::find(keys.begin(), keys.end(), key) - keys.begin();
      if (at == keys.size()) {
        keys.push_back(key);
        groups.emplace_back();
      }
      groups[at].push_back(core.core);
    }
    return groups;
  }

  // One tile of the parallel dims a core: its partial result hops from the first core of the group to the last.
  void emit_ring(std::vector<CoreStreams>& cores) {
    for (const std::vector<int>& group : ring_groups(cores)) {
      for (size_t i = 0; i < group.size(); ++i) {
        CoreStreams& core = cores[group[i]];
        Stream& ring = core.of(Engine::ring);
        wait(ring, token(core, computes_done), static_cast<int64_t>(core.tiles.size()));
        const int compute = computes_of(core);
        if (i > 0) push(ring, {.opcode = Opcode::receive, .compute = compute, .peer = group[i - 1]});
        if (i + 1 < group.size()) push(ring, {.opcode = Opcode::send, .compute = compute, .peer = group[i + 1]});
        signal(ring, token(core, ring_done));
      }
      finish(cores[group.back()]);
    }
  }

  int computes_of(CoreStreams& core) {
    for (const Instruction& instruction : core.of(Engine::compute).instructions)
      if (instruction.opcode == Opcode::compute) return instruction.compute;
    return -1;
  }

  // The epilogue and the store: a compute whose reduction dims are empty.
  void finish(CoreStreams& core) {
    const int64_t n = static_cast<int64_t>(core.tiles.size()) - 1;
    Stream& compute = core.of(Engine::compute);
    wait(compute, token(core, ring_done), 1);
    const int number = add_compute(core.tiles[n], n, core.stores, false, true);
    Box& box = launch_.computes[number].box;
    for (size_t d = kernel_.parallel; d < box.end.size(); ++d) box.end[d] = box.begin[d];
    push(compute, {.opcode = Opcode::compute, .compute = number});
    signal(compute, token(core, finish_done));
    emit_stores(core, core.tiles[n], finish_done, 1);
  }

  const TileKernel& tiles_;
  const LayoutProgram& layout_;
  const KernelLayout& kernel_layout_;
  const Kernel& kernel_;
  const TileProgram& program_;
  Launch launch_;
  int64_t sequence_ = 0;
};

}  // namespace

Launch emit_launch(const TileProgram& program, int kernel) { return Emitter(program, kernel).run(); }

}  // namespace faultline
