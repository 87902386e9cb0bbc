// Equality of bytes, a vector at a time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "checkers/comparison/same_bytes.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "checkers/comparison/scan.h"

HWY_BEFORE_NAMESPACE();
namespace faultline {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

size_t same_here(const uint8_t* left, const uint8_t* right, size_t size) {
  const hn::ScalableTag<uint8_t> d;
  const size_t step = hn::Lanes(d);
  size_t i = 0;
  for (; i + step <= size; i += step)
    if (!hn::AllTrue(d, hn::Eq(hn::LoadU(d, left + i), hn::LoadU(d, right + i)))) return i / 64 * 64;
  for (; i < size; ++i)
    if (left[i] != right[i]) return i / 64 * 64;
  return size;
}

}  // namespace HWY_NAMESPACE
}  // namespace faultline
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace faultline {

HWY_EXPORT(same_here);

size_t same_bytes(const std::byte* left, const std::byte* right, size_t size) {
  return HWY_DYNAMIC_DISPATCH(same_here)(reinterpret_cast<const uint8_t*>(left),
                                         reinterpret_cast<const uint8_t*>(right), size);
}

}  // namespace faultline
#endif
