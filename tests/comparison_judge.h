// The comparison once more, one element after the other, written from its description: what the vectorised pass is held
// to. It shares no arithmetic with it but the decoding of bits.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "checkers/comparison/comparison.h"
#include "runtime/ir/tensor_bits.h"
#include "runtime/numerics/format.h"

namespace faultline {

struct PlainFormat {
  int fraction, least_exponent;
  double largest;
};
inline PlainFormat plain_format(DType dtype) {
  switch (dtype) {
    case DType::f64: return {52, -1022, std::numeric_limits<double>::max()};
    case DType::f32: return {23, -126, std::numeric_limits<float>::max()};
    case DType::f16: return {10, -14, 65504};
    case DType::bf16: return {7, -126, 0x1.fep127};
    case DType::f8e4m3: return {3, -6, 448};
    default: return {2, -14, 57344};
  }
}

inline double plain_ulp(DType dtype, double y) {
  const PlainFormat format = plain_format(dtype);
  const double magnitude = std::min(std::abs(y), format.largest);
  const int exponent = magnitude == 0 ? format.least_exponent : std::max(std::ilogb(magnitude), format.least_exponent);
  return std::ldexp(1.0, exponent - format.fraction);
}

inline double plain_number(DType dtype, uint64_t bits) {
  return is_float(dtype) ? decode(host_format(dtype), bits) : static_cast<double>(host_integer(dtype, bits));
}

// r's leading fifteen binary digits; nothing for what is not above 2^-24.
inline double leading(double r) {
  if (!(r > 0x1p-24)) return 0;
  if (std::isinf(r)) return r;
  int exponent = 0;
  const double fraction = std::frexp(r, &exponent);
  return std::ldexp(std::floor(std::ldexp(fraction, 15)), exponent - 15);
}

class PlainJudge {
 public:
  PlainJudge(DType dtype, const ComparisonOptions& options)
      : dtype_(dtype),
        options_(options),
        largest_(options.largest.value_or(is_float(dtype) ? plain_format(dtype).largest : INFINITY)) {}

  ElementComparison sums;
  std::vector<ElementVerdict> verdicts;

  void of_reference(uint64_t actual, uint64_t reference, const BoundOfReference& bound) {
    const double out = plain_number(dtype_, actual), y = plain_number(dtype_, reference);
    const auto error = [&](double magnitude) {
      return bound.relative * magnitude + bound.ulps * plain_ulp(dtype_, magnitude) + bound.floor;
    };
    if (std::isnan(y)) return std::isnan(out) ? pass() : fail(sums.nan_lost);
    if (std::isinf(y)) {
      const bool near =
          std::isfinite(out) && std::signbit(out) == std::signbit(y) && std::abs(out) + error(std::abs(out)) > largest_;
      return out == y          ? pass()
             : std::isnan(out) ? fail(sums.nan_made)
             : std::isinf(out) ? fail(sums.infinity_sign)
             : near            ? edge()
                               : fail(sums.infinity_lost);
    }
    const double e = error(std::abs(y));
    if (!std::isfinite(e)) return untrusted();
    if (!std::isfinite(out)) return no_number(out, y, e);
    if (dtype_ == DType::f64) return numbers(out, y, e, e);
    const auto single = [](double value) { return static_cast<float>(value); };
    const float narrow = single(bound.relative) * single(std::abs(y)) +
                         single(bound.ulps) * single(plain_ulp(dtype_, y)) + single(bound.floor);
    numbers(out, y, e, narrow);
  }

  void given(uint64_t actual, double y, double e, uint32_t reasons) {
    const double out = plain_number(dtype_, actual);
    if (reasons != 0) return untrusted();
    if (std::isnan(y)) return std::isnan(out) ? pass() : fail(sums.nan_lost);
    if (!(e >= 0) || std::isinf(e)) return untrusted();
    if (std::isinf(y))
      return out == y          ? pass()
             : std::isnan(out) ? fail(sums.nan_made)
             : std::isinf(out) ? fail(sums.infinity_sign)
                               : fail(sums.infinity_lost);
    if (!std::isfinite(out)) return no_number(out, y, e);
    numbers(out, y, e, e);
  }

  void bits(uint64_t actual, uint64_t reference) {
    const double out = plain_number(dtype_, actual), y = plain_number(dtype_, reference);
    if (actual == reference) return pass();
    if (!is_float(dtype_)) return integers(host_integer(dtype_, actual), host_integer(dtype_, reference));
    if (std::isnan(y)) return std::isnan(out) ? fail(sums.nan_bits) : fail(sums.nan_lost);
    if (std::isnan(out)) return fail(sums.nan_made);
    if (std::isinf(y)) return std::isinf(out) ? fail(sums.infinity_sign) : fail(sums.infinity_lost);
    if (std::isinf(out)) return fail(sums.infinity_made);
    if (out == 0 && y == 0) return fail(sums.zero_sign);
    numbers(out, y, 0, 0.0);
  }

