// One value of the exact domain: the reference y in fp64 with a bound E on |conforming result - y|, and how E passes
// through scalar functions (docs/sources.md, Oracle: element bounds).
//
// E may grow without limit or lose its meaning; then it is infinite and `reasons` says why. Reasons stick to whatever
// is computed from a value. A value with a reason is evidence of class `untrusted`.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runtime/ir/function.h"
#include "runtime/numerics/format.h"

namespace faultline {

struct Bounded {
  enum Reason : uint32_t {
    branch = 1,       // a discontinuous step (comparison, floor, select, integer cast) within its operands' error
    denominator = 2,  // a divisor within its error
    unbounded = 4,    // a sum so long that n*u >= 1
    undefined = 8,    // float to integer out of range
    overflow = 16,    // |y| + E beyond the largest finite number of the format
    domain = 32,      // an argument within its error of a pole or of the end of the function's domain
    torn = 64,        // bytes in memory that are no element
    poison = 128,     // never written memory
    special = 256,    // an infinity or NaN in a format that cannot tell them apart
  };

  union {
    double value = 0;  // float dtypes
    int64_t integer;   // integer and bool dtypes
  };
  double bound = 0;  // of floats
  uint32_t reasons = 0;
  union {
    uint32_t allocation = 0;  // of poison
    uint32_t choice;          // of integers with no other reason than `branch`: the domain knows which they may be
  };
};

// "branch, overflow"; empty for none.
std::string reasons_text(uint32_t reasons);

// How sharp the bounds are, and what the backend declares about its functions.
struct ErrorProfile {
  bool sharp = false;  // min(gamma_n, lambda*sqrt(n)*u): hunting; sound otherwise
  double lambda = 6;
  bool fast_division = false;                   // division 2.5 ulp, sqrt 3
  bool wide_erf = false;                        // erf, erfc 16 ulp
  bool strict_casts = false;                    // an explicit cast rounds the reference too
  bool subnormals_lost = false;                 // contractions may take subnormal operands and products for 0, and
                                                // functions may give 0 for subnormals: those of bf16, and in other
                                                // types those that are not correctly rounded
  bool zero_products_skipped = false;           // contractions may leave out products with 0, of NaN and infinities too
  bool infinities_add_up = true;                // otherwise a sum with an infinity may be NaN, as running means are
  bool erf_of_infinity = true;                  // otherwise erf is undefined there
  bool own_type_sums = false;                   // the ops that say so (OpRow) add up in their own type
  bool exact_sums = true;                       // a sum whose every partial sum is representable has no error
  std::map<Function, double> ulps{};            // instead of the table
  std::map<Function, double> absolute_error{};  // declared absolute terms, default 0
  // The share of the largest number beyond which a function, of a remainder its quotient, may overflow.
  std::map<Function, double> overflow_from{};

  // The k of docs/sources.md, Oracle: element bounds; 1/2 for correctly rounded functions, 0 for exact ones.
  double ulps_of(Function function) const;
};

// A number against its reference: |number - value| <= bound; NaN agrees with NaN, an infinity with itself. Undecided
// where the bound is infinite, and where an infinity may be what rounds beyond `largest`, the format's largest number.
enum class Agreement : uint8_t { within, beyond, undecided };
Agreement agreement(double value, double bound, double number, double largest);

// The function is correctly rounded or exact, and f(a, b) is a double without error: nothing is lost before the
// rounding to a format.
bool exact_in_double(Function function, double y, double a, double b);

}  // namespace faultline
