// V17: got / reference is constant: a power of two exactly, or another factor to rounding.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "checkers/patterns/element.h"
#include "checkers/patterns/moves.h"

namespace faultline {

namespace {

constexpr double kExponents = 128;  // 2^k with k in [-64, 64)

// As many digits as rounding lets the factor be known to.
std::string factor_text(double factor, double place) {
  const double whole = std::round(1 / factor);
  if (std::fabs(whole) > 1 && std::fabs(1 / factor - whole) < std::max(1e-3, place) * std::fabs(whole))
    return fmt::format("1/{}", whole);
  return fmt::format("{:.{}g}", factor, place > 1e-3 ? 2 : place > 1e-6 ? 3 : 6);
}

void offer_factor(Proposals& proposals, double factor, double bits, bool rounded) {
  const Scene& scene = proposals.scene();
  const double place = is_float(scene.dtype) ? std::ldexp(1, -float_fields(scene.dtype).fraction) : 0;
  proposals.offer(
      bits,
      [&scene, factor, rounded, place](size_t at, int64_t flat, int) {
        Predicted scaled = reference_at(scene, at, flat);
        const double value = value_of(scene.dtype, scaled.bits) * factor;
        scaled.bits = bits_of(scene.dtype, value);
        scaled.tolerance *= std::fabs(factor);
        // The factor is known to about one unit in the last place, and so is the product.
        if (rounded) scaled.tolerance += 2 * place * std::fabs(value);
        return scaled;
      },
      [&] { return "scaled by " + factor_text(factor, rounded ? place : 0); });
}

void propose(Proposals& proposals) {
  const Scene& scene = proposals.scene();
  if (scene.dtype == DType::boolean) return;
  std::map<int, int64_t> powers;
  std::vector<double> ratios;
  for (const Probe& probe : proposals.probes()) {
    const double right = value_of(scene.dtype, probe.reference), wrong = value_of(scene.dtype, probe.got);
    if (right == 0 || wrong == 0 || !std::isfinite(right) || !std::isfinite(wrong)) continue;
    const double ratio = wrong / right;
    int power = 0;
    const double mantissa = std::frexp(ratio, &power);
    if (mantissa == 0.5 && std::abs(power - 1) < kExponents / 2) ++powers[power - 1];
    ratios.push_back(ratio);
  }
  for (const int power : most_common(powers, 2))
    offer_factor(proposals, std::ldexp(1, power), choice_bits(kExponents), false);
  if (ratios.size() < 3) return;
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<ptrdiff_t>(ratios.size() / 2), ratios.end());
  const double middle = ratios[ratios.size() / 2];
  const double place = is_float(scene.dtype) ? std::ldexp(1, -float_fields(scene.dtype).fraction) : 0;
  // A factor of one to rounding would explain right elements, not wrong ones.
  if (std::fabs(middle - 1) <= 8 * place) return;
  if (is_integer(scene.dtype) && middle != std::round(middle)) return;
  offer_factor(proposals, middle, scene.width, is_float(scene.dtype));
}

}  // namespace

constinit const WhatFamily what_scaled{.id = "V17",
                                       .name = "scaled",
                                       .layers = "numerics.scale,tile.ksplit,decompose.formula",
                                       .moves = false,
                                       .propose = propose};

}  // namespace faultline
