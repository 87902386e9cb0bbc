// W3: one complete box of a tile map, one core's share of a dimension, or several of them listed by number.
#include <algorithm>

#include "checkers/patterns/where_sums.h"

namespace faultline {

namespace {

Sizes coordinates(int64_t number, const Sizes& grid) {
  Sizes at(grid.size());
  for (size_t d = grid.size(); d-- > 0; number /= grid[d]) at[d] = number % grid[d];
  return at;
}

// The box's number in another grid, or -1 outside it.
int64_t number_in(const Sizes& at, const Sizes& grid) {
  int64_t number = 0;
  for (size_t d = 0; d < grid.size(); ++d) {
    if (at[d] >= grid[d]) return -1;
    number = number * grid[d] + at[d];
  }
  return number;
}

PositionSet box_set(const Scorer& scorer, const TileShape& shape, const Sizes& at, int64_t cores) {
  if (!shape.dim) return PositionSet::tile(at, shape.extents);
  const int64_t size = scorer.scene().largest[static_cast<size_t>(*shape.dim)];
  const bool even = scorer.cases() == 1 && (size + cores - 1) / cores == shape.slab;
  return PositionSet::core(at[0], cores, *shape.dim, even ? 0 : shape.slab);
}

class BoxOffers {
 public:
  BoxOffers(Scorer& scorer, const TileShape& shape) : scorer_(scorer), shape_(shape) {
    for (size_t at = 0; at < scorer.cases(); ++at) {
      sums_.push_back(scorer.boxes(at, shape));
      grids_.push_back(scorer.scene().grid(shape, at));
      most_ = std::max(most_, static_cast<int64_t>(sums_.back().size()));
    }
  }

  void offer() {
    if (most_ < 2) return;
    for (size_t at = 0; at < sums_.size(); ++at) {
      const auto least = std::min_element(sums_[at].begin(), sums_[at].end());
      if (*least >= 0) continue;
      const Sizes box = coordinates(least - sums_[at].begin(), grids_[at]);
      scorer_.offer(scorer_.scene().shape_bits() + choice_bits(static_cast<double>(most_)), totals({box}), shape_.text,
                    [&] { return set({box}); });
      offer_several(at);
    }
  }

 private:
  // Every box that gains, as a list of k of the boxes; up to eight, so that the text stays readable.
  void offer_several(size_t at) {
    std::vector<Sizes> boxes;
    for (size_t k = 0; k < sums_[at].size(); ++k)
      if (sums_[at][k] < 0) boxes.push_back(coordinates(static_cast<int64_t>(k), grids_[at]));
    if (boxes.size() < 2 || boxes.size() > 8) return;
    const auto count = static_cast<double>(boxes.size());
    const double bits =
        scorer_.scene().shape_bits() + integer_bits(count) + choose_bits(static_cast<double>(most_), count);
    scorer_.offer(bits, totals(boxes), shape_.text, [&] { return set(boxes); });
  }

  std::vector<double> totals(const std::vector<Sizes>& boxes) const {
    std::vector<double> result(sums_.size(), 0.0);
    for (size_t at = 0; at < sums_.size(); ++at)
      for (const Sizes& box : boxes)
        if (const int64_t number = number_in(box, grids_[at]); number >= 0)
          result[at] += sums_[at][static_cast<size_t>(number)];
    return result;
  }

  PositionSet set(const std::vector<Sizes>& boxes) const {
    PositionSet whole = box_set(scorer_, shape_, boxes[0], most_);
    for (size_t k = 1; k < boxes.size(); ++k)
      whole = PositionSet::either(std::move(whole), box_set(scorer_, shape_, boxes[k], most_));
    return whole;
  }

  Scorer& scorer_;
  const TileShape& shape_;
  std::vector<std::vector<double>> sums_;
  std::vector<Sizes> grids_;
  int64_t most_ = 0;
};

void propose(Scorer& scorer) {
  for (const TileShape& shape : scorer.scene().shapes) BoxOffers(scorer, shape).offer();
}

}  // namespace

constinit const WhereFamily where_boxes{.id = "W3",
                                        .name = "whole tile or core's share",
                                        .layers = "tile.overlap,tile.gap,tile.dup,schedule.raw",
                                        .propose = propose};

}  // namespace faultline
