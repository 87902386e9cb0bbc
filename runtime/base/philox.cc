// Draws taken word by word from a stream of blocks.
#include "runtime/base/philox.h"

namespace faultline {

uint32_t PhiloxStream::next() {
  if (used_ == 4) {
    words_ = philox4x32_10({name_, 0, static_cast<uint32_t>(block_), static_cast<uint32_t>(block_ >> 32)}, key_);
    ++block_;
    used_ = 0;
  }
  return words_[used_++];
}

uint32_t PhiloxStream::below(uint32_t n) {
  const uint32_t rejected_under = -n % n;
  while (true) {
    const uint64_t product = uint64_t{next()} * n;
    if (static_cast<uint32_t>(product) >= rejected_under) return static_cast<uint32_t>(product >> 32);
  }
}

double PhiloxStream::normal() {
  double sum = -6.0;
  for (int i = 0; i < 12; ++i) sum += unit();
  return sum;
}

}  // namespace faultline
