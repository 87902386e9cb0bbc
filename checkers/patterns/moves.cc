// Moved values: positions in a source, and shifts. Candidates for n are voted for by the probes whose wrong value
// occurs in the source; where rounding makes copies inexact, the shifts that a machine is likely to make are tried
// instead.
#include "checkers/patterns/moves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace faultline {

const Sizes& Source::sizes(size_t at) const {
  return buffer_ < 0 ? scene_->views[at].sizes : scene_->buffers[static_cast<size_t>(buffer_)].sizes[at];
}

Predicted Source::element(size_t at, int64_t flat) const {
  const std::vector<uint64_t>& bits =
      buffer_ < 0 ? scene_->cases[at].reference : *scene_->buffers[static_cast<size_t>(buffer_)].bits[at];
  if (flat < 0 || flat >= static_cast<int64_t>(bits.size())) return {};
  return {true, bits[static_cast<size_t>(flat)], buffer_ < 0 ? scene_->views[at].tolerance_at(flat) : 0};
}

int64_t Source::coordinate(size_t at, int64_t flat, int d) const {
  const Sizes& own = sizes(at);
  for (size_t k = own.size(); --k > static_cast<size_t>(d);) flat /= own[k];
  return flat % own[static_cast<size_t>(d)];
}

Predicted reference_at(const Scene& scene, size_t at, int64_t flat) {
  return {true, scene.cases[at].reference[static_cast<size_t>(flat)], scene.views[at].tolerance_at(flat)};
}

int differing_dim(const Scene& scene, const Source& source, const Probe& probe, int64_t hit) {
  const CaseView& view = scene.views[probe.at];
  if (source.sizes(probe.at).size() != view.sizes.size()) return -1;
  int found = -1;
  for (int d = 0; d < scene.rank; ++d) {
    if (source.coordinate(probe.at, hit, d) == view.coordinate_of(probe.flat, d)) continue;
    if (found >= 0) return -1;
    found = d;
  }
  return found;
}

namespace {

std::string axis_text(const Scene& scene, int d, int64_t n) {
  if (scene.rank == 1) return fmt::format("shifted by {}", n);
  const std::string_view plural = n == 1 || n == -1 ? "" : "s";
  if (d == 0) return fmt::format("shifted by {} row{}", n, plural);
  if (d == scene.rank - 1) return fmt::format("shifted by {} column{}", n, plural);
  return fmt::format("shifted by {} along dim {}", n, d);
}

void offer_axis(Proposals& proposals, const Source& source, int d, int64_t n, double base_bits,
                const std::string& prefix) {
  const Scene& scene = proposals.scene();
  // Short steps are named cheaply.
  const double step_bits =
      std::abs(n) <= 2 ? 2 : choice_bits(2.0 * static_cast<double>(scene.largest[static_cast<size_t>(d)]));
  proposals.offer(
      base_bits + scene.dim_bits() + step_bits,
      [source, d, n](size_t at, int64_t flat, int) {
        return source.element(at, source.position(at, flat, [&](int64_t* coordinates) { coordinates[d] -= n; }));
      },
      [&] { return prefix + axis_text(scene, d, n); });
}

void offer_flat(Proposals& proposals, const Source& source, int64_t n, double base_bits, const std::string& prefix) {
  const Scene& scene = proposals.scene();
  proposals.offer(
      base_bits + choice_bits(2.0 * static_cast<double>(scene.count_max)),
      [source, n](size_t at, int64_t flat, int) { return source.element(at, flat - n); },
      [&] { return prefix + fmt::format("shifted by {} flat positions", n); });
}

// The shifts that need no evidence: one, two, a unit.
void offer_likely(Proposals& proposals, const Source& source, double base_bits, const std::string& prefix) {
  const Scene& scene = proposals.scene();
  for (int d = 0; d < scene.rank; ++d) {
    std::vector<int64_t> steps{1, 2};
    for (const ScalarUnit& unit : scene.units)
      if (unit.fits(d) && unit.elements < scene.largest[static_cast<size_t>(d)]) steps.push_back(unit.elements);
    for (const int64_t step : steps)
      for (const int64_t n : {step, -step}) offer_axis(proposals, source, d, n, base_bits, prefix);
  }
}

}  // namespace

void offer_shifts(Proposals& proposals, const Source& source, const std::vector<std::vector<int64_t>>& hits,
                  double base_bits, const std::string& prefix) {
  const Scene& scene = proposals.scene();
  std::map<std::pair<int, int64_t>, int64_t> axis;
  std::map<int64_t, int64_t> flat;
  for (size_t k = 0; k < proposals.probes().size(); ++k) {
    const Probe& probe = proposals.probes()[k];
    for (const int64_t hit : hits[k]) {
      if (probe.flat != hit) ++flat[probe.flat - hit];
      const int d = differing_dim(scene, source, probe, hit);
      if (d < 0) continue;
      ++axis[{d, scene.views[probe.at].coordinate_of(probe.flat, d) - source.coordinate(probe.at, hit, d)}];
    }
  }
  for (const auto& [d, n] : most_common(axis, 4)) offer_axis(proposals, source, d, n, base_bits, prefix);
  // In rank 1 the flat position is the coordinate.
  if (scene.rank > 1)
    for (const int64_t n : most_common(flat, 3)) offer_flat(proposals, source, n, base_bits, prefix);
  if (!scene.exact && source.is_reference()) offer_likely(proposals, source, base_bits, prefix);
}

}  // namespace faultline
