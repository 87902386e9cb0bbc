// What device and scratch memory hold when a run begins.
#pragma once

#include <cstdint>
#include <string_view>

namespace faultline {

enum class MemoryState : uint8_t {
  fresh,   // poison, by the number of the first pattern
  zeroed,  // zero bytes, still never written
  stale,   // what an earlier run of the same program with other data left at the same addresses; poison where none did
};
std::string_view name(MemoryState state);

}  // namespace faultline
