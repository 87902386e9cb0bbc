// The ten rounds of Philox4x32, and draws taken from a stream of its blocks word by word.
#include "runtime/base/philox.h"

namespace faultline {

PhiloxBlock philox4x32_10(PhiloxBlock counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = uint64_t{0xD2511F53u} * counter[0];
    const uint64_t second = uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(second),
               static_cast<uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(first)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

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
