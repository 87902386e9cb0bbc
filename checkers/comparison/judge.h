// One element, judged plainly; and what all judged elements add up to.
#pragma once

#include <limits>

#include "checkers/comparison/comparison.h"
#include "runtime/numerics/format.h"

namespace faultline {

// What is compared, and how: the same for every element.
struct JudgeRules {
  enum class Mode : uint8_t { of_reference, given, bits };
  Mode mode = Mode::bits;
  DType dtype = DType::f32;
  BoundOfReference bound;
  double largest = 0;
  bool sign_of_zero = false;
  bool single = false;  // r in binary32
};

enum class FailureClass : uint8_t {
  number,
  nan_lost,
  nan_made,
  infinity_lost,
  infinity_made,
  infinity_sign,
  zero_sign,
  nan_bits
};

struct Judged {
  ElementVerdict verdict = ElementVerdict::passed;
  FailureClass failure = FailureClass::number;
  bool numbers = false;                        // a number for a number: the rest means something
  double ratio = 0, ulps = 0, difference = 0;  // difference: out - y
  double bound = 0;
};

Judged judge_of_reference(const JudgeRules& rules, uint64_t actual, uint64_t reference);
Judged judge_given(const JudgeRules& rules, double actual, double exact, double bound, bool trusted);
Judged judge_bits(const JudgeRules& rules, uint64_t actual, uint64_t reference);

// r to the digits in which the worst element is sought, as an integer that rises with it; 0 up to 2^-24.
int64_t ratio_key(double ratio);
// The least r of a key above 0.
double ratio_of_key(int64_t key);

// A part of the comparison. Parts add up to the same in any order.
class Tally {
 public:
  Tally(size_t listed, std::span<uint8_t> verdicts) : listed_(listed), verdicts_(verdicts) {}

  void add(int64_t index, const Judged& judged);
  // `count` elements that pass and equal their reference.
  void add_equal(int64_t count);
  // The element of the largest r so far, if it is one that passed among others: its verdict is counted elsewhere.
  void note(int64_t index, const Judged& judged);
  void join(const Tally& other);
  ElementComparison result() &&;

  int64_t worst_key() const { return worst_key_; }
  int64_t worst_index() const { return sums_.worst; }
  ElementComparison& sums() { return sums_; }

 private:
  void list(int64_t index);
  void shorten_list();

  ElementComparison sums_;
  int64_t worst_key_ = 0;
  size_t listed_;
  int64_t list_to_ = std::numeric_limits<int64_t>::max();  // the list is complete up to here
  std::span<uint8_t> verdicts_;
};

}  // namespace faultline
