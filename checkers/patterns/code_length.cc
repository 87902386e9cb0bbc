// Code lengths: the formulas of code_length.h, with the logarithm of the factorial taken from lgamma.
#include "checkers/patterns/code_length.h"

#include <cmath>

namespace faultline {

double integer_bits(double count) { return 2 * std::floor(std::log2(count + 1)) + 1; }

double choose_bits(double total, double chosen) {
  if (chosen <= 0 || chosen >= total) return 0;
  constexpr double kLn2 = 0.69314718055994530942;
  // lgamma writes a global; lgamma_r does not.
  int sign = 0;
  return (lgamma_r(total + 1, &sign) - lgamma_r(chosen + 1, &sign) - lgamma_r(total - chosen + 1, &sign)) / kLn2;
}

double list_bits(double total, double count, double value_bits) {
  return integer_bits(count) + choose_bits(total, count) + value_bits * count;
}

double choice_bits(double alternatives) { return alternatives > 1 ? std::log2(alternatives) : 0; }

}  // namespace faultline