 private:
  // Every difference of two 64-bit integers is exact in 80 bits of long double, then rounded once.
  void integers(int64_t out, int64_t y) {
    const auto distance = static_cast<double>(std::abs(static_cast<long double>(out) - static_cast<long double>(y)));
    sums.above += out > y;
    sums.below += out < y;  // neither for the bytes 1 and 2, which both are true
    sums.largest_ulps = std::max(sums.largest_ulps, distance);
    sums.largest_difference = std::max(sums.largest_difference.value_or(0), distance);
    record(ElementVerdict::failed, INFINITY, distance);
  }
  void pass() { record(ElementVerdict::passed, 0, 0); }
  void fail(int64_t& count) {
    ++count;
    record(ElementVerdict::failed, INFINITY, INFINITY);
  }
  void untrusted() {
    ++sums.untrusted;
    next(ElementVerdict::untrusted);
  }
  void edge() {
    ++sums.suspect, ++sums.at_edge;
    next(ElementVerdict::at_edge);
  }
  void no_number(double out, double y, double e) {
    const bool at_edge = std::abs(y) + e > largest_;
    if (std::isnan(out)) return at_edge ? edge() : fail(sums.nan_made);
    at_edge && (out > 0) == !std::signbit(y) ? edge() : fail(sums.infinity_made);
  }

  template <class T>
  void numbers(double out, double y, double e, T narrow) {
    if (options_.sign_of_zero && is_float(dtype_) && out == 0 && y == 0 && std::signbit(out) != std::signbit(y))
      return fail(sums.zero_sign);
    const double distance = std::abs(out - y);
    if (distance == 0) return pass();
    T r = static_cast<T>(distance) / narrow;
    ElementVerdict verdict = ElementVerdict::failed;
    if (distance <= e) {
      verdict = ElementVerdict::passed;
      if (r > 1) r = 1;
    } else if (distance <= 4 * e) {
      verdict = ElementVerdict::suspect;
      if (r > 4) r = 4;
      if (r <= 1) r = std::nextafter(T{1}, T{2});
    } else if (r <= 4) {
      r = std::nextafter(T{4}, T{5});
    }
    double ulps = distance;
    if (is_float(dtype_)) {
      const bool rounds = sizeof(T) == 4 && distance <= std::numeric_limits<float>::max();
      ulps = (rounds ? static_cast<double>(static_cast<float>(distance)) : distance) / plain_ulp(dtype_, y);
    }
    sums.largest_ulps = std::max(sums.largest_ulps, ulps);
    const bool suspect = verdict == ElementVerdict::suspect;
    if (out > y) ++sums.above, sums.suspects_above += suspect;
    if (out < y) ++sums.below, sums.suspects_below += suspect;
    if (verdict != ElementVerdict::passed) {
      if (e > 0 && std::isfinite(r)) sums.largest_ratio = std::max<double>(sums.largest_ratio.value_or(0), r);
      if (e == 0 && std::isfinite(distance))
        sums.largest_difference = std::max(sums.largest_difference.value_or(0), distance);
    }
    record(verdict, r, ulps);
  }

  void record(ElementVerdict verdict, double r, double ulps) {
    size_t bin = 0;
    for (double limit = 0x1p-8; bin + 1 < sums.histogram.size() && r > limit; limit *= 2) ++bin;
    ++sums.histogram[bin];
    if (leading(r) > leading(sums.worst_ratio)) {
      sums.worst = sums.total;
      sums.worst_ratio = r;
      sums.worst_ulps = ulps;
    }
    sums.passed += verdict == ElementVerdict::passed;
    sums.suspect += verdict == ElementVerdict::suspect;
    sums.failed += verdict == ElementVerdict::failed;
    if (verdict != ElementVerdict::passed && sums.beyond.size() < options_.listed) sums.beyond.push_back(sums.total);
    next(verdict);
  }
  void next(ElementVerdict verdict) {
    verdicts.push_back(verdict);
    ++sums.total;
  }

  DType dtype_;
  ComparisonOptions options_;
  double largest_;
};

// For messages: what two comparisons differ in.
inline std::string text_of(const ElementComparison& c) {
  std::string text;
  const auto add = [&](const char* name, double value) {
    if (value != 0) text += std::string(name) + "=" + std::to_string(value) + " ";
  };
  for (const auto& [name, count] :
       std::initializer_list<std::pair<const char*, int64_t>>{{"total", c.total},
                                                              {"passed", c.passed},
                                                              {"suspect", c.suspect},
                                                              {"failed", c.failed},
                                                              {"untrusted", c.untrusted},
                                                              {"at_edge", c.at_edge},
                                                              {"nan_lost", c.nan_lost},
                                                              {"nan_made", c.nan_made},
                                                              {"infinity_lost", c.infinity_lost},
                                                              {"infinity_made", c.infinity_made},
                                                              {"infinity_sign", c.infinity_sign},
                                                              {"zero_sign", c.zero_sign},
                                                              {"nan_bits", c.nan_bits},
                                                              {"above", c.above},
                                                              {"below", c.below},
                                                              {"suspects_above", c.suspects_above},
                                                              {"suspects_below", c.suspects_below},
                                                              {"worst", c.worst},
                                                              {"listed", static_cast<int64_t>(c.beyond.size())}})
    add(name, static_cast<double>(count));
  text += "r=" + std::to_string(c.worst_ratio) + " at " + std::to_string(c.worst_ulps) + " ulps, at most " +
          std::to_string(c.largest_ulps) + " ulps; largest " + std::to_string(c.largest_ratio.value_or(-1)) + " " +
          std::to_string(c.largest_difference.value_or(-1)) + "; histogram";
  for (const int64_t count : c.histogram) text += " " + std::to_string(count);
  return text;
}

}  // namespace faultline
