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

// As round_to, at once for the format that nearly everything is rounded to.
double rounded(Format format, double value) {
  return format == Format::f32 ? static_cast<double>(static_cast<float>(value)) : round_to(format, value);
}

bool sums_floats(const PrimNode& node) {
  if (!is_float(node.dtype)) return false;
  return node.prim == Prim::dot || (node.prim == Prim::reduce && node.reduction == Reduction::sum);
}

class Computation {
 public:
  Computation(const Implementation& implementation, const std::vector<Numbers>& inputs)
      : how_(implementation), graph_(implementation.graph), inputs_(inputs), domain_(host_arithmetic()) {}

  void run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      index_ = static_cast<int>(n);
      const PrimNode& node = graph_.nodes[n];
      values_.push_back(sums_floats(node) ? sum(node) : evaluate(node));
      settle(node, values_.back());
    }
  }
  Freedoms taken() const { return taken_; }
  std::vector<Numbers> take_values() { return std::move(values_); }
  Numbers result() const {
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

  bool takes(Freedom freedom) const { return (how_.freedoms & bit(freedom)) != 0; }
  void took(Freedom freedom) { taken_ |= bit(freedom); }

  Numbers evaluate(const PrimNode& node) {
    if (node.prim == Prim::input) return inputs_[node.index];
    if (is_cast_of_floats(node)) return operand(node, 0);
    if (how_.freedoms != 0 && node.prim == Prim::pointwise && node.dtype == DType::f32)
      if (std::optional<Numbers> values = rewritten(node)) return *std::move(values);
    PrimValues<NativeDomain> operands;
    for (size_t k = 0; k < node.operands.size(); ++k) operands.push_back(operand(node, static_cast<int>(k)));
    return run_prims(node_alone(graph_, node), domain_, operands).outputs[0];
  }
  // Before it is rounded; products of two numbers in f32 are exact here.
  std::optional<Numbers> rewritten(const PrimNode& node) {
    Numbers result;
    if (node.function == Function::exp && takes(Freedom::exp2)) {
      took(Freedom::exp2);
      for (const NativeDomain::Value& x : operand(node, 0)) result.push_back({exp_by_exp2(x.real)});
      return result;
    }
    if (node.function == Function::div && takes(Freedom::reciprocal)) {
      took(Freedom::reciprocal);
      const Numbers &a = operand(node, 0), &b = operand(node, 1);
      for (size_t i = 0; i < a.size(); ++i) result.push_back({a[i].real * rounded(Format::f32, 1 / b[i].real)});
      return result;
    }
    if ((node.function == Function::add || node.function == Function::sub) && takes(Freedom::contraction))
      return contracted(node);
    return {};
  }
  std::optional<Numbers> contracted(const PrimNode& node) {
    for (int k = 0; k < 2; ++k) {
      const PrimNode& product = graph_.nodes[node.operands[k]];
      if (product.prim != Prim::pointwise || product.function != Function::mul) continue;
      took(Freedom::contraction);
      const Numbers &a = operand(product, 0), &b = operand(product, 1), &c = operand(node, 1 - k);
      const bool subtracts = node.function == Function::sub;
      const double of_product = subtracts && k == 1 ? -1 : 1, of_other = subtracts && k == 0 ? -1 : 1;
      Numbers result;
      for (size_t i = 0; i < a.size(); ++i)
        result.push_back({of_product * a[i].real * b[i].real + of_other * c[i].real});
      return result;
    }
    return {};
  }
  bool is_cast_of_floats(const PrimNode& node) const {
    return node.prim == Prim::pointwise && node.function == Function::cast && is_float(node.dtype) &&
           is_float(graph_.nodes[node.operands[0]].dtype);
  }

  Numbers sum(const PrimNode& node) { return node.prim == Prim::dot ? dot(node) : reduce(node); }

  NativeDomain::Value total(const std::vector<double>& terms) const {
    NativeDomain::Value value;
    value.real =
        sum_in_order(how_.order, terms, [this](double a, double b) { return rounded(how_.accumulator, a + b); });
    return value;
  }
  double cut(double factor) const { return rounded(how_.multiplicand, factor); }

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
            terms[k] = how_.rounds_products ? rounded(how_.accumulator, product) : product;
          }
          result.push_back(total(terms));
        }
    return result;
  }

  // The terms of each element of a reduction of `source`.
  std::vector<std::vector<double>> terms_of(const PrimNode& node, int source) const {
    const Numbers& values = values_[source];
    const Sizes& from = graph_.nodes[source].sizes;
    const Sizes strides = contiguous_strides(from);
    std::vector<uint8_t> reduced(from.size(), 0);
    for (const int64_t axis : node.axes) reduced[axis] = 1;
    std::vector<std::vector<double>> terms(static_cast<size_t>(element_count(node.sizes)));
    for (int64_t flat = 0; flat < std::ssize(values); ++flat) {
      int64_t place = 0;
      for (size_t d = 0; d < from.size(); ++d)
        if (!reduced[d]) place = place * from[d] + flat / strides[d] % from[d];
      terms[place].push_back(cut(values[flat].real));
    }
    return terms;
  }
  Numbers reduce(const PrimNode& node) {
    const std::optional<int> exponents = exponents_under(graph_, node), deviates = deviates_under(graph_, node);
    if (exponents && takes(Freedom::online_softmax)) return online(node, *exponents);
    if (deviates && !how_.squares_bound.empty()) return squares(node, *deviates);
    Numbers result;
    for (const std::vector<double>& mine : terms_of(node, node.operands[0])) result.push_back(total(mine));
    return result;
  }
  Numbers online(const PrimNode& node, int exponents) {
    Numbers result;
    const auto plain = terms_of(node, node.operands[0]), rows = terms_of(node, exponents);
    for (size_t i = 0; i < rows.size(); ++i) {
      const bool conforms = online_sum_conforms(how_.order, how_.online_blocks, std::ssize(rows[i]));
      if (conforms) took(Freedom::online_softmax);
      result.push_back(conforms ? NativeDomain::Value{online_sum(how_.order, how_.online_blocks, rows[i])}
                                : total(plain[i]));
    }
    return result;
  }
  Numbers squares(const PrimNode& node, int deviates) {
    Numbers result;
    const auto plain = terms_of(node, node.operands[0]), rows = terms_of(node, deviates);
    for (size_t i = 0; i < rows.size(); ++i) {
      const double bound = how_.squares_bound[i];
      if (takes(Freedom::one_pass_variance) && one_pass_squares_error(how_.order, rows[i]) <= bound) {
        took(Freedom::one_pass_variance);
        result.push_back({one_pass_squares(how_.order, rows[i])});
      } else if (takes(Freedom::running_variance) && running_squares_error(rows[i]) <= bound) {
        took(Freedom::running_variance);
        result.push_back({running_squares(rows[i])});
      } else {
        result.push_back(total(plain[i]));
      }
    }
    return result;
  }

  // What becomes of a result before the next step sees it.
  void settle(const PrimNode& node, Numbers& values) {
    if (!is_float(node.dtype) || node.prim == Prim::input) return;
    const double ulps = node.prim == Prim::pointwise && how_.functions_err ? ErrorProfile{}.ulps_of(node.function) : 0;
    PhiloxStream stream(how_.seed + static_cast<uint64_t>(index_), "implementation");
    const Format format = host_format(node.dtype);
    const bool narrow = byte_size(node.dtype) < byte_size(DType::f32);
    const bool wide = narrow && static_cast<int>(stream.below(8)) < how_.keeps_wide;
    for (NativeDomain::Value& value : values) {
      if (ulps > 0.5 && std::isfinite(value.real))
        value.real += (2 * stream.unit() - 1) * (ulps - 0.5) * std::ldexp(0x1p-23, std::ilogb(value.real));
      value.real = rounded(how_.compute, value.real);
      if (!wide) value.real = narrow ? round_to(format, value.real, how_.narrowing) : rounded(format, value.real);
    }
    if (takes(Freedom::flush) && computes(node)) flush(wide ? Format::f32 : format, values);
  }
  // What moves elements leaves them as they are, and so do functions without an error.
  static bool computes(const PrimNode& node) {
    return sums_floats(node) || (node.prim == Prim::pointwise && node.function != Function::select &&
                                 (node.function == Function::cast || ErrorProfile{}.ulps_of(node.function) > 0));
  }
  void flush(Format format, Numbers& values) {
    for (NativeDomain::Value& value : values)
      if (value.real != 0 && std::fabs(value.real) < limits(format).smallest_normal) {
        took(Freedom::flush);
        value.real = std::copysign(0, value.real);
      }
  }

  const Implementation& how_;
  const PrimGraph& graph_;
  const std::vector<Numbers>& inputs_;
  NativeDomain domain_;
  std::vector<Numbers> values_;
  int index_ = 0;
  Freedoms taken_ = 0;
};

}  // namespace

