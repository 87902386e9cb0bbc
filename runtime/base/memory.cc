// glibc's thresholds; another allocator ignores or lacks them.
#include "runtime/base/memory.h"

#include <malloc.h>

namespace faultline {

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kLarge = 1 << 30;  // bytes
  mallopt(M_MMAP_THRESHOLD, kLarge);
  mallopt(M_TRIM_THRESHOLD, kLarge);
  mallopt(M_TOP_PAD, 1 << 24);
#endif
}

}  // namespace faultline
