// The error of rounding a value to one format after another, as a function of its magnitude.
//
// Between twice the largest of the smallest normals and the least of the largest numbers, every step errs by so many
// ulps whose size is a power of two times that of the magnitude's binade: the steps add up to one factor of it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "runtime/base/error.h"
#include "runtime/numerics/format.h"

namespace faultline {

class RoundingCost {
 public:
  // `ulps` of `format`, and `near_zero` besides under twice its smallest normal.
  void add(Format format, double ulps, double near_zero) {
    FAULTLINE_CHECK(count_ < kSteps, "steps of rounding");
    const FormatLimits& limit = limits(format);
    steps_[count_++] = {format, ulps, near_zero};
    factor_ += ulps * std::ldexp(1, 1 - limit.precision_bits);
    from_ = std::max(from_, 2 * limit.smallest_normal);
    to_ = std::min(to_, limit.largest);
  }

  [[gnu::always_inline]] double of(double magnitude) const {
    if (magnitude >= from_ && magnitude <= to_) [[likely]] {
      constexpr uint64_t exponent = uint64_t{0x7FF} << 52;
      return factor_ * std::bit_cast<double>(std::bit_cast<uint64_t>(magnitude) & exponent);
    }
    return at_edge(magnitude);
  }

 private:
  static constexpr int kSteps = 5;
  struct Step {
    Format format;
    double ulps, near_zero;
  };

  double at_edge(double magnitude) const {
    double error = 0;
    for (int i = 0; i < count_; ++i) {
      error += steps_[i].ulps * ulp(steps_[i].format, magnitude);
      if (magnitude < 2 * limits(steps_[i].format).smallest_normal) error += steps_[i].near_zero;
    }
    return error;
  }

  std::array<Step, kSteps> steps_;
  int count_ = 0;
  double factor_ = 0;  // of the power of two at or below the magnitude
  double from_ = 0, to_ = std::numeric_limits<double>::max();
};

}  // namespace faultline
