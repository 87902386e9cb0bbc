// Random scatter: wrong elements anywhere, with random bits, one or more flipped bits, or the values of other elements.
#pragma once

#include <gtest/gtest.h>

#include "tests/pattern_places.h"

namespace faultline::planting {

inline constexpr std::string_view kScatters[] = {"random bits", "one flipped bit", "three flipped bits",
                                                 "values of other elements", "one constant"};

inline uint64_t scattered_value(size_t kind, const Plant& plant, PhiloxStream& draws, int64_t k) {
  const int width = width_of(plant.one.dtype);
  const uint64_t right = plant.one.reference[static_cast<size_t>(k)];
  const auto bit = [&] { return uint64_t{1} << draws.below(static_cast<uint32_t>(width)); };
  switch (kind) {
    case 0: return (static_cast<uint64_t>(draws.next()) << 32 | draws.next()) & ones(width);
    case 1: return right ^ bit();
    case 2: return right ^ bit() ^ bit() ^ bit();
    case 3: return plant.one.reference[draws.below(static_cast<uint32_t>(plant.one.reference.size()))];
    default: return nearest(plant.one.dtype, 1.5);
  }
}

// From 2 to 61 wrong elements; the data, shape and type follow from the seed. No explanation may be given.
inline ::testing::AssertionResult scatter_without_name(uint64_t seed) {
  const Sizes shapes[] = {{300}, {65}, {23, 37}, {64, 48}, {3, 17, 29}, {1500}};
  const DType dtypes[] = {DType::f32, DType::f16, DType::bf16, DType::i32, DType::i64};
  PhiloxStream draws(seed, "scatter");
  const Sizes& sizes = shapes[draws.below(std::size(shapes))];
  const DType dtype = dtypes[draws.below(std::size(dtypes))];
  Plant plant = right_run(sizes, dtype, draws.below(2) == 0 ? Data::codes : Data::numbers, seed);
  plant.one.previous_output = make_data(count_of(plant), dtype, Data::numbers, seed, "previous");
  const size_t kind = draws.below(std::size(kScatters));
  const uint32_t wrong = 2 + draws.below(static_cast<uint32_t>(std::min<int64_t>(60, count_of(plant) / 6)));
  for (uint32_t n = 0; n < wrong; ++n) {
    const int64_t k = draws.below(static_cast<uint32_t>(count_of(plant)));
    plant.one.got[static_cast<size_t>(k)] = scattered_value(kind, plant, draws, k);
  }
  judge(plant.one);
  const PatternReport report = name_pattern({&plant.one, 1}, hints());
  // So few elements may be all in a row by chance, or one alone; more may not.
  if (report.explanations.empty()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << kScatters[kind] << ", " << name(dtype) << ", " << wrong << " drawn\n"
                                       << to_text(report);
}

}  // namespace faultline::planting
