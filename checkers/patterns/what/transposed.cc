// V8: two axes swapped, in the whole tensor, within square tiles, or as an order of the elements; and two rows
// exchanged.
#include <fmt/format.h>

#include <utility>

#include "checkers/patterns/moves.h"

namespace faultline {

namespace {

bool equal_sizes(const Scene& scene, int a, int b) {
  for (const CaseView& view : scene.views)
    if (view.sizes[static_cast<size_t>(a)] != view.sizes[static_cast<size_t>(b)]) return false;
  return true;
}

void offer_swap(Proposals& proposals, int a, int b, double bits) {
  const Source source(proposals.scene());
  proposals.offer(
      bits,
      [source, a, b](size_t at, int64_t flat, int) {
        return source.moved(at, flat, source.position(at, flat, [&](int64_t* c) { std::swap(c[a], c[b]); }));
      },
      [&] { return fmt::format("transposed: dims {} and {} swapped", a, b); });
}

// The elements stand in the order of the tensor with axes a and b exchanged; `inverse` reads that order the other way.
void offer_order(Proposals& proposals, int a, int b, bool inverse, double bits) {
  const Scene& scene = proposals.scene();
  const Source source(scene);
  proposals.offer(
      bits,
      [source, a, b, inverse, &scene](size_t at, int64_t flat, int) {
        const Sizes& sizes = scene.views[at].sizes;
        Sizes exchanged = sizes;
        std::swap(exchanged[static_cast<size_t>(a)], exchanged[static_cast<size_t>(b)]);
        const Sizes& from = inverse ? sizes : exchanged;
        const Sizes& to = inverse ? exchanged : sizes;
        Sizes at_coordinates(sizes.size());
        for (size_t d = sizes.size(); d-- > 0; flat /= from[d]) at_coordinates[d] = flat % from[d];
        std::swap(at_coordinates[static_cast<size_t>(a)], at_coordinates[static_cast<size_t>(b)]);
        int64_t position = 0;
        for (size_t d = 0; d < sizes.size(); ++d) position = position * to[d] + at_coordinates[d];
        return source.element(at, position);
      },
      [&] { return fmt::format("in the order of dims {} and {} swapped{}", a, b, inverse ? " (read back)" : ""); });
}

void offer_tiles(Proposals& proposals) {
  const Scene& scene = proposals.scene();
  int64_t squares = 0;
  for (const TileShape& shape : scene.shapes) squares += shape.square() ? 1 : 0;
  for (const TileShape& shape : scene.shapes) {
    if (!shape.square()) continue;
    const int64_t side = shape.extents[0];
    const int a = scene.rank - 2, b = scene.rank - 1;
    const Source source(scene);
    proposals.offer(
        choice_bits(static_cast<double>(squares)),
        [source, side, a, b](size_t at, int64_t flat, int) {
          return source.moved(at, flat, source.position(at, flat, [&](int64_t* c) {
            const int64_t row = c[a] % side, column = c[b] % side;
            c[a] += column - row;
            c[b] += row - column;
          }));
        },
        [&] { return fmt::format("transposed within {0}x{0}", side); });
  }
}

void offer_exchanges(Proposals& proposals) {
  const Scene& scene = proposals.scene();
  const Source source(scene);
  std::map<std::array<int64_t, 3>, int64_t> votes;  // dim, smaller row, larger row
  const std::vector<std::vector<int64_t>>& hits = proposals.in_reference();
  for (size_t k = 0; k < proposals.probes().size(); ++k)
    for (const int64_t hit : hits[k]) {
      const Probe& probe = proposals.probes()[k];
      const int d = differing_dim(scene, source, probe, hit);
      if (d < 0) continue;
      const auto [low, high] =
          std::minmax({scene.views[probe.at].coordinate_of(probe.flat, d), source.coordinate(probe.at, hit, d)});
      ++votes[{d, low, high}];
    }
  for (const auto& [dim, low, high] : most_common(votes, 2)) {
    const int d = static_cast<int>(dim);
    const int64_t r = low, s = high;
    proposals.offer(
        scene.dim_bits() + 2 * scene.row_bits(d),
        [source, d, r, s](size_t at, int64_t flat, int) {
          return source.moved(at, flat, source.position(at, flat, [&](int64_t* c) {
            if (c[d] == r)
              c[d] = s;
            else if (c[d] == s)
              c[d] = r;
          }));
        },
        [&] { return fmt::format("indices {} and {} of dim {} exchanged", r, s, d); });
  }
}

void propose(Proposals& proposals) {
  const Scene& scene = proposals.scene();
  const double pair_bits = choice_bits(scene.rank * (scene.rank - 1) / 2.0);
  for (int a = 0; a < scene.rank; ++a)
    for (int b = a + 1; b < scene.rank; ++b) {
      if (equal_sizes(scene, a, b)) {
        offer_swap(proposals, a, b, pair_bits);
        continue;
      }
      offer_order(proposals, a, b, false, pair_bits + 1);
      offer_order(proposals, a, b, true, pair_bits + 1);
    }
  offer_tiles(proposals);
  offer_exchanges(proposals);
}

}  // namespace

constinit const WhatFamily what_transposed{.id = "V8",
                                           .name = "transposed or exchanged",
                                           .layers = "layout.order,layout.stride",
                                           .moves = true,
                                           .propose = propose};

}  // namespace faultline
