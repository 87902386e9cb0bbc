// Whether an armed fault fires at its next qualifying place.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/core/fault_spec.h"

namespace faultline {

// draw(seed, fault, site, occurrence) < numerator/denominator, by Philox on names and counts alone.
bool coin(const Ratio& ratio, uint64_t seed, std::string_view fault, std::string_view site, int64_t occurrence);

// One fault instance within one run. Conditions are and-ed in the order space, nth / every, p, times; counts are per
// instance.
class Trigger {
 public:
  explicit Trigger(const FaultSpec& spec);

  // A qualifying place is reached; `bytes` are those about to pass. Neither nth, every, p nor times set: fires every
  // time.
  bool fires(std::string_view site, int64_t bytes = 0);

  bool armed() const { return armed_; }
  int64_t reached() const { return reached_; }
  int64_t fired() const { return fired_; }

 private:
  const FaultSpec& spec_;
  bool armed_ = true;
  int64_t reached_ = 0, fired_ = 0, bytes_passed_ = 0;
};

}  // namespace faultline
