// The drivers of Choices that need more than a line.
#include "runtime/core/choices.h"

namespace faultline {

uint32_t ByteChoices::below(uint32_t n) {
  uint32_t word = 0;
  for (int byte = 0; byte < 2 && used_ < bytes_.size(); ++byte) word |= uint32_t{bytes_[used_++]} << (8 * byte);
  return word % n;
}

uint32_t ExhaustiveChoices::below(uint32_t n) {
  if (used_ == digits_.size()) digits_.emplace_back(0, n);
  digits_[used_].second = n;
  return digits_[used_++].first;
}

bool ExhaustiveChoices::next() {
  digits_.resize(used_);
  used_ = 0;
  while (!digits_.empty()) {
    if (++digits_.back().first < digits_.back().second) return true;
    digits_.pop_back();
  }
  return false;
}

}  // namespace faultline
