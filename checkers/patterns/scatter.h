// The hypothesis that nothing is organised: wrong elements lie anywhere. A rule has to be shorter than this too, not
// only than the list with every value written out, or copies and flips at random would be named one by one.
//
//   list    4 + I(k) + log2 C(N,k) + sum over wrong elements of 2 + the shortest of
//           0 for a zero, log2 w for one flipped bit, log2(N * known tensors) for a value that occurs in one, w
//   rule    4 + 4 + par(V) + I(k) + log2 C(N,k) for the k elements that V gives, and the list of the others
#pragma once

#include "checkers/patterns/proposals.h"

namespace faultline {

class ValueCodes {
 public:
  explicit ValueCodes(const Scene& scene);
  // Of one sample's value: 2 where it is right.
  double bits(size_t at, size_t sample) const { return bits_[at][sample]; }
  // Of every wrong element of a case.
  double wrong_bits(size_t at) const { return wrong_bits_[at]; }

 private:
  std::vector<std::vector<double>> bits_;
  std::vector<double> wrong_bits_;
};

// Of the list. `parts` empty: of every wrong element; else of an explanation, with such codes for its exceptions.
double scattered_list_bits(const Scene& scene, const ValueCodes& codes);
double recoded_bits(const Scene& scene, const ValueCodes& codes, const std::vector<Found>& parts, double bits);

// Of the loaded rule at whatever elements it explains.
double scattered_rule_bits(const Scorer& scorer, const ValueCodes& codes, double parameter_bits);

}  // namespace faultline
