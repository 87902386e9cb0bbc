// Memory events as text, and the log: neighbouring accesses of one actor become one event, only the first are kept.
#include "runtime/layers/memory/memory_event.h"

#include <fmt/format.h>

#include <algorithm>

namespace faultline {

std::string_view name(MemoryEventKind kind) {
  constexpr std::string_view names[] = {"read_undefined", "read_guard", "write_guard", "read_unmapped",
                                        "write_unmapped"};
  return names[static_cast<int>(kind)];
}

std::string to_text(const MemoryEvent& event, const MemoryMap& map) {
  if (event.region == 0) {
    return fmt::format("{} of {} bytes at address {} by {}", name(event.kind), event.bytes, event.address, event.actor);
  }
  const MemoryRegion& region = map.region(event.region);
  return fmt::format("{} of {} bytes at byte {} of {} ({} bytes) by {}", name(event.kind), event.bytes,
                     event.address - region.address, region.name, region.bytes, event.actor);
}

void MemoryEventLog::add(const MemoryEvent& event) {
  const bool continues = last_.bytes > 0 && last_.kind == event.kind && last_.actor == event.actor &&
                         last_.region == event.region && last_.address + last_.bytes == event.address;
  if (continues) {
    last_.bytes += event.bytes;
    if (dropped_ == 0) kept_.back() = last_;
    return;
  }
  last_ = event;
  if (kept_.size() < kKept)
    kept_.push_back(event);
  else
    ++dropped_;
}

bool MemoryEventLog::has(MemoryEventKind kind) const {
  return std::any_of(kept_.begin(), kept_.end(), [&](const MemoryEvent& event) { return event.kind == kind; });
}

}  // namespace faultline
