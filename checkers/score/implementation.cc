// Node by node: sums and contractions of floats term by term in the chosen order, everything else by run_prims on a
// graph of that one node.
#include "checkers/score/implementation.h"

#include <algorithm>
#include <cmath>

#include "runtime/base/philox.h"
#include "runtime/exact/bounded.h"
#include "runtime/layers/decompose/node_alone.h"

namespace faultline {

namespace {

bool sums_floats(const PrimNode& node) {
  if (!is_float(node.dtype)) return false;
  return node.prim == Prim::dot || (node.prim == Prim::reduce && node.reduction == Reduction::sum);
}

class Computation {
 public:
  Computation(const Implementation& implementation, const std::vector<Numbers>& inputs)
      : how_(implementation), graph_(implementation.graph), inputs_(inputs), domain_(host_arithmetic()) {}

  Numbers run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      index_ = static_cast<int>(n);
      const PrimNode& node = graph_.nodes[n];
      values_.push_back(sums_floats(node) ? sum(node) : evaluate(node));
      settle(node, values_.back());
    }
    const GraphOutput& output = graph_.outputs[0];
    Numbers result = values_[output.node];
    for (NativeDomain::Value& value : result)
      if (is_float(output.type.dtype))
        value.real = round_to(host_format(output.type.dtype), value.real, how_.narrowing);
    return result;
  }

 private:
  const Numbers& operand(const PrimNode& node, int k) const { return values_[node.operands[k]]; }
  const Sizes& sizes(const PrimNode& node, int k) const { return graph_.nodes[node.operands[k]].sizes; }

  Numbers evaluate(const PrimNode& node) {
    if (node.prim == Prim::input) return inputs_[node.index];
    if (is_cast_of_floats(node)) return operand(node, 0);
    PrimValues<NativeDomain> operands;
    for (size_t k = 0; k < node.operands.size(); ++k) operands.push_back(operand(node, static_cast<int>(k)));
    return run_prims(node_alone(graph_, node), domain_, operands).outputs[0];
  }
  bool is_cast_of_floats(const PrimNode& node) const {
    return node.prim == Prim::pointwise && node.function == Function::cast && is_float(node.dtype) &&
           is_float(graph_.nodes[node.operands[0]].dtype);
  }

  Numbers sum(const PrimNode& node) const { return node.prim == Prim::dot ? dot(node) : reduce(node); }

  NativeDomain::Value total(const std::vector<double>& terms) const {
    NativeDomain::Value value;
    value.real =
        sum_in_order(how_.order, terms, [this](double a, double b) { return round_to(how_.accumulator, a + b); });
    return value;
  }
  double cut(double factor) const { return round_to(how_.multiplicand, factor); }

  Numbers dot(const PrimNode& node) const {
    const Numbers &a = operand(node, 0), &b = operand(node, 1);
    const int64_t rows = node.sizes[1], columns = node.sizes[2], depth = sizes(node, 0)[2];
    const int64_t a_batch = sizes(node, 0)[0] == 1 ? 0 : rows * depth;
    const int64_t b_batch = sizes(node, 1)[0] == 1 ? 0 : depth * columns;
    Numbers result;
    std::vector<double> terms(static_cast<size_t>(depth));
    for (int64_t batch = 0; batch < node.sizes[0]; ++batch)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
          for (int64_t k = 0; k < depth; ++k) {
            const double product =
                cut(a[batch * a_batch + i * depth + k].real) * cut(b[batch * b_batch + k * columns + j].real);
            terms[k] = how_.rounds_products ? round_to(how_.accumulator, product) : product;
          }
          result.push_back(total(terms));
        }
    return result;
  }

  Numbers reduce(const PrimNode& node) const {
    const Numbers& source = operand(node, 0);
    const Sizes& from = sizes(node, 0);
    const Sizes strides = contiguous_strides(from);
    std::vector<uint8_t> reduced(from.size(), 0);
    for (const int64_t axis : node.axes) reduced[axis] = 1;
    std::vector<std::vector<double>> terms(static_cast<size_t>(element_count(node.sizes)));
    for (int64_t flat = 0; flat < std::ssize(source); ++flat) {
      int64_t place = 0;
      for (size_t d = 0; d < from.size(); ++d)
        if (!reduced[d]) place = place * from[d] + flat / strides[d] % from[d];
      terms[place].push_back(cut(source[flat].real));
    }
    Numbers result;
    for (const std::vector<double>& mine : terms) result.push_back(total(mine));
    return result;
  }

  // What becomes of a result before the next step sees it.
  void settle(const PrimNode& node, Numbers& values) const {
    if (!is_float(node.dtype) || node.prim == Prim::input) return;
    const double ulps = node.prim == Prim::pointwise && how_.functions_err ? ErrorProfile{}.ulps_of(node.function) : 0;
    PhiloxStream stream(how_.seed + static_cast<uint64_t>(index_), "implementation");
    const Format format = host_format(node.dtype);
    const bool narrow = byte_size(node.dtype) < byte_size(DType::f32);
    const bool wide = narrow && static_cast<int>(stream.below(8)) < how_.keeps_wide;
    for (NativeDomain::Value& value : values) {
      if (ulps > 0.5 && std::isfinite(value.real))
        value.real += (2 * stream.unit() - 1) * (ulps - 0.5) * std::ldexp(0x1p-23, std::ilogb(value.real));
      value.real = round_to(how_.compute, value.real);
      if (!wide) value.real = round_to(format, value.real, narrow ? how_.narrowing : Rounding::nearest_even);
    }
  }

  const Implementation& how_;
  const PrimGraph& graph_;
  const std::vector<Numbers>& inputs_;
  NativeDomain domain_;
  std::vector<Numbers> values_;
  int index_ = 0;
};

}  // namespace

Numbers compute(const Implementation& implementation, std::vector<Numbers> inputs) {
  if (implementation.before) implementation.before(inputs);
  Numbers result = Computation(implementation, inputs).run();
  if (implementation.after) implementation.after(result);
  return result;
}

Implementation legal_implementation(const PrimGraph& graph, uint64_t seed) {
  PhiloxStream stream(seed, "legal implementation");
  Implementation legal;
  legal.graph = graph;
  legal.order.kind = static_cast<SumOrder::Kind>(stream.below(kSumOrderCount));
  constexpr uint32_t kLengths[] = {2, 4, 8, 16, 32, 64};
  const uint32_t length = kLengths[stream.below(6)];
  if (legal.order.kind >= SumOrder::Kind::blocked) legal.order.parameter = length;
  if (legal.order.kind == SumOrder::Kind::shuffled) legal.order.parameter = stream.next() | 1;
  legal.rounds_products = stream.below(2) == 0;
  legal.keeps_wide = static_cast<int>(stream.below(9));
  legal.functions_err = stream.below(2) == 0;
  legal.seed = stream.next();
  return legal;
}

}  // namespace faultline
