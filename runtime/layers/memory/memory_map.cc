// Lookup is linear in the live allocations, behind a cache of the last answer's interval: a program has tens of
// buffers, and accesses come in runs.
#include "runtime/layers/memory/memory_map.h"

#include <algorithm>
#include <limits>

#include "runtime/base/error.h"

namespace faultline {

std::string_view name(MemoryZone zone) {
  constexpr std::string_view names[] = {"unmapped", "body", "guard"};
  return names[static_cast<int>(zone)];
}

int MemoryMap::place(std::string name, int64_t address, int64_t bytes, int64_t guard) {
  FAULTLINE_CHECK(bytes >= 0 && guard >= 0, name);
  const int id = static_cast<int>(regions_.size()) + 1;
  regions_.push_back({id, std::move(name), address, bytes, guard});
  live_.push_back(id);
  cached_ = {};
  return id;
}

void MemoryMap::release(int id) {
  std::erase(live_, id);
  cached_ = {};
}

const MemoryRegion& MemoryMap::region(int id) const {
  FAULTLINE_CHECK(id >= 1 && id <= static_cast<int>(regions_.size()), std::to_string(id));
  return regions_[id - 1];
}

const MemoryMap::Answer& MemoryMap::at(int64_t address) const {
  if (cached_.begin <= address && address < cached_.end) return cached_;
  Answer answer{std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), MemoryZone::unmapped, 0};
  for (const int id : live_) {
    const MemoryRegion& region = regions_[id - 1];
    const int64_t bounds[] = {region.address - region.guard, region.address, region.address + region.bytes,
                              region.address + region.bytes + region.guard};
    for (const int64_t bound : bounds) {
      if (bound <= address)
        answer.begin = std::max(answer.begin, bound);
      else
        answer.end = std::min(answer.end, bound);
    }
    const bool inside = bounds[1] <= address && address < bounds[2];
    const bool around = bounds[0] <= address && address < bounds[3];
    if (inside || (around && answer.zone != MemoryZone::body)) {
      answer.zone = inside ? MemoryZone::body : MemoryZone::guard;
      answer.region = id;
    }
  }
  cached_ = answer;
  return cached_;
}

int64_t MemoryMap::free_address(int64_t alignment, int64_t guard) const {
  int64_t end = 0;
  for (const MemoryRegion& region : regions_) end = std::max(end, region.address + region.bytes + region.guard);
  return (end + guard + alignment - 1) / alignment * alignment;
}

}  // namespace faultline
