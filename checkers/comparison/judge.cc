// Judging by scalar arithmetic in binary64. The bound as a function of the reference is evaluated in the order in which
// the lanes of scan.cc evaluate it, so that both give one r.
#include "checkers/comparison/judge.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "runtime/ir/tensor_bits.h"
#include "runtime/numerics/rounding.h"

namespace faultline {

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

int ratio_bin(double ratio) {
  if (!(ratio > 0x1p-8)) return 0;
  if (ratio > 0x1p8) return kRatioBins - 1;
  int exponent = 0;
  const double fraction = std::frexp(ratio, &exponent);
  return exponent + 8 - (fraction == 0.5 ? 1 : 0);
}

static constexpr int kKeyShift = 52 - 14;

int64_t ratio_key(double ratio) { return ratio > 0x1p-24 ? std::bit_cast<int64_t>(ratio) >> kKeyShift : 0; }

double ratio_of_key(int64_t key) { return std::bit_cast<double>(key << kKeyShift); }

namespace {

bool is_bound(double bound) { return bound >= 0 && bound <= std::numeric_limits<double>::max(); }

// relative * |y| + ulps * ulp(|y|) + floor in the type T.
template <class T>
T error_of(const BoundOfReference& bound, Format format, double magnitude) {
  const T scaled = static_cast<T>(bound.ulps) * static_cast<T>(ulp(format, magnitude));
  return static_cast<T>(bound.relative) * static_cast<T>(magnitude) + scaled + static_cast<T>(bound.floor);
}

Judged failed(FailureClass failure) {
  return {.verdict = ElementVerdict::failed, .failure = failure, .ratio = kInfinity, .ulps = kInfinity};
}

Judged suspect_at_edge() { return {.verdict = ElementVerdict::at_edge}; }

double ulps_between(const JudgeRules& rules, double difference, double y) {
  double size = std::abs(difference);
  if (!is_float(rules.dtype)) return size;
  if (rules.single && size <= std::numeric_limits<float>::max()) size = static_cast<float>(size);
  return size / ulp(host_format(rules.dtype), y);
}

// To the side of `limit` on which the verdict is.
template <class T>
T on_side(T ratio, T limit, bool beyond) {
  return beyond ? std::max(ratio, std::nextafter(limit, std::numeric_limits<T>::infinity())) : std::min(ratio, limit);
}

// `error`: the bound in the type in which r is held.
template <class T>
Judged judge_numbers(const JudgeRules& rules, double actual, double y, double bound, T error) {
  Judged judged{.numbers = true, .difference = actual - y, .bound = bound};
  if (rules.sign_of_zero && actual == 0 && y == 0 && std::signbit(actual) != std::signbit(y))
    return failed(FailureClass::zero_sign);
  const double size = std::abs(judged.difference);
  if (size == 0) return judged;
  judged.ulps = ulps_between(rules, judged.difference, y);
  const bool beyond = size > bound, far_beyond = size > 4 * bound;
  judged.verdict = far_beyond ? ElementVerdict::failed : beyond ? ElementVerdict::suspect : ElementVerdict::passed;
  judged.ratio = on_side(on_side(static_cast<T>(size) / error, T{1}, beyond), T{4}, far_beyond);
  return judged;
}

// Where `actual` or y is no number, and y no NaN.
Judged judge_classes(double actual, double y, bool at_edge) {
  if (std::isinf(y)) {
    if (actual == y) return {};
    if (std::isnan(actual)) return failed(FailureClass::nan_made);
    if (std::isinf(actual)) return failed(FailureClass::infinity_sign);
    return at_edge && std::signbit(actual) == std::signbit(y) ? suspect_at_edge() : failed(FailureClass::infinity_lost);
  }
  if (std::isnan(actual)) return at_edge ? suspect_at_edge() : failed(FailureClass::nan_made);
  const bool due = at_edge && std::signbit(actual) == std::signbit(y);
  return due ? suspect_at_edge() : failed(FailureClass::infinity_made);
}

Judged judge_nan(double actual) { return std::isnan(actual) ? Judged{} : failed(FailureClass::nan_lost); }

}  // namespace

Judged judge_of_reference(const JudgeRules& rules, uint64_t actual_bits, uint64_t reference_bits) {
  const Format format = host_format(rules.dtype);
  const double actual = decode_quick(format, actual_bits), y = decode_quick(format, reference_bits);
  if (std::isnan(y)) return judge_nan(actual);
  // What an infinite reference was before it was rounded is not known: a number near the edge may be as good.
  const double magnitude = std::abs(std::isinf(y) ? actual : y);
  const double bound = std::isfinite(magnitude) ? error_of<double>(rules.bound, format, magnitude) : 0;
  if (std::isfinite(y) && !is_bound(bound)) return {.verdict = ElementVerdict::untrusted};
  if (!std::isfinite(y) || !std::isfinite(actual)) return judge_classes(actual, y, magnitude + bound > rules.largest);
  if (rules.single) return judge_numbers(rules, actual, y, bound, error_of<float>(rules.bound, format, std::abs(y)));
  return judge_numbers(rules, actual, y, bound, bound);
}

Judged judge_given(const JudgeRules& rules, double actual, double exact, double bound, bool trusted) {
  if (!trusted) return {.verdict = ElementVerdict::untrusted};
  if (std::isnan(exact)) return judge_nan(actual);
  if (!is_bound(bound)) return {.verdict = ElementVerdict::untrusted};
  const bool at_edge = std::isfinite(exact) && std::abs(exact) + bound > rules.largest;
  if (!std::isfinite(exact) || !std::isfinite(actual)) return judge_classes(actual, exact, at_edge);
  return judge_numbers(rules, actual, exact, bound, bound);
}

Judged judge_bits(const JudgeRules& rules, uint64_t actual_bits, uint64_t reference_bits) {
  if (!is_float(rules.dtype)) {
    const int64_t actual = host_integer(rules.dtype, actual_bits), y = host_integer(rules.dtype, reference_bits);
    Judged judged{.numbers = true};
    if (actual_bits == reference_bits) return judged;
    const uint64_t size = static_cast<uint64_t>(std::max(actual, y)) - static_cast<uint64_t>(std::min(actual, y));
    judged.difference = static_cast<double>(size) * (actual < y ? -1 : 1);
    judged.verdict = ElementVerdict::failed;
    judged.ratio = kInfinity;
    judged.ulps = static_cast<double>(size);
    return judged;
  }
  const Format format = host_format(rules.dtype);
  const double actual = decode_quick(format, actual_bits), y = decode_quick(format, reference_bits);
  if (actual_bits == reference_bits) return {.numbers = std::isfinite(y)};
  if (std::isnan(y)) return failed(std::isnan(actual) ? FailureClass::nan_bits : FailureClass::nan_lost);
  if (!std::isfinite(y) || !std::isfinite(actual)) return judge_classes(actual, y, false);
  if (actual == y) return failed(FailureClass::zero_sign);
  return judge_numbers(rules, actual, y, 0, 0.0);
}

void Tally::add(int64_t index, const Judged& judged) {
  ++sums_.total;
  if (!verdicts_.empty()) verdicts_[static_cast<size_t>(index)] = static_cast<uint8_t>(judged.verdict);
  switch (judged.verdict) {
    case ElementVerdict::untrusted: ++sums_.untrusted; return;
    case ElementVerdict::at_edge: ++sums_.at_edge, ++sums_.suspect; return;
    case ElementVerdict::passed: ++sums_.passed; break;
    case ElementVerdict::suspect: ++sums_.suspect; break;
    case ElementVerdict::failed: ++sums_.failed; break;
  }
  ++sums_.histogram[static_cast<size_t>(ratio_bin(judged.ratio))];
  switch (judged.failure) {
    case FailureClass::number: break;
    case FailureClass::nan_lost: ++sums_.nan_lost; break;
    case FailureClass::nan_made: ++sums_.nan_made; break;
    case FailureClass::infinity_lost: ++sums_.infinity_lost; break;
    case FailureClass::infinity_made: ++sums_.infinity_made; break;
    case FailureClass::infinity_sign: ++sums_.infinity_sign; break;
    case FailureClass::zero_sign: ++sums_.zero_sign; break;
    case FailureClass::nan_bits: ++sums_.nan_bits; break;
  }
  const bool beyond = judged.verdict != ElementVerdict::passed, suspect = judged.verdict == ElementVerdict::suspect;
  if (beyond) list(index);
  if (judged.numbers) {
    if (judged.difference > 0) ++sums_.above, sums_.suspects_above += suspect;
    if (judged.difference < 0) ++sums_.below, sums_.suspects_below += suspect;
    sums_.largest_ulps = std::max(sums_.largest_ulps, judged.ulps);
    auto& largest = judged.bound > 0 ? sums_.largest_ratio : sums_.largest_difference;
    const double value = judged.bound > 0 ? judged.ratio : std::abs(judged.difference);
    if (beyond && std::isfinite(value)) largest = std::max(largest.value_or(0), value);
  }
  note(index, judged);
}

void Tally::add_equal(int64_t count) {
  sums_.total += count;
  sums_.passed += count;
  sums_.histogram[0] += count;
}

void Tally::note(int64_t index, const Judged& judged) {
  const int64_t key = ratio_key(judged.ratio);
  if (key == 0 || key < worst_key_ || (key == worst_key_ && index > sums_.worst)) return;
  worst_key_ = key;
  sums_.worst = index;
  sums_.worst_ratio = judged.ratio;
  sums_.worst_ulps = judged.ulps;
}

void Tally::list(int64_t index) {
  if (listed_ == 0 || index > list_to_) return;
  sums_.beyond.push_back(index);
  if (sums_.beyond.size() >= 2 * listed_ + 64) shorten_list();
}

void Tally::shorten_list() {
  std::sort(sums_.beyond.begin(), sums_.beyond.end());
  if (sums_.beyond.size() < listed_ || listed_ == 0) return;
  sums_.beyond.resize(listed_);
  list_to_ = sums_.beyond.back();
}

void Tally::join(const Tally& other) {
  const ElementComparison& from = other.sums_;
  for (int64_t ElementComparison::* count :
       {&ElementComparison::total, &ElementComparison::passed, &ElementComparison::suspect, &ElementComparison::failed,
        &ElementComparison::untrusted, &ElementComparison::at_edge, &ElementComparison::nan_lost,
        &ElementComparison::nan_made, &ElementComparison::infinity_lost, &ElementComparison::infinity_made,
        &ElementComparison::infinity_sign, &ElementComparison::zero_sign, &ElementComparison::nan_bits,
        &ElementComparison::above, &ElementComparison::below, &ElementComparison::suspects_above,
        &ElementComparison::suspects_below})
    sums_.*count += from.*count;
  for (size_t i = 0; i < sums_.histogram.size(); ++i) sums_.histogram[i] += from.histogram[i];
  sums_.largest_ulps = std::max(sums_.largest_ulps, from.largest_ulps);
  if (from.largest_ratio) sums_.largest_ratio = std::max(sums_.largest_ratio.value_or(0), *from.largest_ratio);
  if (from.largest_difference)
    sums_.largest_difference = std::max(sums_.largest_difference.value_or(0), *from.largest_difference);
  if (from.worst >= 0) note(from.worst, {.ratio = from.worst_ratio, .ulps = from.worst_ulps});
  sums_.beyond.insert(sums_.beyond.end(), from.beyond.begin(), from.beyond.end());
}

ElementComparison Tally::result() && {
  shorten_list();
  return std::move(sums_);
}

}  // namespace faultline
