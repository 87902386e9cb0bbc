// Reasons stick to a value and whatever is computed from it, so that one element may have several.
#include "checkers/untrusted.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "checkers/compare.h"
#include "runtime/exact/bounded.h"

namespace faultline {

namespace {

struct Reason {
  uint32_t bit;
  std::string_view words;
};
constexpr Reason kReasons[] = {
    {Bounded::branch, "a comparison or rounding to whole numbers within the error of its operands"},
    {Bounded::denominator, "a divisor within its error"},
    {Bounded::unbounded, "a sum too long for a bound"},
    {Bounded::undefined, "a float that no integer of the type stands for"},
    {Bounded::overflow, "a number beyond the machine's range"},
    {Bounded::domain, "an argument within its error of the end of a function's domain"},
    {Bounded::torn, "bytes that are no element"},
    {Bounded::poison, "memory that nobody wrote"},
    {Bounded::special, "an infinity or NaN in a format that cannot tell them apart"},
};

std::string words_of(uint32_t reasons) {
  std::vector<std::string_view> words;
  for (const Reason& reason : kReasons)
    if ((reasons & reason.bit) != 0) words.push_back(reason.words);
  // Without a reason it is the comparison that gave up: where the bound reaches across the end of the range.
  return words.empty() ? "a result at the end of its range" : fmt::format("{}", fmt::join(words, "; "));
}

}  // namespace

std::vector<std::string> weaknesses(const TensorEvidence& tensor) {
  const auto total = static_cast<int64_t>(tensor.actual.size());
  if (tensor.role != TensorRole::output || !is_float(tensor.actual_type.dtype) || total < 2) return {};
  const DType dtype = tensor.actual_type.dtype;
  const double edge = limits(host_format(dtype)).largest;
  int64_t zeros = 0, saturated = 0, loose = 0;
  double largest = 0;
  for (const double exact : tensor.target.exact)
    if (std::isfinite(exact)) largest = std::max(largest, std::abs(exact));
  for (int64_t i = 0; i < total; ++i) {
    const double value = number_of(dtype, tensor.actual[i]);
    zeros += value == 0;
    saturated += std::abs(value) >= edge;
    if (!tensor.target.exact.empty() && tensor.target.untrusted[i] == 0)
      loose += tensor.target.bound[i] > largest && tensor.target.bound[i] > 0;
  }
  std::vector<std::string> reasons;
  const bool equal = std::all_of(tensor.actual.begin(), tensor.actual.end(),
                                 [&](uint64_t bits) { return bits == tensor.actual.front(); });
  if (equal)
    reasons.push_back(
        fmt::format("{}: all {} elements are equal, so that a wrong place would not show", tensor.name, total));
  else if (are_too_many_zeros(zeros, total))
    reasons.push_back(fmt::format("{}: {} of {} elements are 0", tensor.name, zeros, total));
  if (saturated > 0)
    reasons.push_back(
        fmt::format("{}: {} of {} elements are at the end of their range", tensor.name, saturated, total));
  if (loose > 0)
    reasons.push_back(
        fmt::format("{}: at {} of {} elements the bound is beyond every value", tensor.name, loose, total));
  return reasons;
}

std::string unjudged(const TensorEvidence& tensor) {
  const ElementVerdicts verdicts = compare_elements(tensor, tensor.actual);
  if (verdicts.untrusted == 0) return {};
  uint32_t reasons = 0;
  for (const uint32_t mine : tensor.target.untrusted) reasons |= mine;
  return fmt::format("{} of {} elements of {} cannot be judged: {}", verdicts.untrusted, verdicts.total, tensor.name,
                     words_of(reasons));
}

}  // namespace faultline
