// What the campaign plants at a place: a row for each kind of value, by plain formulas from the right values and from
// the buffers of the run. A row says which data show it and how an explanation must call it.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "tests/pattern_plants.h"

namespace faultline::planting {

struct Setting {
  const Plant& plant;
  DType dtype;
  int variant;
  const Sizes& sizes() const { return plant.one.sizes; }
  uint64_t right(int64_t k) const { return plant.one.reference[static_cast<size_t>(k)]; }
  double right_number(int64_t k) const { return number(dtype, right(k)); }
  bool wide() const { return dtype == DType::f32; }
  size_t rank() const { return plant.one.sizes.size(); }
  std::optional<uint64_t> moved(int64_t from) const {
    if (from < 0 || from >= static_cast<int64_t>(plant.one.reference.size())) return std::nullopt;
    return right(from);
  }
  std::optional<uint64_t> moved(const Sizes& at) const {
    for (size_t d = 0; d < at.size(); ++d)
      if (at[d] < 0 || at[d] >= sizes()[d]) return std::nullopt;
    return right(flat_of(sizes(), at));
  }
};

using Bits = std::optional<uint64_t>;

struct Value {
  std::string_view family;
  Data data;
  std::vector<DType> dtypes;
  // What stands at flat position k in a run (0, or 1 over the second poison); none: there is no such value.
  Bits (*at)(const Setting&, int64_t k, int run);
  std::string (*text)(const Setting&);  // contained in the explanation's
  size_t least_rank = 1;
};

inline const std::vector<DType> kFloats{DType::f32, DType::f16, DType::bf16};
inline const std::vector<DType> kWhole{DType::i64, DType::i32, DType::i16};
inline const std::vector<DType> kAny{DType::f32, DType::f16, DType::bf16, DType::i32};
inline std::string plain(const Setting&, std::string_view text) { return std::string(text); }

inline Bits shifted(const Setting& s, int64_t k, int) {
  Sizes at = coordinates(s.sizes(), k);
  switch (s.variant % 4) {
    case 0: at.back() -= 1; break;
    case 1: at[0] -= 2; break;
    case 2: return s.moved(k - 5);
    default: at.back() += 1; break;
  }
  return s.moved(at);
}

inline std::string shifted_text(const Setting& s) {
  const int n = std::array{1, 2, 5, -1}[static_cast<size_t>(s.variant % 4)];
  return fmt::format("shifted by {}", n);
}

// Cyclic within groups of three, four, five neighbours.
inline Bits group_shifted(const Setting& s, int64_t k, int) {
  const int64_t group = 3 + s.variant % 3;
  return s.moved(k / group * group + (k % group + group - 1) % group);
}

// Square tensors: axes exchanged. Others: in the order of the tensor with the last two axes exchanged; or within 8x8.
inline Bits transposed(const Setting& s, int64_t k, int) {
  Sizes at = coordinates(s.sizes(), k);
  const size_t a = at.size() - 2, b = at.size() - 1;
  if (s.variant % 2 == 1) {
    const int64_t row = at[a] % 8, column = at[b] % 8;
    at[a] += column - row;
    at[b] += row - column;
    return s.moved(at);
  }
  const int64_t rows = s.sizes()[a], columns = s.sizes()[b];
  const int64_t inside = at[a] * columns + at[b];
  at[a] = inside % rows;
  at[b] = inside / rows;
  return s.moved(at);
}

inline std::string transposed_text(const Setting& s) {
  if (s.variant % 2 == 1) return "transposed within 8x8";
  const size_t a = s.rank() - 2;
  if (s.sizes()[a] == s.sizes()[a + 1]) return "transposed: dims";
  return fmt::format("in the order of dims {} and {} swapped", a, a + 1);
}

// Tile (0,1) of 8x16 in every tile, or the second sixteen elements of a row of one dimension.
inline Bits duplicate(const Setting& s, int64_t k, int) {
  Sizes at = coordinates(s.sizes(), k);
  if (at.size() == 1) return s.moved(16 + k % 16);
  at[at.size() - 2] %= 8;
  at.back() = 16 + at.back() % 16;
  return s.moved(at);
}

inline Bits one_slice(const Setting& s, int64_t k, int) {
  Sizes at = coordinates(s.sizes(), k);
  at[s.rank() - 1] = s.variant % 3;
  return s.moved(at);
}

inline Bits grouped(const Setting& s, int64_t k, int) {
  const int64_t group = 2 + s.variant % 2;
  return s.variant % 4 < 2 ? s.moved(k / group * group) : s.moved(k / group);
}

inline Bits power_off(const Setting& s, int64_t k, int) {
  const uint64_t right = s.right(k), mask = ones(width_of(s.dtype));
  const int low = s.dtype == DType::i64 ? 32 : s.dtype == DType::i32 ? 16 : 8;
  if (s.variant % 2 == 0) return (right + (uint64_t{1} << low)) & mask;
  const uint64_t kept = right & ones(low);
  return kept >> (low - 1) != 0 ? (kept | ~ones(low)) & mask : kept;
}

inline std::string power_text(const Setting& s) {
  const int low = s.dtype == DType::i64 ? 32 : s.dtype == DType::i32 ? 16 : 8;
  return s.variant % 2 == 0 ? fmt::format("off by +2^{}", low) : fmt::format("wrapped to {} bits, signed", low);
}

struct Limits {
  std::string_view name;
  double low, high;
};

inline Limits limits_for(DType dtype) {
  switch (dtype) {
    case DType::i64: return {"i32", -2147483648.0, 2147483647.0};
    case DType::i32: return {"i16", -32768, 32767};
    case DType::i16: return {"i8", -128, 127};
    case DType::f16: return {"f8e4m3", -448, 448};
    default: return {"f16", -65504, 65504};
  }
}

inline Bits saturated(const Setting& s, int64_t k, int) {
  const Limits range = limits_for(s.dtype);
  const double value = s.right_number(k);
  if (value >= range.low && value <= range.high) return s.right(k);
  const bool infinite = is_float(s.dtype) && s.variant % 2 == 1;
  return nearest(s.dtype, infinite ? std::copysign(HUGE_VAL, value) : value < 0 ? range.low : range.high);
}

inline std::string saturated_text(const Setting& s) {
  const bool infinite = is_float(s.dtype) && s.variant % 2 == 1;
  return fmt::format("{} the range of {}", infinite ? "infinite beyond" : "clamped to", limits_for(s.dtype).name);
}

inline constexpr double kFactors[] = {4, 1.0 / 3, 0.25, 0.7};
inline Bits scaled(const Setting& s, int64_t k, int) {
  return nearest(s.dtype, s.right_number(k) * kFactors[s.variant % 4]);
}

// Twice; added to the call before; added to memory that was not cleared.
inline Bits added(const Setting& s, int64_t k, int run) {
  const auto index = static_cast<size_t>(k);
  if (s.variant % 3 == 0) return nearest(s.dtype, 2 * s.right_number(k));
  const uint64_t memory = run == 0 ? *s.plant.one.poison1 : s.plant.one.poison2.value_or(*s.plant.one.poison1);
  const uint64_t other = s.variant % 3 == 1 ? s.plant.one.previous_output[index] : memory;
  return nearest(s.dtype, s.right_number(k) + number(s.dtype, other));
}

inline Bits partial(const Setting& s, int64_t k, int) {
  double sum = 0;
  for (const std::vector<double>& block : s.plant.one.contraction_blocks) sum += block[static_cast<size_t>(k)];
  const double block = s.plant.one.contraction_blocks[1][static_cast<size_t>(k)];
  return nearest(s.dtype, s.variant % 2 == 0 ? sum - block : sum + block);
}

// A flipped bit of the fraction or the exponent, or a bit stuck at one.
inline Bits bit_changed(const Setting& s, int64_t k, int) {
  const uint64_t high = uint64_t{1} << (width_of(s.dtype) - 3), low = uint64_t{1} << 5;
  return s.variant % 3 == 0 ? s.right(k) ^ high : s.variant % 3 == 1 ? s.right(k) ^ low : s.right(k) | low;
}

inline std::string bit_text(const Setting& s) {
  const int high = width_of(s.dtype) - 3;
  return s.variant % 3 == 0   ? fmt::format("bit {} (exponent) flipped", high)
         : s.variant % 3 == 1 ? "xor 0x"
                              : "bit 5 (fraction) stuck at 1";
}

// Bytes reversed; another type of the width; the elements of 32 in reverse.
inline Bits misread(const Setting& s, int64_t k, int) {
  const uint64_t right = s.right(k);
  switch (s.variant % 3) {
    case 0: {
      uint64_t reversed = 0;
      for (int byte = 0; byte < width_of(s.dtype) / 8; ++byte) reversed = reversed << 8 | (right >> 8 * byte & 0xFF);
      return reversed;
    }
    case 1: {
      const DType other = s.wide() ? DType::i32 : s.dtype == DType::f16 ? DType::bf16 : DType::f16;
      return nearest(s.dtype, number(other, right));
    }
    default: return s.moved(k / 32 * 32 + 31 - k % 32);
  }
}

inline std::string misread_text(const Setting& s) {
  const std::string_view other = s.wide() ? "i32" : s.dtype == DType::f16 ? "bf16" : "f16";
  return s.variant % 3 == 0   ? "bytes reversed"
         : s.variant % 3 == 1 ? fmt::format("bytes read as {}", other)
                              : "reversed within half stick 32";
}

inline DType narrower(const Setting& s) {
  if (s.wide()) return s.variant % 2 == 0 ? DType::bf16 : DType::f16;
  return s.dtype == DType::f16 && s.variant % 2 == 0 ? DType::f8e4m3 : DType::f8e5m2;
}
inline Bits narrowed(const Setting& s, int64_t k, int) {
  return nearest(s.dtype, number(narrower(s), nearest(narrower(s), s.right_number(k))));
}

// Subnormals flushed; infinities made the largest finite number.
inline Bits special(const Setting& s, int64_t k, int) {
  const Format f = format_of(s.dtype);
  const uint64_t right = s.right(k), rest = right & ones(f.exponent + f.fraction);
  const uint64_t infinity = ones(f.exponent) << f.fraction;
  if (s.variant % 2 == 0) return rest >> f.fraction == 0 ? right - rest : right;
  return rest == infinity ? right - 1 : right;
}

// Finite numbers from 1e29 in the types that have them; any bits in f16.
inline Bits garbage(const Setting& s, int64_t k, int) {
  PhiloxStream draws(static_cast<uint64_t>(k) * 7919 + s.plant.one.reference.size(), "garbage");
  const uint64_t bits = (static_cast<uint64_t>(draws.next()) << 16 ^ draws.next()) & ones(width_of(s.dtype));
  if (s.dtype == DType::f16) return bits;
  const Format f = format_of(s.dtype);
  return (bits & ~(ones(f.exponent) << f.fraction)) | (uint64_t{230} + bits % 20) << f.fraction;
}

inline uint64_t from_buffer(const Setting& s, size_t buffer, int64_t k) {
  return s.plant.one.buffers[buffer].bits[static_cast<size_t>(k)];
}

inline const std::vector<Value>& place_values() {
  using S = const Setting&;
  static const std::vector<Value> rows = {
      {"V1", Data::numbers, kAny, [](S s, int64_t, int run) { return Bits(poison(s.dtype, run)); },
       [](S s) { return plain(s, "unwritten"); }},
      {"V2", Data::numbers, kAny, [](S, int64_t, int) { return Bits(0); }, [](S s) { return plain(s, "zero"); }},
      {"V3", Data::numbers, kAny,
       [](S s, int64_t, int) { return Bits(nearest(s.dtype, is_float(s.dtype) ? 77 : 7777)); },
       [](S s) { return plain(s, "constant"); }},
      {"V4", Data::codes, kAny,
       [](S s, int64_t k, int) { return Bits(s.plant.one.previous_output[static_cast<size_t>(k)]); },
       [](S s) { return plain(s, "stale: previous output"); }},
      {"V5", Data::codes, kAny, [](S s, int64_t k, int) { return Bits(from_buffer(s, 0, k)); },
       [](S s) { return plain(s, "holds input 0"); }},
      {"V6", Data::codes, kAny, shifted, shifted_text},
      {"V7", Data::codes, kAny, group_shifted,
       [](S s) { return fmt::format("shifted by 1 within groups of {}", 3 + s.variant % 3); }},
      {"V8", Data::codes, kAny, transposed, transposed_text, 2},
      {"V9", Data::codes, kAny, duplicate, [](S s) { return plain(s, "duplicate of"); }},
      {"V10", Data::codes, kAny, one_slice,
       [](S s) { return fmt::format("slice {} of dim {} everywhere", s.variant % 3, s.rank() - 1); }, 2},
      {"V11", Data::codes, kAny, grouped,
       [](S s) {
         const std::string_view mode = s.variant % 4 < 2 ? "first of each group of" : "index divided by";
         return fmt::format("equal groups: {} {}", mode, 2 + s.variant % 2);
       }},
      {"V12", Data::indices, kWhole,
       [](S s, int64_t k, int) {
         const auto logical = static_cast<int64_t>(s.right(k));
         return Bits(static_cast<uint64_t>(logical / 7 + 5 * (logical % 7)));
       },
       [](S s) { return plain(s, "index in the memory order of input 0"); }},
  };
  return rows;
}

inline const std::vector<Value>& number_values() {
  using S = const Setting&;
  static const std::vector<Value> rows = {
      {"V13", Data::indices, kWhole, [](S, int64_t, int) { return Bits(0); },
       [](S s) { return plain(s, "index 0, values right"); }},
      {"V14", Data::large, kWhole, power_off, power_text},
      {"V15", Data::numbers, kWhole,
       [](S s, int64_t k, int) {
         return Bits((s.right(k) + (s.variant % 2 == 0 ? 1 : ~uint64_t{0})) & ones(width_of(s.dtype)));
       },
       [](S s) { return fmt::format("off by {:+}", s.variant % 2 == 0 ? 1 : -1); }},
      {"V16",
       Data::large,
       {DType::f32, DType::f16, DType::bf16, DType::i64, DType::i32, DType::i16},
       saturated,
       saturated_text},
      {"V17", Data::numbers, kFloats, scaled,
       [](S s) {
         return plain(s, std::array{"scaled by 4", "scaled by 1/3", "scaled by 1/4",
                                    "scaled by 0.7"}[static_cast<size_t>(s.variant % 4)]);
       }},
      {"V18", Data::numbers, kFloats, added,
       [](S s) {
         return plain(s, std::array{"added twice", "added to previous output",
                                    "not cleared"}[static_cast<size_t>(s.variant % 3)]);
       }},
      {"V19", Data::numbers, kFloats, partial,
       [](S s) {
         return plain(s, s.variant % 2 == 0 ? "block 1 of 3 of the contraction left out"
                                            : "block 1 of 3 of the contraction counted twice");
       }},
      {"V20", Data::numbers, kFloats, bit_changed, bit_text},
      {"V21", Data::numbers, kFloats, misread, misread_text},
      {"V22", Data::numbers, kFloats, narrowed, [](S s) { return "rounded to " + std::string(name(narrower(s))); }},
      {"V23", Data::specials, kFloats, special,
       [](S s) {
         return plain(
             s, s.variant % 2 == 0 ? "subnormals flushed, sign kept" : "infinity became the largest finite value");
       }},
      {"V24", Data::numbers, kFloats, garbage,
       [](S s) { return plain(s, s.dtype == DType::f16 ? "values that no rule explains" : "garbage"); }},
  };
  return rows;
}

inline const std::vector<Value>& values() {
  static const std::vector<Value> all = [] {
    std::vector<Value> rows = place_values();
    rows.insert(rows.end(), number_values().begin(), number_values().end());
    return rows;
  }();
  return all;
}

}  // namespace faultline::planting
