// First fit: the lowest aligned gap among the allocations that are live at the same time.
#include "runtime/layers/schedule/allocate.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "runtime/base/error.h"

namespace faultline {

namespace {

void extend(Allocation& allocation, int launch, bool& used) {
  allocation.first = used ? std::min(allocation.first, launch) : launch;
  allocation.last = used ? std::max(allocation.last, launch) : launch;
  used = true;
}

// Live ranges and sizes, no addresses yet.
std::vector<Allocation> live_ranges(const LayoutProgram& program) {
  const std::vector<Buffer>& buffers = program.program.buffers;
  const int launches = static_cast<int>(program.program.kernels.size());
  std::vector<Allocation> allocations(buffers.size());
  for (size_t b = 0; b < buffers.size(); ++b) {
    bool used = false;
    allocations[b].buffer = static_cast<int>(b);
    allocations[b].bytes = program.layouts[b].bytes();
    if (buffers[b].role == BufferRole::input) extend(allocations[b], -1, used);
    for (int k = 0; k < launches; ++k) {
      const Kernel& kernel = program.program.kernels[k];
      for (const ScalarNode& node : kernel.nodes)
        if (node.kind == ScalarNode::Kind::load && node.access.buffer == static_cast<int>(b))
          extend(allocations[b], k, used);
      for (const KernelStore& store : kernel.stores)
        if (store.buffer == static_cast<int>(b)) extend(allocations[b], k, used);
    }
    if (buffers[b].role == BufferRole::output) extend(allocations[b], launches, used);
  }
  return allocations;
}

int64_t round_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

std::vector<Allocation> plan_memory(const LayoutProgram& program, const SchedulePolicy& policy) {
  std::vector<Allocation> allocations = live_ranges(program);
  const std::vector<Buffer>& buffers = program.program.buffers;
  std::vector<int> order(allocations.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return std::tie(allocations[a].first, buffers[a].name) < std::tie(allocations[b].first, buffers[b].name);
  });
  std::vector<Allocation> placed;
  for (const int b : order) {
    Allocation& mine = allocations[b];
    bool found = false;
    for (mine.segment = 0; mine.segment < policy.segments && !found; ++mine.segment) {
      std::vector<Allocation> meeting;
      for (const Allocation& other : placed) {
        const bool together = !policy.reuse_memory || (other.first <= mine.last && mine.first <= other.last);
        if (other.segment == mine.segment && together) meeting.push_back(other);
      }
      std::sort(meeting.begin(), meeting.end(),
                [](const Allocation& a, const Allocation& c) { return a.offset < c.offset; });
      mine.offset = round_up(policy.guard_bytes, policy.alignment);
      for (const Allocation& other : meeting) {
        if (mine.offset + mine.bytes + policy.guard_bytes <= other.offset) break;
        mine.offset =
            std::max(mine.offset, round_up(other.offset + other.bytes + policy.guard_bytes, policy.alignment));
      }
      found = mine.offset + mine.bytes + policy.guard_bytes <= policy.segment_bytes;
    }
    --mine.segment;
    if (!found)
      throw Rejected("device memory", fmt::format("buffer {} of {} bytes fits in none of {} segments of {} bytes",
                                                  buffers[b].name, mine.bytes, policy.segments, policy.segment_bytes));
    placed.push_back(mine);
  }
  return allocations;
}

}  // namespace faultline
