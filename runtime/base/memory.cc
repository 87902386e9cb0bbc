// glibc's thresholds, which another allocator ignores or lacks; and what Linux says in its files about memory.
#include "runtime/base/memory.h"

#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace faultline {

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kLarge = 1 << 30;  // bytes
  mallopt(M_MMAP_THRESHOLD, kLarge);
  mallopt(M_TRIM_THRESHOLD, kLarge);
  mallopt(M_TOP_PAD, 1 << 24);
#endif
}

static std::optional<uint64_t> number_in(const char* path) {
  uint64_t number = 0;
  std::ifstream file(path);  // no number where there is no limit: "max"
  if (!(file >> number)) return std::nullopt;
  return number;
}

static std::optional<uint64_t> left_of(const char* limit_path, const char* used_path) {
  const std::optional<uint64_t> limit = number_in(limit_path), used = number_in(used_path);
  if (!limit || !used) return std::nullopt;
  return *limit > *used ? *limit - *used : 0;
}

std::optional<uint64_t> available_memory() {
  std::optional<uint64_t> available;
  std::ifstream file("/proc/meminfo");
  uint64_t kibibytes = 0;
  for (std::string key, unit; file >> key >> kibibytes; std::getline(file, unit))
    if (key == "MemAvailable:") available = kibibytes << 10;
  if (!available) return std::nullopt;
  const auto second = left_of("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current");
  const auto first =
      left_of("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes");
  return std::min({*available, second.value_or(*available), first.value_or(*available)});
}

}  // namespace faultline
