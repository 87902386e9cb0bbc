// Division is done digit by digit: every term is split into the part that is a multiple of the divisor and a rest; the
// expression divides when the rests together stay within [0, divisor).
#include "runtime/layers/fuse/affine.h"

#include <algorithm>
#include <tuple>

namespace faultline {

static int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

Range range_of(const Term& term, std::span<const int64_t> extents) {
  const int64_t last = std::max<int64_t>(extents[static_cast<size_t>(term.dim)], 1) - 1;
  int64_t high = last / term.divisor;
  if (term.modulus != 0) high = std::min(high, term.modulus - 1);
  const int64_t far = term.coefficient * high;
  return {std::min<int64_t>(far, 0), std::max<int64_t>(far, 0)};
}

Range range_of(const Affine& affine, std::span<const int64_t> extents) {
  Range range{affine.constant, affine.constant};
  for (const Term& term : affine.terms) {
    const Range part = range_of(term, extents);
    range.low += part.low;
    range.high += part.high;
  }
  return range;
}

Affine constant_affine(int64_t constant) { return {constant, {}}; }
Affine index_affine(int dim) { return {0, {Term{dim, 1, 1, 0}}}; }

Affine scaled(Affine affine, int64_t factor) {
  affine.constant *= factor;
  for (Term& term : affine.terms) term.coefficient *= factor;
  return affine;
}

Affine sum(Affine a, const Affine& b) {
  a.constant += b.constant;
  a.terms.insert(a.terms.end(), b.terms.begin(), b.terms.end());
  return a;
}

// c*m*((i / (d*m)) % k) + c*((i / d) % m) is c*((i / d) % (m*k)); likewise without the outer modulus.
static bool join(Term& low, const Term& high) {
  if (low.dim != high.dim || low.modulus == 0) return false;
  if (high.divisor != low.divisor * low.modulus || high.coefficient != low.coefficient * low.modulus) return false;
  low.modulus = high.modulus == 0 ? 0 : low.modulus * high.modulus;
  return true;
}

static bool by_digit(const Term& a, const Term& b) {
  return std::tie(a.dim, a.divisor, a.modulus, a.coefficient) < std::tie(b.dim, b.divisor, b.modulus, b.coefficient);
}

static void join_all(std::vector<Term>& terms) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t low = 0; low < terms.size() && !changed; ++low) {
      for (size_t high = 0; high < terms.size() && !changed; ++high) {
        if (low == high || !join(terms[low], terms[high])) continue;
        terms.erase(terms.begin() + static_cast<ptrdiff_t>(high));
        changed = true;
      }
    }
  }
}

Affine simplified(const Affine& affine, std::span<const int64_t> extents) {
  Affine result = constant_affine(affine.constant);
  for (Term term : affine.terms) {
    const int64_t extent = std::max<int64_t>(extents[static_cast<size_t>(term.dim)], 1);
    if (term.modulus != 0 && (extent - 1) / term.divisor < term.modulus) term.modulus = 0;
    const Range range = range_of(term, extents);
    if (range.low == 0 && range.high == 0) continue;
    const auto same = std::find_if(result.terms.begin(), result.terms.end(), [&](const Term& other) {
      return other.dim == term.dim && other.divisor == term.divisor && other.modulus == term.modulus;
    });
    if (same == result.terms.end())
      result.terms.push_back(term);
    else
      same->coefficient += term.coefficient;
  }
  std::erase_if(result.terms, [](const Term& term) { return term.coefficient == 0; });
  join_all(result.terms);
  for (Term& term : result.terms) {
    const int64_t extent = std::max<int64_t>(extents[static_cast<size_t>(term.dim)], 1);
    if (term.modulus != 0 && (extent - 1) / term.divisor < term.modulus) term.modulus = 0;
  }
  std::sort(result.terms.begin(), result.terms.end(), by_digit);
  return result;
}

// Adds the term to quotient and remainder; false when its digit cannot be split at the divisor.
static bool divide_term(const Term& term, int64_t divisor, std::span<const int64_t> extents, Division& division) {
  if (term.coefficient % divisor == 0) {
    Term whole = term;
    whole.coefficient /= divisor;
    division.quotient.terms.push_back(whole);
    return true;
  }
  const int64_t size = term.coefficient < 0 ? -term.coefficient : term.coefficient;
  if (size > divisor) {
    Term whole = term, rest = term;
    whole.coefficient = term.coefficient / divisor;
    rest.coefficient = term.coefficient % divisor;
    division.quotient.terms.push_back(whole);
    return divide_term(rest, divisor, extents, division);
  }
  const Range range = range_of(term, extents);
  if (divisor % size != 0 || range.high - range.low < divisor) {
    division.remainder.terms.push_back(term);
    return true;
  }
  const int64_t radix = divisor / size;
  if (term.modulus != 0 && term.modulus % radix != 0) return false;
  Term high = term, low = term;
  high.coefficient = term.coefficient < 0 ? -1 : 1;
  high.divisor *= radix;
  if (term.modulus != 0) high.modulus = term.modulus / radix;
  low.modulus = radix;
  division.quotient.terms.push_back(high);
  division.remainder.terms.push_back(low);
  return true;
}

std::optional<Division> divided(const Affine& affine, int64_t divisor, std::span<const int64_t> extents) {
  const Affine whole = simplified(affine, extents);
  if (divisor == 1) return Division{whole, constant_affine(0)};
  Division division;
  division.quotient.constant = floor_divide(whole.constant, divisor);
  division.remainder.constant = whole.constant - division.quotient.constant * divisor;
  for (const Term& term : whole.terms)
    if (!divide_term(term, divisor, extents, division)) return std::nullopt;
  division.quotient = simplified(division.quotient, extents);
  division.remainder = simplified(division.remainder, extents);
  const Range rest = range_of(division.remainder, extents);
  if (rest.low < 0 || rest.high >= divisor) return std::nullopt;
  return division;
}

std::optional<int64_t> step_along(const Affine& affine, int dim) {
  int64_t step = 0;
  for (const Term& term : affine.terms) {
    if (term.dim != dim) continue;
    if (term.divisor != 1 || term.modulus != 0) return std::nullopt;
    step += term.coefficient;
  }
  return step;
}

}  // namespace faultline
