// Reasons stick to a value and whatever is computed from it, so that one element may have several.
#include "checkers/untrusted.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

std::string unjudged(const TensorEvidence& tensor) {
  const ElementVerdicts verdicts = compare_elements(tensor, tensor.actual);
  if (verdicts.untrusted == 0) return {};
  uint32_t reasons = 0;
  for (const uint32_t mine : tensor.target.untrusted) reasons |= mine;
  return fmt::format("{} of {} elements of {} cannot be judged: {}", verdicts.untrusted, verdicts.total, tensor.name,
                     words_of(reasons));
}

}  // namespace faultline
