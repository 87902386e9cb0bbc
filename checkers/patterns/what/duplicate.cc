// V9: the contents of another tile, slab or unit, which is itself right, at the same place within it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "checkers/patterns/moves.h"

namespace faultline {

namespace {

// A division of the positions into equal parts: along one dimension (-1: flat), or boxes over the last dimensions.
struct Division {
  int dim = 0;
  int64_t unit = 0;
  Sizes extents;  // of boxes; empty otherwise
};

struct Place {
  Sizes part;   // which
  Sizes local;  // where in it, with the other coordinates
  auto operator<=>(const Place&) const = default;
};

Place place_in(const CaseView& view, const Division& division, int64_t flat) {
  if (division.extents.empty() && division.dim < 0) return {{flat / division.unit}, {flat % division.unit}};
  Place place;
  const size_t lead = view.sizes.size() - division.extents.size();
  for (size_t d = 0; d < view.sizes.size(); ++d) {
    const int64_t at = view.coordinate_of(flat, static_cast<int>(d));
    int64_t extent = 0;
    if (division.extents.empty())
      extent = static_cast<int>(d) == division.dim ? division.unit : 0;
    else if (d >= lead)
      extent = division.extents[d - lead];
    if (extent > 0) place.part.push_back(at / extent);
    place.local.push_back(extent > 0 ? at % extent : at);
  }
  return place;
}

void offer_part(Proposals& proposals, const Division& division, const Sizes& part, double bits,
                const std::string& text) {
  const Scene& scene = proposals.scene();
  const Source source(scene);
  proposals.offer(
      bits,
      [source, division, part, &scene](size_t at, int64_t flat, int) {
        if (division.extents.empty() && division.dim < 0)
          return source.moved(at, flat, part[0] * division.unit + flat % division.unit);
        const size_t lead = scene.views[at].sizes.size() - division.extents.size();
        return source.moved(at, flat, source.position(at, flat, [&](int64_t* c) {
          if (division.extents.empty()) c[division.dim] = part[0] * division.unit + c[division.dim] % division.unit;
          for (size_t d = 0; d < division.extents.size(); ++d)
            c[lead + d] = part[d] * division.extents[d] + c[lead + d] % division.extents[d];
        }));
      },
      [&] { return text; });
}

// Parts that the probes' values come from, the commonest first; only elements that are themselves right count.
std::vector<Sizes> voted(Proposals& proposals, const Division& division) {
  const Scene& scene = proposals.scene();
  std::map<Sizes, int64_t> votes;
  const std::vector<std::vector<int64_t>>& hits = proposals.in_reference();
  for (size_t k = 0; k < proposals.probes().size(); ++k) {
    const Probe& probe = proposals.probes()[k];
    const Place own = place_in(scene.views[probe.at], division, probe.flat);
    for (const int64_t hit : hits[k]) {
      if (scene.cases[probe.at].failing[static_cast<size_t>(hit)] != 0) continue;
      const Place other = place_in(scene.views[probe.at], division, hit);
      if (other.local == own.local && other.part != own.part) ++votes[other.part];
    }
  }
  std::vector<Sizes> parts = most_common(votes, 2);
  // Rounding hides copies; the first part is what a lost address step repeats.
  const Sizes first(division.extents.empty() ? 1 : division.extents.size(), 0);
  if (!scene.exact && parts.empty()) parts.push_back(first);
  return parts;
}

void propose(Proposals& proposals) {
  const Scene& scene = proposals.scene();
  for (const TileShape& shape : scene.shapes) {
    const Division division{shape.dim.value_or(0), shape.slab, shape.extents};
    int64_t boxes = 0;
    for (size_t at = 0; at < scene.views.size(); ++at) boxes = std::max(boxes, element_count(scene.grid(shape, at)));
    const double bits = scene.shape_bits() + choice_bits(static_cast<double>(boxes));
    for (const Sizes& part : voted(proposals, division))
      offer_part(proposals, division, part, bits,
                 fmt::format("duplicate of {} number ({})", shape.text, fmt::join(part, ",")));
  }
  for (const ScalarUnit& unit : scene.units)
    for (int d = scene.rank > 1 ? -1 : 0; d < scene.rank; ++d) {
      const int64_t size = d < 0 ? scene.count_max : scene.largest[static_cast<size_t>(d)];
      if ((d < 0 ? unit.dim.has_value() : !unit.fits(d)) || unit.elements >= size) continue;
      const Division division{d, unit.elements, {}};
      const double parts = static_cast<double>((size + unit.elements - 1) / unit.elements);
      const double bits = choice_bits(scene.rank > 1 ? scene.rank + 1.0 : 1.0) + scene.unit_bits() + choice_bits(parts);
      for (const Sizes& part : voted(proposals, division))
        offer_part(
            proposals, division, part, bits,
            fmt::format("duplicate of {} number {}{}", unit.text, part[0], d < 0 ? "" : fmt::format(" of dim {}", d)));
    }
}

}  // namespace

constinit const WhatFamily what_duplicate{.id = "V9",
                                          .name = "duplicate",
                                          .layers = "tile.dup,schedule.addr,transfer.duplicate",
                                          .moves = true,
                                          .propose = propose};

}  // namespace faultline
