// Integers that errors leave open: which they may be, and how that passes through arithmetic with sure integers.
#include <algorithm>
#include <cmath>

#include "runtime/exact/exact_domain.h"
#include "runtime/numerics/scalar.h"

namespace faultline {

using Value = ExactDomain::Value;

void ExactDomain::leave_open(Value& integer, IndexChoice choice) {
  choices_->push_back(std::move(choice));
  integer.reasons = Bounded::branch;
  integer.choice = static_cast<uint32_t>(choices_->size());
}

const IndexChoice* ExactDomain::choice_of(const Value& integer) const {
  return integer.reasons == Bounded::branch && integer.choice > 0 ? &(*choices_)[integer.choice - 1] : nullptr;
}

Value ExactDomain::either(bool real, Value out, const Value& chosen, const Value& other) {
  if ((out.reasons & Bounded::poison) != 0) return out;
  if ((other.reasons & Bounded::poison) != 0) return other;
  if (!real) {
    if (chosen.integer != other.integer || chosen.choice != other.choice) {
      out.reasons |= Bounded::branch;
      out.choice = 0;
    }
    return out;
  }
  const double apart = std::fabs(chosen.value - other.value);
  if (chosen.value == other.value || (std::isnan(chosen.value) && std::isnan(other.value))) {
    out.bound = std::max(out.bound, other.bound);
  } else if (apart <= chosen.bound + other.bound) {  // they meet here, as in relu: no jump
    out.bound = std::max(out.bound, apart + other.bound);
  } else {
    out.reasons |= Bounded::branch | other.reasons;
    out.bound =
        std::isfinite(apart) ? std::max(out.bound, apart + other.bound) : std::numeric_limits<double>::infinity();
  }
  return out;
}

// The open operand of a function of two, if the other is sure.
static const Value* open_operand(const IndexChoice* of_x, const IndexChoice* of_y, const Value& x, const Value& y) {
  if (of_x != nullptr && y.reasons == 0) return &x;
  return of_y != nullptr && x.reasons == 0 ? &y : nullptr;
}

bool ExactDomain::same_for_all(Function function, const Value& x, const Value& y, Value& out) const {
  const Value* open = open_operand(choice_of(x), choice_of(y), x, y);
  if (open == nullptr) return false;
  const auto result = [&](int64_t number) {
    return scalar_compare(function, open == &x ? number : x.integer, open == &y ? number : y.integer);
  };
  const std::vector<int64_t>& among = *choice_of(*open)->among;
  const auto first = result(among.front());
  if (!std::all_of(among.begin(), among.end(), [&](int64_t number) { return result(number) == first; })) return false;
  out = Value{};
  out.integer = first;
  return true;
}

bool ExactDomain::map_choice(Function function, Format format, const Value& x, const Value& y, Value& out) {
  const Value* open = open_operand(choice_of(x), choice_of(y), x, y);
  if (open == nullptr) return false;
  const IndexChoice choice = *choice_of(*open);
  std::vector<int64_t> mapped;
  for (const int64_t number : *choice.among)
    mapped.push_back(
        integer_function(function, format, open == &x ? number : x.integer, open == &y ? number : y.integer));
  std::sort(mapped.begin(), mapped.end());
  mapped.erase(std::unique(mapped.begin(), mapped.end()), mapped.end());
  if (mapped.size() == 1) {
    out.reasons = 0;
    out.choice = 0;
  } else {
    leave_open(out, {std::make_shared<const std::vector<int64_t>>(std::move(mapped)), 0, 0});
  }
  return true;
}

void ExactDomain::settle_extreme(Reduction reduction, DType dtype, std::span<const Value> row, Value& index) {
  const size_t best = static_cast<size_t>(index.integer);
  uint32_t reasons = 0;
  for (const Value& element : row) reasons |= element.reasons;
  index.reasons |= reasons;
  if (!is_float(dtype) || reasons != 0 || !std::isfinite(row[best].value)) return;
  const double sign = reduction == Reduction::argmax ? 1 : -1;
  double surely = -std::numeric_limits<double>::infinity();  // what the extreme reaches at least
  for (const Value& element : row) surely = std::max(surely, sign * element.value - element.bound);
  std::vector<int64_t> among;
  for (size_t k = 0; k < row.size(); ++k) {
    const bool reaches = sign * row[k].value + row[k].bound >= surely;
    const bool open = row[k].bound > 0 || row[best].bound > 0;  // of exact ones the first is it
    if (k == best || (reaches && open)) among.push_back(static_cast<int64_t>(k));
  }
  if (among.size() > 1) leave_open(index, {std::make_shared<const std::vector<int64_t>>(std::move(among)), 0, 0});
}

}  // namespace faultline
