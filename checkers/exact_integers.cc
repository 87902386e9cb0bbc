// From the largest numbers down: the more different they are, the better a mistake shows.
#include "checkers/exact_integers.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "checkers/untrusted.h"
#include "runtime/numerics/format.h"

namespace faultline {

namespace {

struct Closeness {
  bool weak = true;                                       // a result of equal elements or mostly zeros shows no mistake
  int64_t inexact = std::numeric_limits<int64_t>::max();  // elements with a bound
  double bound = 0;                                       // the largest, relative to the largest element
  bool is_exact() const { return !weak && inexact == 0; }
  auto operator<=>(const Closeness&) const = default;
};

bool is_weak(const std::vector<IntegerReference>& results) {
  for (const auto& [dtype, reference] : results) {
    const std::vector<double>& exact = reference.exact;
    if (!is_float(dtype) || exact.size() < 2) continue;
    const auto zeros = std::count(exact.begin(), exact.end(), 0.0);
    if (are_too_many_zeros(zeros, std::ssize(exact))) return true;
    if (std::adjacent_find(exact.begin(), exact.end(), std::not_equal_to<>()) == exact.end()) return true;
  }
  return false;
}

Closeness closeness(const std::vector<IntegerReference>& results) {
  Closeness close{is_weak(results), 0, 0};
  double largest = 0;
  for (const IntegerReference& result : results)
    for (size_t i = 0; i < result.reference.exact.size(); ++i) {
      largest = std::max(largest, std::abs(result.reference.exact[i]));
      if (result.reference.bound[i] == 0 && result.reference.untrusted[i] == 0) continue;
      ++close.inexact;
      close.bound = std::max(close.bound, result.reference.bound[i]);
    }
  if (largest > 0) close.bound /= largest;
  return close;
}

bool rounds_once(const std::vector<IntegerReference>& results) {
  for (const auto& [dtype, reference] : results) {
    if (!is_float(dtype)) continue;
    const double half_ulp = 1.001 * limits(host_format(dtype)).unit_roundoff;
    for (size_t i = 0; i < reference.exact.size(); ++i)
      if (reference.untrusted[i] != 0 || reference.bound[i] > half_ulp * std::abs(reference.exact[i])) return false;
  }
  return true;
}

}  // namespace

ExactIntegers find_exact_integers(const ReferencesOf& references) {
  constexpr int kMost[] = {64, 32, 16, 8, 4, 2, 1}, kEach[] = {2, 4, 16, 256};
  ExactIntegers found;
  Closeness best;
  const auto consider = [&](const IntegerData& data) {
    const Closeness mine = closeness(references(data));
    if (!(mine < best)) return;
    best = mine;
    found.exact = data;
  };
  for (const int most : kMost)
    if (!best.is_exact()) consider({most, 1});
  for (const int each : kEach)
    if (!best.is_exact()) consider({1, each});
  found.is_exact = best.is_exact();
  found.wide = found.exact;
  for (int most = 2048; most > found.exact.most; most /= 2) {
    if (!rounds_once(references({most, 1}))) continue;
    found.wide = {most, 1};
    break;
  }
  return found;
}

}  // namespace faultline
