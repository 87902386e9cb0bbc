// Effects of instructions, for the three element domains.
#include "runtime/layers/schedule/machine_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/exact/exact_domain.h"
#include "runtime/exact/fingerprint_domain.h"
#include "runtime/layers/lanes/partials.h"
#include "runtime/layers/schedule/scratch_lanes.h"
#include "runtime/numerics/native_domain.h"

namespace faultline {

template <class D>
MachineState<D>::MachineState(const MachineProgram& program, D& domain, ByteMemory<D>& device, ScratchSet<D>& scratch)
    : program_(program), domain_(domain), device_(device), scratch_(scratch) {
  bases_.resize(program.buffers.size());
  regions_.resize(program.buffers.size());
  for (const Allocation& allocation : program.allocations)
    bases_[allocation.buffer] = (static_cast<int64_t>(allocation.segment) << kSegmentShift) + allocation.offset;
}

template <class D>
void MachineState<D>::begin_launch(int launch, bool fresh) {
  for (const Allocation& allocation : program_.allocations) {
    int& region = regions_[allocation.buffer];
    if (region != 0 && allocation.last < launch) {
      device_.release(region);
      region = 0;
    }
    const bool begins = launch < 0 ? allocation.first < 0 : allocation.first <= launch && allocation.last >= launch;
    if (region == 0 && begins)
      region = device_.place(program_.buffers[allocation.buffer].name, bases_[allocation.buffer], allocation.bytes,
                             kGuardBytes, fresh);
  }
}

template <class D>
void MachineState<D>::release_all() {
  for (int& region : regions_) {
    if (region != 0) device_.release(region);
    region = 0;
  }
}

template <class D>
Evaluator<D>& MachineState<D>::evaluator(int kernel) {
  std::unique_ptr<Evaluator<D>>& mine = evaluators_[kernel];
  if (!mine) mine = std::make_unique<Evaluator<D>>(program_.operations[kernel], domain_);
  return *mine;
}

template <class D>
void MachineState<D>::copy(const Descriptor& descriptor, int number, int actor) {
  const auto memory = [&](const Address& address) -> ByteMemory<D>& {
    return address.space == Space::device ? device_ : scratch(number);
  };
  const auto start = [&](const Address& address) {
    return address.space == Space::device ? bases_[address.buffer] + address.offset : address.offset;
  };
  ByteMemory<D>& source = memory(descriptor.source);
  ByteMemory<D>& target = memory(descriptor.target);
  std::vector<int64_t> counter(descriptor.nest.size(), 0);
  for (const Nest& nest : descriptor.nest)
    if (nest.count <= 0) return;
  while (true) {
    int64_t from = start(descriptor.source), to = start(descriptor.target);
    for (size_t i = 0; i < counter.size(); ++i) {
      from += counter[i] * descriptor.nest[i].source_stride;
      to += counter[i] * descriptor.nest[i].target_stride;
    }
    target.put(to, source.take(from, descriptor.bytes, actor), actor);
    size_t i = counter.size();
    while (i > 0 && ++counter[i - 1] == descriptor.nest[i - 1].count) counter[--i] = 0;
    if (i == 0) return;
  }
}

template <class D>
typename MachineState<D>::PartialKey MachineState<D>::key_of(const Compute& compute, const Kernel& kernel) {
  return {compute.operations, {compute.box.begin.begin(), compute.box.begin.begin() + kernel.parallel}};
}

// Accumulators that nobody cleared hold nothing of this tile's size when a device runs into them too early: they begin
// anew.
template <class D>
void MachineState<D>::compute(const Compute& compute, int number, int actor) {
  const Kernel& kernel = program_.operations[compute.operations];
  ScratchLanes<D> lanes(program_, kernel, compute, scratch(number), actor);
  EvaluationOptions options{compute.lane_dim, compute.valid, compute.first, compute.last};
  const bool keeps = !(compute.first && compute.last);
  AccumulatorState<D>* partial = keeps ? &partials_[number][key_of(compute, kernel)] : nullptr;
  if (partial != nullptr && kernel.reduction) {
    const Reduction reduction = kernel.reduction->reduction;
    const bool extreme = reduction == Reduction::argmax || reduction == Reduction::argmin;
    size_t points = 1;
    for (int d = 0; d < kernel.parallel; ++d)
      points *= static_cast<size_t>(std::max<int64_t>(0, compute.box.end[d] - compute.box.begin[d]));
    options.first = options.first || (extreme ? partial->extremes.size() : partial->accumulators.size()) < points;
  }
  evaluator(compute.operations).run(compute.box, options, lanes, partial);
}

template <class D>
void MachineState<D>::send(const Compute& compute, int number, int peer) {
  const Kernel& kernel = program_.operations[compute.operations];
  in_flight_[{number, peer}].push_back(partials_[number][key_of(compute, kernel)]);
}

// The partial result that arrives stands before this core's own: the order of the ring.
template <class D>
bool MachineState<D>::receive(const Compute& compute, int number, int peer) {
  std::vector<AccumulatorState<D>>& queue = in_flight_[{peer, number}];
  if (queue.empty()) return false;
  AccumulatorState<D> arrived = std::move(queue.front());
  queue.erase(queue.begin());
  const Kernel& kernel = program_.operations[compute.operations];
  AccumulatorState<D>& mine = partials_[number][key_of(compute, kernel)];
  combine_partials(kernel, domain_, arrived, mine);
  mine = std::move(arrived);
  return true;
}

template <class D>
std::vector<MachineMemoryEvent> MachineState<D>::memory_events(int64_t arena) const {
  std::vector<MachineMemoryEvent> events;
  const auto add = [&](const std::string& place, const ByteMemory<D>& memory, int64_t origin) {
    for (MemoryEvent event : memory.events().kept()) {
      if (event.region == 0) event.address -= origin;
      events.push_back({place, to_text(event, memory.map()), event.bytes, event.kind});
    }
  };
  add("device", device_, arena);
  for (const auto& [number, memory] : scratch_.memories()) add(fmt::format("core {} scratch", number), *memory, 0);
  return events;
}

template class MachineState<NativeDomain>;
template class MachineState<ExactDomain>;
template class MachineState<FingerprintDomain>;

}  // namespace faultline
