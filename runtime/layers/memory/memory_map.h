// Which allocation lies at an address: allocations and their guard zones in one address space. No bytes are kept here
// (byte_memory.h keeps them), so this part knows no element domain.
//
// Allocations may overlap, because a faulty plan may make them: the one placed last names the byte, and an allocation's
// own bytes come before any guard zone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace faultline {

struct MemoryRegion {
  int id = 0;  // 1, 2, ... in the order of placing, never reused; 0 is no region
  std::string name;
  int64_t address = 0, bytes = 0;
  int64_t guard = 0;  // bytes of guard zone before and behind
  bool operator==(const MemoryRegion&) const = default;
};

enum class MemoryZone : uint8_t { unmapped, body, guard };
std::string_view name(MemoryZone zone);

class MemoryMap {
 public:
  // Returns the region's id.
  int place(std::string name, int64_t address, int64_t bytes, int64_t guard);
  // The region names nothing from here on; its record stays.
  void release(int id);

  struct Answer {
    int64_t begin = 0, end = 0;  // the addresses around the one asked for that share this answer
    MemoryZone zone = MemoryZone::unmapped;
    int region = 0;
  };
  const Answer& at(int64_t address) const;

  const MemoryRegion& region(int id) const;
  // The least address, a multiple of `alignment`, behind everything placed so far with room for a guard zone before it.
  int64_t free_address(int64_t alignment, int64_t guard) const;

 private:
  std::vector<MemoryRegion> regions_;  // by id - 1
  std::vector<int> live_;              // ids in the order of placing
  mutable Answer cached_;              // begin == end: none
};

}  // namespace faultline
