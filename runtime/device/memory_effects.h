// Effects of requests on real memories, over one element domain: host arrays, device memory, every core's scratch.
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>

#include "runtime/device/device_effects.h"
#include "runtime/layers/lanes/dense_memory.h"
#include "runtime/layers/layout/host_image.h"
#include "runtime/layers/schedule/machine_state.h"

namespace faultline {

// visit(host element, device element, count) for the elements of the records in their order; `count` elements follow
// each other on both sides.
template <class Visit>
void walk_records(const std::vector<TransferRecord>& records, Visit visit) {
  for (const TransferRecord& record : records) {
    if (record.elements() == 0) continue;
    size_t outer = record.levels.size();
    int64_t count = 1;
    if (outer > 0 && record.levels.back().host_stride == 1 && record.levels.back().device_stride == 1)
      count = record.levels[--outer].count;
    std::vector<int64_t> counter(outer, 0);
    int64_t host = record.host_offset, device = record.device_offset;
    while (true) {
      visit(host, device, count);
      size_t l = outer;
      while (l > 0) {
        const TransferRecord::Level& level = record.levels[l - 1];
        host += level.host_stride;
        device += level.device_stride;
        if (++counter[l - 1] < level.count) break;
        host -= level.count * level.host_stride;
        device -= level.count * level.device_stride;
        counter[--l] = 0;
      }
      if (l == 0) break;
    }
  }
}

template <class D>
class MemoryEffects final : public DeviceEffects {
 public:
  using Value = typename D::Value;

  struct Options {
    bool fresh = true;       // memory that begins to live is never written
    bool checksums = false;  // of all requests; otherwise only where the two ends differ
    int host_pattern = 0;    // poison of host memory
  };
  // Keeps references to all.
  MemoryEffects(MachineState<D>& state, const JobPlan& plan, const DenseBuffers<D>& inputs, const Options& options)
      : state_(state), plan_(plan), domain_(state.domain()), inputs_(inputs), options_(options) {
    received_.resize(state.program().buffers.size());
  }

  void begin_launch(int launch) override { state_.begin_launch(launch, options_.fresh); }
  int64_t base(int buffer) const override { return state_.base(buffer); }

  void take(int slot, const CopyOrder& order) override;
  Moved put(int slot, const CopyOrder& order) override;

  void compute(const Compute& compute, int core, int actor) override { state_.compute(compute, core, actor); }
  void send(const Compute& compute, int core, int peer) override { state_.send(compute, core, peer); }
  bool receive(const Compute& compute, int core, int peer) override { return state_.receive(compute, core, peer); }

  void synchronise() override {
    for (const JobStep& step : plan_.steps)
      if (step.kind == JobStep::Kind::device_to_host) host_array(step.buffer);
    synchronised_ = true;
  }
  DenseBuffers<D>& received() { return received_; }

 private:
  using Cells = CellRun<D>;

  const Buffer& buffer_of(const CopyOrder& order) const { return state_.program().buffers[order.step->buffer]; }
  void take_host(Cells& run, const CopyOrder& order);
  void take_device(Cells& run, const CopyOrder& order);
  void put_device(const Cells& run, const CopyOrder& order);
  void put_host(const Cells& run, const CopyOrder& order);
  void take_pieces(Cells& run, const CopyOrder& order);
  void put_pieces(const Cells& run, const CopyOrder& order);
  // visit(piece's source offset, target offset, bytes) until `bytes` of the order are used up.
  template <class Visit>
  void walk_pieces(const CopyOrder& order, Visit visit) const;
  std::vector<Value>& host_array(int buffer);
  static uint64_t checksum(const Cells& run);