static std::vector<Numbers> as_read(const Implementation& implementation, std::vector<Numbers> inputs) {
  for (const auto& [input, passage] : implementation.operands) inputs[input] = pass_through(passage, inputs[input]);
  inputs.insert(inputs.end(), implementation.scratch.begin(), implementation.scratch.end());
  return inputs;
}

Numbers compute(const Implementation& implementation, std::vector<Numbers> inputs, Freedoms* taken) {
  const std::vector<Numbers> read = as_read(implementation, std::move(inputs));
  Computation computation(implementation, read);
  computation.run();
  if (taken != nullptr) *taken = computation.taken();
  Numbers result = computation.result();
  if (implementation.upset) implementation.upset(result);
  return implementation.result ? pass_through(*implementation.result, result) : result;
}

std::vector<Numbers> compute_values(const Implementation& implementation, std::vector<Numbers> inputs) {
  const std::vector<Numbers> read = as_read(implementation, std::move(inputs));
  Computation computation(implementation, read);
  computation.run();
  return computation.take_values();
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

Implementation rewritten_implementation(const PrimGraph& graph, Freedoms allowed, uint64_t seed) {
  Implementation legal = legal_implementation(graph, seed);
  PhiloxStream stream(seed, "rewritten implementation");
  legal.freedoms = allowed & stream.below(1U << kFreedomCount);
  legal.online_blocks = 2 << stream.below(3);
  return legal;
}

}  // namespace faultline
