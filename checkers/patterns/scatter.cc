// Codes of single values, and the lengths of scatter.
#include "checkers/patterns/scatter.h"

#include <algorithm>
#include <bit>

#include "checkers/patterns/solution.h"

namespace faultline {

namespace {

constexpr double kKindBits = 2;

// For each needle, whether a known tensor of the case holds it.
std::vector<uint8_t> occurring(const Scene& scene, size_t at, const std::vector<uint64_t>& needles) {
  std::vector<uint8_t> found(needles.size(), 0);
  const auto look = [&](const std::vector<std::vector<int64_t>>& hits) {
    for (size_t k = 0; k < hits.size(); ++k) found[k] |= hits[k].empty() ? 0 : 1;
  };
  look(find_values(scene.cases[at].reference, needles, 1));
  for (const KnownBuffer& buffer : scene.buffers) look(find_values(*buffer.bits[at], needles, 1));
  return found;
}

}  // namespace

ValueCodes::ValueCodes(const Scene& scene) {
  const double flip = choice_bits(scene.width);
  for (size_t at = 0; at < scene.views.size(); ++at) {
    const CaseView& view = scene.views[at];
    const double copy = choice_bits(static_cast<double>(view.count) * static_cast<double>(1 + scene.buffers.size()));
    std::vector<double>& bits = bits_.emplace_back(view.flat.size(), kKindBits);
    std::vector<uint64_t> values;
    std::vector<size_t> samples;
    for (size_t k = 0; k < view.flat.size(); ++k)
      if (view.failing[k] != 0) {
        samples.push_back(k);
        values.push_back(view.source->got[static_cast<size_t>(view.flat[k])]);
      }
    const std::vector<uint8_t> copied = occurring(scene, at, values);
    double total = 0;
    for (size_t n = 0; n < samples.size(); ++n) {
      const uint64_t right = view.source->reference[static_cast<size_t>(view.flat[samples[n]])];
      double least = scene.width;
      if (copied[n] != 0) least = std::min(least, copy);
      if (std::popcount(values[n] ^ right) == 1) least = std::min(least, flip);
      if (values[n] == 0) least = 0;
      bits[samples[n]] += least;
      total += bits[samples[n]] * static_cast<double>(view.weight[samples[n]]);
    }
    wrong_bits_.push_back(total);
  }
}

double scattered_list_bits(const Scene& scene, const ValueCodes& codes) {
  double bits = 0;
  for (size_t at = 0; at < scene.views.size(); ++at) {
    const CaseView& view = scene.views[at];
    bits += kFamilyBits + list_bits(static_cast<double>(view.count), view.failing_total, 0) + codes.wrong_bits(at);
  }
  return bits;
}

double recoded_bits(const Scene& scene, const ValueCodes& codes, const std::vector<Found>& parts, double bits) {
  const Residual left = apply_parts(scene, parts);
  for (size_t at = 0; at < scene.views.size(); ++at)
    for (size_t k = 0; k < left.wrong[at].size(); ++k)
      if (left.wrong[at][k] != 0)
        bits += (codes.bits(at, k) - scene.width) * static_cast<double>(scene.views[at].weight[k]);
  return bits;
}

double scattered_rule_bits(const Scorer& scorer, const ValueCodes& codes, double parameter_bits) {
  const Scene& scene = scorer.scene();
  double bits = 2 * kFamilyBits + parameter_bits;
  for (size_t at = 0; at < scene.views.size(); ++at) {
    const CaseView& view = scene.views[at];
    double explained = 0, values = codes.wrong_bits(at);
    for (size_t k = 0; k < scorer.hot(at).size(); ++k) {
      if (scorer.delta(at)[k] >= 0) continue;
      explained -= scorer.delta(at)[k];
      values += scorer.delta(at)[k] * codes.bits(at, static_cast<size_t>(scorer.hot(at)[k]));
    }
    const auto total = static_cast<double>(view.count);
    bits +=
        list_bits(total, explained, 0) + list_bits(total, std::max(0.0, view.failing_total - explained), 0) + values;
  }
  return bits;
}

}  // namespace faultline
