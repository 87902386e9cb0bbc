// Lengths, in bits, of the code that explanations of a mismatch are compared by (minimum description length).
//
//   rule      = 4 + par(W) + 4 + par(V) + sum over cases [ I(x) + log2 C(N,x) + w*x ]     x exceptions
//   raw list  = sum over cases [ 4 + I(|D|) + log2 C(N,|D|) + w*|D| ]                     nothing is shared between
//   cases
//
// Parameters are paid once for a set of cases. Counts may be fractional where they are estimates from a sample.
#pragma once

#include <cstdint>

namespace faultline {

// Naming one family, of places or of values.
inline constexpr double kFamilyBits = 4;
// Two explanations closer than this are not told apart.
inline constexpr double kMarginBits = 10;

// A count without a bound: 2*floor(log2(k+1)) + 1.
double integer_bits(double count);
// log2 of the number of ways to choose `chosen` of `total`.
double choose_bits(double total, double chosen);
// `count` wrong elements of `total`: how many, where, and `value_bits` for the value of each.
double list_bits(double total, double count, double value_bits);
// log2(n), and 0 where there is nothing to choose.
double choice_bits(double alternatives);

}  // namespace faultline
