// What a memory records about accesses that a right program does not make. Data, not errors: checkers read them as
// evidence.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/layers/memory/memory_map.h"

namespace faultline {

enum class MemoryEventKind : uint8_t {
  read_undefined,  // an element used of which at least one byte was never written, or copied from where nobody wrote
  read_guard,
  write_guard,
  read_unmapped,
  write_unmapped,
};
std::string_view name(MemoryEventKind kind);

struct MemoryEvent {
  MemoryEventKind kind = MemoryEventKind::read_undefined;
  int64_t address = 0, bytes = 0;
  int actor = 0;
  int region = 0;  // 0 where the address belongs to none
  bool operator==(const MemoryEvent&) const = default;
};
// "write_guard of 2 bytes at byte 128 of y (128 bytes) by 3".
std::string to_text(const MemoryEvent& event, const MemoryMap& map);

class MemoryEventLog {
 public:
  // An event that continues the last one (same kind, actor and region, next address) lengthens it. The first kKept are
  // kept, the others are counted.
  void add(const MemoryEvent& event);
  const std::vector<MemoryEvent>& kept() const { return kept_; }
  int64_t dropped() const { return dropped_; }
  bool has(MemoryEventKind kind) const;

  static constexpr size_t kKept = 4096;

 private:
  std::vector<MemoryEvent> kept_;
  MemoryEvent last_;  // kept or not
  int64_t dropped_ = 0;
};

}  // namespace faultline
