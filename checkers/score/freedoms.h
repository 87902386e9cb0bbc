// Rewrites that a compiler may make of a program: other roundings for the same function. Each is taken only where the
// declared arithmetic has room for it, by an error analysis that stands with it (docs/sources.md, Oracle: score), so
// that no judge has an excuse to accuse it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "checkers/score/sum_order.h"
#include "runtime/ir/prim.h"

namespace faultline {

enum class Freedom : uint8_t {
  online_softmax,     // the sum of exponentials is taken in the same pass as the maximum, and scaled when that rises
  running_variance,   // mean and squares are brought up to date element by element
  one_pass_variance,  // the sum of squares less the square of the sum
  exp2,               // in place of exp
  contraction,        // of a product and a sum into one rounding
  reciprocal,         // a product with it in place of a quotient; where division is declared fast
  flush,              // of subnormal results to 0; where that is declared
};
inline constexpr int kFreedomCount = 7;
std::string_view name(Freedom freedom);

using Freedoms = uint32_t;
constexpr Freedoms bit(Freedom freedom) { return Freedoms{1} << static_cast<int>(freedom); }
inline constexpr Freedoms kAllFreedoms = (Freedoms{1} << kFreedomCount) - 1;
// Those that need more than the plain declaration.
inline constexpr Freedoms kFastFreedoms = bit(Freedom::reciprocal) | bit(Freedom::flush);

// x, of a sum of exp(x - max x) over the dims of the maximum; of a sum of (x - mean x)^2 over those of the mean.
std::optional<int> exponents_under(const PrimGraph& graph, const PrimNode& sum);
std::optional<int> deviates_under(const PrimGraph& graph, const PrimNode& sum);
// The node of the latter, in a graph.
std::optional<int> sum_of_squares(const PrimGraph& graph);

// All in f32. The sum of exp(x - max x) in so many blocks; `order` within each.
double online_sum(const SumOrder& order, int blocks, std::span<const double> x);
// More roundings follow a term of a plain sum, in some order, than one of this.
bool online_sum_conforms(const SumOrder& order, int blocks, int64_t terms);

// The sum of (x - mean x)^2, and what bounds its error.
double running_squares(std::span<const double> x);
double running_squares_error(std::span<const double> x);
double one_pass_squares(const SumOrder& order, std::span<const double> x);
double one_pass_squares_error(const SumOrder& order, std::span<const double> x);

// Within the 3 ulp of exp: where the rounded product with log2 e costs more, its rest is made good.
double exp_by_exp2(double x);

}  // namespace faultline
