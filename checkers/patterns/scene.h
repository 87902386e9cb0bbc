// The cases of one question, prepared once: sampled positions with coordinates, unit hints as lists of scalar units and
// of tile shapes, features of the values, probes. Everything the families need to propose and to score.
//
// Above kSampleLimit elements a case is seen through a sample: every failing element (a share of them where they alone
// are too many) and a share of the others, each weighted by the number it stands for. Winners are verified on all
// elements.
#pragma once

#include <array>
#include <memory>

#include "checkers/patterns/pattern.h"

namespace faultline {

inline constexpr int64_t kSampleLimit = 65536;

struct ScalarUnit {
  int64_t elements;
  std::string text;        // "stick 64"
  std::optional<int> dim;  // only along this dimension

  bool fits(int d) const { return !dim || *dim == d; }
};

// A box over the last dimensions, or a slab of one dimension (all other extents whole).
struct TileShape {
  Sizes extents;           // of a box
  std::optional<int> dim;  // of a slab
  int64_t slab = 0;
  std::string text;

  bool square() const { return !dim && extents.size() == 2 && extents[0] == extents[1]; }
};

// A property of the elements with few values: the exponent field of the reference, the sign of an input.
struct Feature {
  std::string feature;
  std::string source;
  int bins = 0;
  std::vector<int32_t> bin;  // of each sample
};

struct CaseView {
  const ObservedCase* source = nullptr;
  Sizes sizes;  // never of rank 0: a scalar is seen as {1}
  Sizes inner;  // row-major strides
  int64_t count = 0;
  bool sampled = false;
  std::vector<int64_t> flat;
  std::vector<float> weight;
  std::vector<uint8_t> failing;
  std::vector<std::vector<int32_t>> coordinate;  // [dim][sample]
  std::vector<std::vector<int32_t>> box;         // [shape][sample]: number in the grid of that shape
  double failing_total = 0;
  std::vector<int64_t> failing_flat;  // ascending; all of them
  std::vector<int64_t> probes;        // up to 64 of those, spread
  std::vector<Feature> features;
  std::vector<int32_t> by_magnitude;  // samples by ascending |reference|
  std::vector<int32_t> by_storage;    // samples in memory order; empty where that is the logical order
  std::vector<int64_t> storage;       // storage position of each sample, where by_storage is given
  int64_t storage_count = 0;

  int64_t coordinate_of(int64_t flat_position, int d) const {
    return flat_position / inner[static_cast<size_t>(d)] % sizes[static_cast<size_t>(d)];
  }
  double tolerance_at(int64_t position) const {
    return source->tolerance.empty() ? 0 : source->tolerance[static_cast<size_t>(position)];
  }
};

// A buffer that wrong values may come from, across the cases: the previous output, then the named ones that every case
// has.
struct KnownBuffer {
  std::string name;
  std::vector<const std::vector<uint64_t>*> bits = {};  // of each case
  std::vector<Sizes> sizes = {};
  std::vector<Sizes> strides = {};  // empty where contiguous
  DType dtype;
  bool previous = false;
};

struct Scene {
  std::span<const ObservedCase> cases;
  std::vector<CaseView> views;
  std::vector<ScalarUnit> units;
  std::vector<TileShape> shapes;
  int64_t period = 0;  // a multiple of what places count by, units and up to four of them; 0: too long to be of use
  std::vector<KnownBuffer> buffers;
  DType dtype = DType::f32;
  int width = 32;
  int rank = 1;
  Sizes largest;  // of each dimension over the cases
  int64_t count_max = 0;
  double failing_total = 0;
  double raw_bits = 0;
  bool monotone = false;  // the reference's values follow the flat index: value rules repeat index rules
  bool exact = true;      // no case has a tolerance

  double dim_bits() const;
  double unit_bits() const;
  double shape_bits() const;
  double row_bits(int d) const;
  double range_bits(int d) const;  // free range along a dimension; d = -1: flat
  double buffer_bits() const;

  // Number of boxes of `shape` along each of its dimensions (one number for a slab), in one case.
  Sizes grid(const TileShape& shape, size_t at) const;
  // What value rules ask of a case's elements.
  SetContext context(size_t at) const;
};

// `sampled` false keeps every element.
std::unique_ptr<Scene> make_scene(std::span<const ObservedCase> cases, std::span<const UnitHint> hints, bool sampled);

// Fills features, magnitude orders and `monotone`.
void add_features(Scene& scene);

// At most 64 of ascending positions: both ends and some between, without a period.
std::vector<int64_t> spread_probes(const std::vector<int64_t>& positions);

// Bins and their reading for the features "exponent", "sign", "class".
int feature_bins(DType dtype, std::string_view feature);
double feature_value(DType dtype, std::string_view feature, uint64_t bits);

// Positions in `haystack` of each needle, at most `limit` a needle, in one pass.
std::vector<std::vector<int64_t>> find_values(const std::vector<uint64_t>& haystack,
                                              const std::vector<uint64_t>& needles, size_t limit);

// The same by value where results are rounded: positions of the reference that lie within their tolerance of each
// needle, the nearest first.
std::vector<std::vector<int64_t>> find_near_values(const Scene& scene, size_t at, const std::vector<uint64_t>& needles,
                                                   size_t limit);

}  // namespace faultline
