// Patterns in a graph of prims, and the algorithms that may stand for them.
#include "checkers/score/freedoms.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/numerics/arithmetic.h"
#include "runtime/numerics/format.h"

namespace faultline {

namespace {

constexpr double kRoundoff = 0x1p-24;  // of f32

double rounded(double value) { return static_cast<double>(static_cast<float>(value)); }
double sum(const SumOrder& order, std::span<const double> terms) {
  return sum_in_order(order, terms, [](double a, double b) { return rounded(a + b); });
}

bool is(const PrimNode& node, Function function) { return node.prim == Prim::pointwise && node.function == function; }
bool is_sum(const PrimNode& node) { return node.prim == Prim::reduce && node.reduction == Reduction::sum; }

// What is spread over dims again.
const PrimNode& spread(const PrimGraph& graph, int node) {
  while (graph.nodes[node].prim == Prim::reshape || graph.nodes[node].prim == Prim::broadcast)
    node = graph.nodes[node].operands[0];
  return graph.nodes[node];
}

// As they are, without error: the analyses speak of them.
struct Moments {
  double magnitudes = 0, squares = 0, deviations = 0;  // sums of |x|, x^2, (x - mean)^2
};
Moments moments_of(std::span<const double> x) {
  Moments moments;
  double total = 0;
  for (const double value : x) {
    total += value;
    moments.magnitudes += std::fabs(value);
    moments.squares += value * value;
  }
  const double mean = total / static_cast<double>(x.size());
  for (const double value : x) moments.deviations += (value - mean) * (value - mean);
  return moments;
}

}  // namespace

std::string_view name(Freedom freedom) {
  static constexpr std::string_view kNames[kFreedomCount] = {
      "online_softmax", "running_variance", "one_pass_variance", "exp2", "contraction", "reciprocal", "flush"};
  return kNames[static_cast<int>(freedom)];
}

std::optional<int> exponents_under(const PrimGraph& graph, const PrimNode& sum) {
  if (!is_sum(sum)) return {};
  const PrimNode& exponential = graph.nodes[sum.operands[0]];
  if (!is(exponential, Function::exp)) return {};
  const PrimNode& shifted = graph.nodes[exponential.operands[0]];
  if (!is(shifted, Function::sub)) return {};
  const PrimNode& top = spread(graph, shifted.operands[1]);
  const bool maximum = top.prim == Prim::reduce && top.reduction == Reduction::max && top.axes == sum.axes;
  if (!maximum || top.operands[0] != shifted.operands[0]) return {};
  return shifted.operands[0];
}

std::optional<int> deviates_under(const PrimGraph& graph, const PrimNode& sum) {
  if (!is_sum(sum)) return {};
  const PrimNode& square = graph.nodes[sum.operands[0]];
  if (!is(square, Function::mul) || square.operands[0] != square.operands[1]) return {};
  const PrimNode& centred = graph.nodes[square.operands[0]];
  if (!is(centred, Function::sub)) return {};
  const PrimNode& mean = spread(graph, centred.operands[1]);
  if (!is(mean, Function::div)) return {};
  const PrimNode& total = spread(graph, mean.operands[0]);
  if (!is_sum(total) || total.axes != sum.axes || total.operands[0] != centred.operands[0]) return {};
  return centred.operands[0];
}

std::optional<int> sum_of_squares(const PrimGraph& graph) {
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    if (deviates_under(graph, graph.nodes[n])) return static_cast<int>(n);
  return {};
}

double online_sum(const SumOrder& order, int blocks, std::span<const double> x) {
  const size_t length = (x.size() + static_cast<size_t>(blocks) - 1) / static_cast<size_t>(blocks);
  double top = -std::numeric_limits<double>::infinity(), total = 0;
  for (size_t from = 0; from < x.size(); from += length) {
    const std::span<const double> block = x.subspan(from, std::min(length, x.size() - from));
    const double risen = std::max(top, *std::max_element(block.begin(), block.end()));
    std::vector<double> terms;
    for (const double value : block) terms.push_back(rounded(std::exp(rounded(value - risen))));
    const double part = sum(order, terms);
    total = from == 0 ? part : rounded(rounded(total * rounded(std::exp(rounded(top - risen)))) + part);
    top = risen;
  }
  return total;
}

// A block costs its exponential, 3 ulp and so at most 6 roundings, the product with it, and the addition. The arguments
// of the exponentials that a term is scaled by add up to its own in the plain sum, and so do their roundings.
bool online_sum_conforms(const SumOrder& order, int blocks, int64_t terms) {
  constexpr int64_t kRoundingsOfBlock = 8;
  return depth_of(order, (terms + blocks - 1) / blocks) + kRoundingsOfBlock * blocks < terms;
}

double running_squares(std::span<const double> x) {
  double mean = 0, squares = 0, count = 0;
  for (const double value : x) {
    const double change = rounded(value - mean);
    mean = rounded(mean + rounded(change / ++count));
    squares = rounded(squares + rounded(change * rounded(value - mean)));
  }
  return squares;
}

// N kappa u, relative.
double running_squares_error(std::span<const double> x) {
  const Moments moments = moments_of(x);
  return gamma_factor(static_cast<double>(x.size()), kRoundoff) * std::sqrt(moments.squares * moments.deviations);
}

double one_pass_squares(const SumOrder& order, std::span<const double> x) {
  std::vector<double> squares;
  for (const double value : x) squares.push_back(rounded(value * value));
  const double total = sum(order, x);
  return rounded(sum(order, squares) - rounded(rounded(total * total) / static_cast<double>(x.size())));
}

// Each square is rounded, and after it `depth` sums; the sum that is squared has its own twice, and two more roundings;
// then comes the difference.
double one_pass_squares_error(const SumOrder& order, std::span<const double> x) {
  const Moments moments = moments_of(x);
  const auto depth = static_cast<double>(depth_of(order, std::ssize(x)));
  const double squared = moments.magnitudes * moments.magnitudes / static_cast<double>(x.size());
  return gamma_factor(depth + 2, kRoundoff) * moments.squares + gamma_factor(2 * depth + 3, kRoundoff) * squared;
}

double exp_by_exp2(double x) {
  constexpr double kHigh = 0x1.715476p+0, kLow = 0x1.4ae0cp-26;  // log2 e, as two numbers of f32
  constexpr double kLn2 = 0x1.62e43p-1;
  // Up to here |x| (u kHigh + kLow) ln 2 = 1.23 |x| u for the product and u for half an ulp are less than the 3 u that
  // 3 ulp are at the least.
  constexpr double kPlainMax = 1.5;
  const double scaled = rounded(x * kHigh), power = rounded(std::exp2(scaled));
  if (std::fabs(x) <= kPlainMax || !std::isfinite(scaled)) return power;
  const double rest = rounded(rounded(x * kHigh - scaled) + rounded(x * kLow));
  return rounded(power + rounded(power * rounded(rest * kLn2)));
}

}  // namespace faultline
