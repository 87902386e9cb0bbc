// Triggers: counts and counter-based coins.
#include "faults/trigger.h"

#include "runtime/base/philox.h"

namespace faultline {

bool coin(const Ratio& ratio, uint64_t seed, std::string_view fault, std::string_view site, int64_t occurrence) {
  const auto denominator = static_cast<uint32_t>(ratio.denominator);
  const std::array<uint32_t, 2> key = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  for (uint32_t index = 0;; ++index) {
    const uint32_t word =
        philox4x32_10({fnv1a32(fault), fnv1a32(site), static_cast<uint32_t>(occurrence), index}, key)[0];
    const uint64_t product = uint64_t{word} * denominator;
    if (static_cast<uint32_t>(product) >= -denominator % denominator)
      return (product >> 32) < static_cast<uint64_t>(ratio.numerator);
  }
}

Trigger::Trigger(const FaultSpec& spec) : spec_(spec) {
  if (spec.arm) armed_ = coin(*spec.arm, spec.seed, spec.id, "arm", 0);
}

bool Trigger::fires(std::string_view site, int64_t bytes) {
  if (!armed_) return false;
  ++reached_;
  if (spec_.space > 0 && bytes_passed_ < spec_.space) {
    bytes_passed_ += bytes;
    return false;
  }
  if (spec_.nth > 0 && reached_ != spec_.nth) return false;
  if (spec_.every > 0 && reached_ % spec_.every != 0) return false;
  if (spec_.p && !coin(*spec_.p, spec_.seed, spec_.id, site, reached_)) return false;
  if (spec_.times > 0 && fired_ >= spec_.times) return false;
  ++fired_;
  return true;
}

}  // namespace faultline
