// Planting patterns for the campaign of the pattern engine: data of each kind, and number formats. An independent
// computation throughout: bits of a format are found by bisection over its ordered magnitudes, positions by division,
// and nothing of the engine is asked what it would predict.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "checkers/patterns/pattern.h"
#include "runtime/base/philox.h"

namespace faultline::planting {

struct Format {
  int exponent, fraction;
  bool infinities;
};

inline Format format_of(DType dtype) {
  switch (dtype) {
    case DType::f32: return {8, 23, true};
    case DType::f16: return {5, 10, true};
    case DType::bf16: return {8, 7, true};
    case DType::f8e4m3: return {4, 3, false};
    default: return {5, 2, true};
  }
}

inline int width_of(DType dtype) { return static_cast<int>(8 * byte_size(dtype)); }
inline uint64_t ones(int bits) { return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

// Magnitude bits of +infinity, or of what stands in its place.
inline uint64_t top(const Format& f) {
  return f.infinities ? ones(f.exponent) << f.fraction : ones(f.exponent + f.fraction);
}

inline double magnitude(const Format& f, uint64_t bits) {
  const auto field = static_cast<int>(bits >> f.fraction);
  const auto fraction = static_cast<double>(bits & ones(f.fraction)) / static_cast<double>(uint64_t{1} << f.fraction);
  const int bias = (1 << (f.exponent - 1)) - 1;
  return field == 0 ? fraction * std::pow(2.0, 1 - bias) : (1 + fraction) * std::pow(2.0, field - bias);
}

inline double number(DType dtype, uint64_t bits) {
  if (!is_float(dtype)) {
    const int width = width_of(dtype);
    const bool negative = dtype != DType::u8 && (bits >> (width - 1) & 1) != 0;
    const uint64_t size = negative ? (~bits + 1) & ones(width) : bits;
    return negative ? -static_cast<double>(size) : static_cast<double>(size);
  }
  const Format f = format_of(dtype);
  const uint64_t rest = bits & ones(f.exponent + f.fraction);
  const double value = magnitude(f, rest);
  return bits >> (f.exponent + f.fraction) != 0 ? -value : value;
}

// Nearest, ties to even bits; beyond the largest finite number by half a place or more: infinity.
inline uint64_t nearest(DType dtype, double value) {
  if (!is_float(dtype)) return static_cast<uint64_t>(static_cast<int64_t>(value)) & ones(width_of(dtype));
  const Format f = format_of(dtype);
  const uint64_t sign = std::signbit(value) ? uint64_t{1} << (f.exponent + f.fraction) : 0;
  const double size = std::fabs(value);
  uint64_t low = 0, high = top(f);
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    (magnitude(f, middle) <= size ? low : high) = middle;
  }
  const double below = size - magnitude(f, low), above = magnitude(f, high) - size;
  const bool up = above < below || (above == below && high % 2 == 0);
  return sign | (up ? high : low);
}

// What a place of a tensor looks like: coordinates by division.
inline int64_t coordinate(const Sizes& sizes, size_t dim, int64_t flat) {
  for (size_t d = sizes.size(); d-- > dim + 1;) flat /= sizes[d];
  return flat % sizes[dim];
}

inline int64_t flat_of(const Sizes& sizes, const Sizes& at) {
  int64_t flat = 0;
  for (size_t d = 0; d < sizes.size(); ++d) flat = flat * sizes[d] + at[d];
  return flat;
}

inline Sizes coordinates(const Sizes& sizes, int64_t flat) {
  Sizes at(sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) at[d] = coordinate(sizes, d, flat);
  return at;
}

enum class Data {
  codes,     // every element its own bit pattern, in no order
  numbers,   // both signs, exponents -6 to 5; integers of a few thousand
  large,     // a third of them far beyond the narrower types
  specials,  // subnormals, zeros of both signs, infinities and NaN among numbers
  indices,   // small integers from 0
};

// Numbers of elements in order, shuffled.
inline std::vector<uint64_t> shuffled(int64_t count, PhiloxStream& draws) {
  std::vector<uint64_t> order(static_cast<size_t>(count));
  for (size_t k = 0; k < order.size(); ++k) order[k] = k;
  for (size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[draws.below(static_cast<uint32_t>(k))]);
  return order;
}

inline uint64_t draw_float(DType dtype, Data data, PhiloxStream& draws) {
  const Format f = format_of(dtype);
  const uint64_t sign = static_cast<uint64_t>(draws.below(2)) << (f.exponent + f.fraction);
  const uint64_t fraction = (static_cast<uint64_t>(draws.next()) << 8 | draws.below(256)) & ones(f.fraction);
  const int bias = (1 << (f.exponent - 1)) - 1;
  int exponent = static_cast<int>(draws.below(12)) - 6;
  const uint32_t kind = draws.below(12);
  // Beyond 448 in f16 and beyond 65504 in the wider types.
  if (data == Data::large && kind == 4) exponent = dtype == DType::f16 ? 7 : 13;
  if (data == Data::large && kind < 4) exponent = (dtype == DType::f16 ? 10 : 17) + static_cast<int>(kind);
  if (data == Data::specials) {
    if (kind < 4) return sign | (fraction == 0 ? 1 : fraction);
    if (kind == 4) return sign;
    if (kind == 5) return sign | ones(f.exponent) << f.fraction;
    if (kind == 6) return ones(f.exponent + 1) << (f.fraction - 1);
  }
  return sign | static_cast<uint64_t>(exponent + bias) << f.fraction | fraction;
}

inline uint64_t draw_integer(DType dtype, Data data, PhiloxStream& draws) {
  const uint64_t mask = ones(width_of(dtype));
  if (data == Data::indices) return 1 + draws.below(34);
  if (data != Data::large) return (static_cast<uint64_t>(draws.below(6000)) - 3000) & mask;
  // A third beyond the next narrower type, and what is off by 2^32 needs 64 bits.
  const uint32_t kind = draws.below(3);
  const uint32_t within = dtype == DType::i64 ? 4000000 : dtype == DType::i32 ? 20000 : 100;
  const uint64_t small = static_cast<uint64_t>(draws.below(within)) - within / 2;
  const uint64_t step = dtype == DType::i64 ? uint64_t{1} << 33 : dtype == DType::i32 ? uint64_t{1} << 17 : 1 << 9;
  return (kind == 0 ? small + (2 * static_cast<uint64_t>(draws.below(2)) - 1) * (step + draws.below(7000)) : small) &
         mask;
}

inline std::vector<uint64_t> make_data(int64_t count, DType dtype, Data data, uint64_t seed, std::string_view stream) {
  PhiloxStream draws(seed, stream);
  std::vector<uint64_t> bits(static_cast<size_t>(count));
  if (data == Data::codes) {
    // 0x0100 and up in types of two bytes, 0x3F000000 and up, 977 apart, in longer ones.
    const std::vector<uint64_t> order = shuffled(count, draws);
    const bool narrow = width_of(dtype) == 16;
    for (size_t k = 0; k < bits.size(); ++k) bits[k] = narrow ? 0x0100 + order[k] : 0x3F000000 + 977 * order[k];
    return bits;
  }
  for (uint64_t& one : bits) one = is_float(dtype) ? draw_float(dtype, data, draws) : draw_integer(dtype, data, draws);
  return bits;
}

// One run with something planted. `planted` marks the place; `seen` those of its elements whose value is not the right
// one anyway.
struct Plant {
  ObservedCase one;
  std::vector<uint8_t> planted, seen;
};

inline int64_t count_of(const Plant& plant) { return static_cast<int64_t>(plant.one.reference.size()); }

inline void judge(ObservedCase& one) {
  one.failing.assign(one.got.size(), 0);
  for (size_t k = 0; k < one.got.size(); ++k) {
    bool differs = one.got[k] != one.reference[k];
    if (differs && !one.tolerance.empty())
      differs = !(std::fabs(number(one.dtype, one.got[k]) - number(one.dtype, one.reference[k])) <= one.tolerance[k]);
    one.failing[k] = differs ? 1 : 0;
  }
}

inline constexpr uint64_t kPoison1 = 0x7E5A, kPoison2 = 0x7D3C;

inline uint64_t poison(DType dtype, int run) {
  const uint64_t pattern = run == 0 ? kPoison1 : kPoison2;
  return width_of(dtype) == 16   ? pattern
         : width_of(dtype) == 32 ? pattern << 16 | pattern
                                 : pattern * 0x0001000100010001U;
}

// A right run: reference, and the buffers that a case may know.
inline Plant right_run(const Sizes& sizes, DType dtype, Data data, uint64_t seed) {
  Plant plant;
  plant.one.sizes = sizes;
  plant.one.dtype = dtype;
  plant.one.reference = make_data(element_count(sizes), dtype, data, seed, "reference");
  plant.one.got = plant.one.reference;
  plant.one.poison1 = poison(dtype, 0);
  plant.one.failing.assign(plant.one.got.size(), 0);
  plant.planted = plant.seen = plant.one.failing;
  return plant;
}

}  // namespace faultline::planting