  MachineState<D>& state_;
  const JobPlan& plan_;
  D& domain_;
  const DenseBuffers<D>& inputs_;
  Options options_;
  bool synchronised_ = false;
  DenseBuffers<D> received_;  // by buffer
  std::vector<Cells> slots_;
};

// FNV-1a over what the cells are; cells that are no bytes count with the number of their element and byte.
template <class D>
uint64_t MemoryEffects<D>::checksum(const Cells& run) {
  uint64_t sum = 0xcbf29ce484222325;
  const auto add = [&](uint64_t byte) { sum = (sum ^ byte) * 0x100000001b3; };
  for (const auto& cell : run.cells) {
    if constexpr (std::is_same_v<typename D::Cell, std::byte>)
      add(static_cast<uint64_t>(cell));
    else
      for (int shift = 0; shift < 32; shift += 8) add(cell.code >> shift & 0xFF);
  }
  return sum;
}

template <class D>
void MemoryEffects<D>::take(int slot, const CopyOrder& order) {
  if (slot >= static_cast<int>(slots_.size())) slots_.resize(slot + 1);
  Cells& run = slots_[slot];
  run.cells.clear();
  run.defined.clear();
  if (order.step == nullptr)
    take_pieces(run, order);
  else if (order.step->kind == JobStep::Kind::host_to_device)
    take_host(run, order);
  else
    take_device(run, order);
}

template <class D>
Moved MemoryEffects<D>::put(int slot, const CopyOrder& order) {
  Cells& run = slots_[slot];
  Moved moved;
  moved.read = moved.written = static_cast<int64_t>(run.cells.size());
  const bool flips = order.flip_mask != 0 && order.flip_offset >= 0 && order.flip_offset < moved.read;
  const bool sums = options_.checksums || flips;
  const auto flip = [&] {
    run.cells[order.flip_offset] = domain_.flip_cell(run.cells[order.flip_offset], order.flip_mask);
  };
  if (flips && order.flip_at_rest) flip();
  if (sums) moved.checksum_read = checksum(run);
  if (flips && !order.flip_at_rest) flip();
  if (sums) moved.checksum_written = checksum(run);
  if (order.step == nullptr)
    put_pieces(run, order);
  else if (order.step->kind == JobStep::Kind::host_to_device)
    put_device(run, order);
  else
    put_host(run, order);
  return moved;
}

template <class D>
void MemoryEffects<D>::take_host(Cells& run, const CopyOrder& order) {
  const MachineProgram& program = state_.program();
  const auto input = std::find(program.inputs.begin(), program.inputs.end(), order.step->buffer);
  const std::vector<Value>& values = inputs_[input - program.inputs.begin()];
  const DType dtype = buffer_of(order).dtype;
  const int bytes = domain_.element_bytes(dtype);
  run.cells.resize(values.size() * bytes, domain_.poison_cell(options_.host_pattern, 0));
  size_t at = 0;
  walk_records(order.step->records, [&](int64_t host, int64_t, int64_t count) {
    domain_.store_lanes(run.cells.data() + at, dtype, values.data() + host, static_cast<int>(count));
    at += bytes * count;
  });
  run.cells.resize(std::min<int64_t>(order.bytes, at), domain_.poison_cell(options_.host_pattern, 0));
  run.defined.assign(run.cells.size(), 1);
}

// Reading an element that is not defined is recorded, as it is where a whole buffer is unpacked.
template <class D>
void MemoryEffects<D>::take_device(Cells& run, const CopyOrder& order) {
  const int bytes = domain_.element_bytes(buffer_of(order).dtype);
  int64_t left = order.bytes;
  walk_records(order.step->records, [&](int64_t, int64_t device, int64_t count) {
    if (left <= 0) return;
    const int64_t taken = std::min<int64_t>(bytes * count, left);
    state_.device().take_used(order.base + device * bytes, static_cast<int>(taken), kHostActor, run);
    left -= taken;
  });
}

template <class D>
void MemoryEffects<D>::put_device(const Cells& run, const CopyOrder& order) {
  const int bytes = domain_.element_bytes(buffer_of(order).dtype);
  const auto all = static_cast<int64_t>(run.cells.size());
  int64_t at = 0;
  walk_records(order.step->records, [&](int64_t, int64_t device, int64_t count) {
    if (at >= all) return;
    const int64_t put = std::min<int64_t>(bytes * count, all - at);
    state_.device().put(order.base + device * bytes, run, at, put, kHostActor);
    at += put;
  });
}

// Host memory that nothing has reached holds poison.
template <class D>
std::vector<typename D::Value>& MemoryEffects<D>::host_array(int number) {
  const Buffer& buffer = state_.program().buffers[number];
  std::vector<Value>& values = received_[number];
  if (values.empty()) {
    std::vector<typename D::Cell> cells;
    for (int byte = 0; byte < domain_.element_bytes(buffer.dtype); ++byte)
      cells.push_back(domain_.poison_cell(options_.host_pattern, byte));
    values.assign(static_cast<size_t>(element_count(buffer.sizes)), domain_.load(cells.data(), buffer.dtype));
  }
  return values;
}

template <class D>
void MemoryEffects<D>::put_host(const Cells& run, const CopyOrder& order) {
  if (synchronised_) return;
  const DType dtype = buffer_of(order).dtype;
  std::vector<Value>& values = host_array(order.step->buffer);
  const int bytes = domain_.element_bytes(dtype);
  const auto all = static_cast<int64_t>(run.cells.size());
  int64_t at = 0;
  walk_records(order.step->records, [&](int64_t host, int64_t, int64_t count) {
    if (at >= all) return;
    const int64_t whole = std::min(count, (all - at) / bytes);
    domain_.load_lanes(run.cells.data() + at, dtype, values.data() + host, static_cast<int>(whole));
    at += whole * bytes;
    if (whole == count || at >= all) return;
    std::vector<typename D::Cell> cells(run.cells.begin() + at, run.cells.end());  // the last element arrives in part
    for (int byte = static_cast<int>(cells.size()); byte < bytes; ++byte)
      cells.push_back(domain_.poison_cell(options_.host_pattern, byte));
    values[host + whole] = domain_.load(cells.data(), dtype);
    at = all;
  });
}

template <class D>
template <class Visit>
void MemoryEffects<D>::walk_pieces(const CopyOrder& order, Visit visit) const {
  const Descriptor& descriptor = *order.descriptor;
  std::vector<int64_t> counter(descriptor.nest.size(), 0);
  for (const Nest& nest : descriptor.nest)
    if (nest.count <= 0) return;
  int64_t from = descriptor.source.offset, to = descriptor.target.offset, left = order.bytes;
  while (left > 0) {
    const int64_t bytes = std::min(descriptor.bytes, left);
    visit(from, to, bytes);
    left -= bytes;
    size_t i = counter.size();
    while (i > 0) {
      const Nest& nest = descriptor.nest[i - 1];
      from += nest.source_stride;
      to += nest.target_stride;
      if (++counter[i - 1] < nest.count) break;
      from -= nest.count * nest.source_stride;
      to -= nest.count * nest.target_stride;
      counter[--i] = 0;
    }
    if (i == 0) return;
  }
}

template <class D>
void MemoryEffects<D>::take_pieces(Cells& run, const CopyOrder& order) {
  const bool device = order.descriptor->source.space == Space::device;
  ByteMemory<D>& memory = device ? state_.device() : state_.scratch(order.core);
  const int64_t base = device ? order.base : 0;
  walk_pieces(order, [&](int64_t from, int64_t, int64_t bytes) { memory.take(base + from, bytes, order.actor, run); });
}

template <class D>
void MemoryEffects<D>::put_pieces(const Cells& run, const CopyOrder& order) {
  const bool device = order.descriptor->target.space == Space::device;
  ByteMemory<D>& memory = device ? state_.device() : state_.scratch(order.core);
  const int64_t base = device ? order.base : 0;
  int64_t at = 0;
  walk_pieces(order, [&](int64_t, int64_t to, int64_t bytes) {
    memory.put(base + to, run, at, bytes, order.actor);
    at += bytes;
  });
}

}  // namespace faultline
