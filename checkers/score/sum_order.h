// The orders in which machines add up terms: each of them is legal, and the bound of a sum holds for all.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace faultline {

struct SumOrder {
  enum class Kind : uint8_t {
    forward,
    reversed,
    shuffled,  // by the stream that `parameter` seeds
    pairwise,  // a tree of halves
    blocked,   // blocks of `parameter` terms, then the blocks
    lanes,     // `parameter` partial sums, term k to sum k mod parameter, then a tree
    split,     // `parameter` equal pieces that start at 0 each, then the pieces
  };
  Kind kind = Kind::forward;
  uint32_t parameter = 0;
};
inline constexpr int kSumOrderCount = 7;

std::string to_text(const SumOrder& order);

// `add` rounds. Of no terms: 0.
double sum_in_order(const SumOrder& order, std::span<const double> terms,
                    const std::function<double(double, double)>& add);

// The additions that follow the term that most of them follow.
int64_t depth_of(const SumOrder& order, int64_t terms);

}  // namespace faultline
