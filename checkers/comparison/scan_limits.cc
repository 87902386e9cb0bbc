// The limits that keep a scan's arithmetic away from overflow, underflow and its own rounding.
//
// In binary32 a bound of up to three products and sums, a difference and a quotient are each off by 2^-24 at most,
// together less than 2^-20: r below 1 - 2^-20 passes for certain, what is above is judged in binary64. A bound of a few
// whole or halved ulps is exact, and so is a difference of that size: there r = 1 itself passes.
//
// A difference of 0 needs no bound but still a number of small logarithm to be told from r = 1: bounds have a least,
// which is lost in any bound that a scan may use.
#include "checkers/comparison/scan_limits.h"

#include <algorithm>
#include <cmath>

namespace faultline {

namespace {

bool within(double part, double least, double most) { return part == 0 || (part >= least && part <= most); }

// ulps * ulp(|y|) as a share of the power of two at or below |y|.
double scaled_ulps(const ScanBound& bound) {
  return bound.ulps / static_cast<double>(uint64_t{1} << bound.fraction_bits);
}

// The exponents of 16-bit and 8-bit floats leave room on both sides.
void limit_narrow(ScanLimits& limits, const FormatLimits& format) {
  ScanBound& bound = limits.bound;
  const double scaled = scaled_ulps(bound);
  bound.lowest_power = format.smallest_normal;
  limits.usable = within(bound.relative, 0x1p-60, 0x1p20) && within(scaled, 0x1p-60, 0x1p20) &&
                  within(bound.floor, 0x1p-80, 0x1p40);
  bound.floor = std::max(bound.floor, 0x1p-110);
}

// The exponents of the lanes are those of the format: bounds are at least `lowest`, in which `lost` is lost, and no |y|
// is looked at of which they would be less.
void limit_wide(ScanLimits& limits, double lowest, double lost, double part_least) {
  ScanBound& bound = limits.bound;
  const double scaled = scaled_ulps(bound);
  const double slope = std::max(bound.relative, scaled / 2);
  limits.usable = within(bound.relative, part_least, 0.25) && within(scaled, part_least, 0.25) &&
                  within(bound.floor, lowest, 1 / lowest);
  bound.least = lowest * 0x1p10;
  if (slope > 0) bound.least = std::max(bound.least, lowest / slope);
  bound.lowest_power = lowest * 0x1p-10;
  bound.floor = std::max(bound.floor, lost);
}

void limit_given(ScanLimits& limits, const JudgeRules& rules) {
  ScanBound& bound = limits.bound;
  limits.form = ScanForm::with_bounds;
  bound.least = 0x1p-900;
  bound.lowest_power = bound.highest_power = 1;
  if (!is_float(rules.dtype)) return;
  const FormatLimits& format = kFormatLimits[static_cast<int>(host_format(rules.dtype))];
  bound.fraction_bits = format.precision_bits - 1;
  bound.lowest_power = format.smallest_normal;
  bound.highest_power = std::ldexp(1, std::ilogb(format.largest));
}

}  // namespace

ScanLimits scan_limits(const JudgeRules& rules) {
  ScanLimits limits;
  if (rules.mode == JudgeRules::Mode::bits) return limits;
  if (rules.mode == JudgeRules::Mode::given) {
    limit_given(limits, rules);
    limits.lane_bytes = sizeof(double);
    return limits;
  }
  const Format format = host_format(rules.dtype);
  const int precision = faultline::limits(format).precision_bits;
  if (rules.dtype != DType::f8e4m3 && rules.dtype != DType::f8e5m2)
    limits.lane_bytes = static_cast<size_t>(byte_size(rules.dtype));
  ScanBound& bound = limits.bound;
  bound.relative = rules.bound.relative;
  bound.ulps = rules.bound.ulps;
  bound.floor = rules.bound.floor;
  bound.fraction_bits = precision - 1;
  switch (format) {
    case Format::f64: limits.form = ScanForm::f64; break;
    case Format::f32: limits.form = ScanForm::f32; break;
    case Format::bf16: limits.form = ScanForm::bf16; break;
    case Format::f16: limits.form = ScanForm::f16; break;
    default: limits.form = ScanForm::widened; limits.widens = true;
  }
  // In binary64 r is what decides.
  const bool whole_ulps = bound.relative == 0 && bound.floor == 0 &&
                          bound.ulps <= static_cast<double>(uint64_t{1} << precision) / 8 &&
                          static_cast<double>(static_cast<float>(bound.ulps)) == bound.ulps;
  bound.passes_to = !rules.single || whole_ulps ? 1 : 1 - 0x1p-20;
  if (format == Format::f64)
    limit_wide(limits, 0x1p-900, 0x1p-1000, 0x1p-100);
  else if (format == Format::f32 || format == Format::bf16)
    limit_wide(limits, 0x1p-90, 0x1p-117, 0x1p-40);
  else
    limit_narrow(limits, faultline::limits(format));
  return limits;
}

}  // namespace faultline
