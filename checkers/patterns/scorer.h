// Prices places for one kind of value. With d_i = (V misses i) - (i is wrong now), the exceptions of V on W are
//
//   X(W) = wrong now + sum over i in W of d_i
//
// so that every family of places is a minimum over sums of d along a dimension, a period or a box: O(N) once, then the
// size of the family. Ties go to the smallest set: positions where nothing can be seen stay outside.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "checkers/patterns/code_length.h"
#include "checkers/patterns/families.h"
#include "checkers/patterns/scene.h"

namespace faultline {

// What stands there instead: for a case, a position and a run (0, or 1 for the second poison) the bits, if known.
struct Predicted {
  bool known = false;
  uint64_t bits = 0;
  double tolerance = 0;  // largest difference in value that still agrees
  bool own = false;      // the element's own reference, by the rule itself: nothing is moved here
};
using Predict = std::function<Predicted(size_t at, int64_t flat, int run)>;

struct WhatInstance {
  const WhatFamily* family = nullptr;
  double bits = 0;
  std::string text;
  Predict predict;  // null: the values are listed one by one
  bool garbage = false;

  bool listed() const { return predict == nullptr; }
};

// Whether `got` of every run agrees with the prediction.
bool agrees(const Scene& scene, const WhatInstance& what, size_t at, int64_t flat);

// What is still to be explained: at first the failing elements, later the exceptions of an explanation.
struct Residual {
  std::vector<std::vector<uint8_t>> wrong;   // [case][sample]
  std::vector<double> total;                 // weighted, of each case
  std::vector<std::vector<int64_t>> probes;  // up to 64 flat positions of each case
  double parameter_bits = 0;                 // of the explanations already applied

  double all() const;
};
Residual failing_elements(const Scene& scene);

// A priced explanation.
struct Found {
  PositionSet set;
  std::string unit;
  const WhereFamily* where = nullptr;
  std::shared_ptr<const WhatInstance> what;
  double parameter_bits = 0;
  double bits = 0;
  std::vector<double> exceptions = {};     // of each case
  std::vector<std::string> readings = {};  // as part of a composite: other rules that say the same at this place

  double exceptions_all() const;
};

// I(x) + log2 C(N, x), remembered.
class ListCost {
 public:
  explicit ListCost(const Scene& scene);
  double operator()(size_t at, double count);

 private:
  std::vector<double> total_;
  std::vector<std::vector<double>> known_;
};

class Scorer {
 public:
  Scorer(const Scene& scene, const Residual& residual, ListCost& cost);

  // Prepares the sums for `what`; false where it explains no wrong element.
  bool load(std::shared_ptr<const WhatInstance> what);
  // Places offered since load, cheapest first, only the best few and those within reach of the best.
  std::vector<Found> take();
  void set_family(const WhereFamily* family) { family_ = family; }
  double best_seen() const { return best_seen_; }
  // Whether the loaded rule knows no value for some element that is right now.
  bool has_unknown() const { return has_unknown_; }

  const Scene& scene() const { return scene_; }
  const WhatInstance& what() const { return *what_; }
  size_t cases() const { return sums_.size(); }

  // Samples with d_i != 0, ascending, and those d_i.
  const std::vector<int32_t>& hot(size_t at) const { return sums_[at].hot; }
  const std::vector<float>& delta(size_t at) const { return sums_[at].delta; }
  // Sum of all d_i; sums of d_i by coordinate, by residue of the flat position, by box, by feature.
  double everything(size_t at) const { return sums_[at].everything; }
  const std::vector<double>& along(size_t at, int dim) const { return sums_[at].along[static_cast<size_t>(dim)]; }
  std::vector<double> residues(size_t at, int64_t modulus, bool physical = false) const;
  std::vector<double> boxes(size_t at, const TileShape& shape) const;
  std::vector<double> by_feature(size_t at, size_t feature) const;

  // Offers one place: sums[c] is the sum of d_i over it in case c.
  template <class Make>
  void offer(double place_bits, const std::vector<double>& sums, std::string_view unit, Make&& make) {
    const double bits = price(place_bits, sums);
    if (bits < keep_below_) keep(bits, place_bits, sums, unit, make());
  }

  // Offers the cheapest of the places numbered in `order` = first, first + step, ... `count` of them: sum(case, k).
  // Earlier ones win ties, so go from small sets to large.
  template <class Sum, class Make>
  void offer_best(double place_bits, std::string_view unit, int64_t first, int64_t step, int64_t count, Sum&& sum,
                  Make&& make) {
    int64_t best = first;
    double least = std::numeric_limits<double>::infinity();
    std::vector<double> sums(cases());
    for (int64_t n = 0, k = first; n < count; ++n, k += step) {
      for (size_t c = 0; c < sums.size(); ++c) sums[c] = sum(c, k);
      // One case: fewer exceptions are fewer bits.
      const double value = sums.size() == 1 ? sums[0] : price(place_bits, sums);
      if (value < least) least = value, best = k;
    }
    if (count <= 0) return;
    for (size_t c = 0; c < sums.size(); ++c) sums[c] = sum(c, best);
    offer(place_bits, sums, unit, [&] { return make(best); });
  }

 private:
  struct CaseSums {
    std::vector<int32_t> hot;
    std::vector<float> delta;
    double everything = 0;
    std::vector<std::vector<double>> along;
    std::vector<double> folded[2];  // by residue modulo the scene's period: of the flat, and of the storage position
  };

  // Infinity where the place explains no more than it breaks.
  double price(double place_bits, const std::vector<double>& sums);
  void keep(double bits, double place_bits, const std::vector<double>& sums, std::string_view unit, PositionSet set);
  void sum_case(size_t at);
  std::vector<double> fold(size_t at, int64_t modulus, bool physical) const;

  const Scene& scene_;
  const Residual& residual_;
  ListCost& cost_;
  std::shared_ptr<const WhatInstance> what_;
  const WhereFamily* family_ = nullptr;
  double fixed_bits_ = 0;
  double exception_bits_ = 0;
  mutable std::vector<CaseSums> sums_;  // `folded` is filled when it is first asked for
  std::vector<Found> found_;
  double keep_below_ = 0;
  bool has_unknown_ = false;
  double best_seen_ = std::numeric_limits<double>::infinity();
};

// Half-open bounds of the shortest run of entries with the least sum; empty where no sum is negative.
std::pair<int64_t, int64_t> least_run(const std::vector<double>& values);

}  // namespace faultline
