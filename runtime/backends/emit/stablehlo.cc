// One walk over the nodes that something asks for; prims that move elements are here.
#include "runtime/backends/emit/stablehlo.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/backends/emit/stablehlo_function.h"
#include "runtime/backends/emit/stablehlo_reduction.h"
#include "runtime/base/error.h"
#include "runtime/numerics/format.h"

namespace faultline {

namespace {

class GraphEmitter {
 public:
  explicit GraphEmitter(const PrimGraph& graph) : graph_(graph), values_(graph.nodes.size()) {}

  std::string run() {
    for (const GraphInput& input : graph_.inputs)
      arguments_.push_back(writer_.argument(input.type.dtype, input.type.sizes));
    const std::vector<bool> needed = needed_nodes();
    for (size_t n = 0; n < graph_.nodes.size(); ++n)
      if (needed[n]) values_[n] = emit(graph_.nodes[n]);
    std::vector<HloValue> results;
    for (const GraphOutput& output : graph_.outputs) results.push_back(values_[output.node]);
    for (const WriteBack& write : graph_.write_backs) results.push_back(values_[write.node]);
    return writer_.module_text(results);
  }

 private:
  std::vector<bool> needed_nodes() const {
    std::vector<bool> needed(graph_.nodes.size());
    for (const GraphOutput& output : graph_.outputs) needed[output.node] = true;
    for (const WriteBack& write : graph_.write_backs) needed[write.node] = true;
    for (size_t n = graph_.nodes.size(); n-- > 0;)
      if (needed[n])
        for (const int operand : graph_.nodes[n].operands) needed[operand] = true;
    return needed;
  }

  const HloValue& operand(const PrimNode& node, int k) const { return values_[node.operands[k]]; }

  HloValue emit(const PrimNode& node) {
    switch (node.prim) {
      case Prim::input: return arguments_[node.index];
      case Prim::literal: return writer_.constant(node.literal, node.sizes);
      case Prim::iota: return iota(node);
      case Prim::pointwise: {
        std::vector<HloValue> operands;
        for (const int k : node.operands) operands.push_back(values_[k]);
        return emit_function(writer_, node.function, node.dtype, operands);
      }
      case Prim::reduce: return emit_reduction(writer_, node, operand(node, 0));
      case Prim::dot: return emit_dot(writer_, node, operand(node, 0), operand(node, 1));
      case Prim::reshape: return writer_.reshape(operand(node, 0), node.sizes);
      case Prim::permute:
        return moved(node, fmt::format("transpose {}, dims = {}", operand(node, 0).name, hlo_axes(node.axes)));
      case Prim::broadcast: return writer_.broadcast(operand(node, 0), node.axes, node.sizes);
      case Prim::slice: return slice(node);
      case Prim::concat: return concat(node);
      case Prim::pad: return pad(node);
      case Prim::flip:
        return moved(node, fmt::format("reverse {}, dims = {}", operand(node, 0).name, hlo_axes(node.axes)));
      case Prim::gather: return gather(node, operand(node, 0), operand(node, 1), node.axes[0]);
      case Prim::window: return window(node);
    }
    return {};
  }

  // An operation of one operand whose result has other sizes.
  HloValue moved(const PrimNode& node, const std::string& text) {
    return writer_.add(node.dtype, node.sizes, text,
                       fmt::format("({}) -> {}", hlo_type(operand(node, 0)), hlo_type(node.dtype, node.sizes)));
  }

  // start + step * i in i64, which wraps or is rounded once; a fractional start or step is multiplied and added in the
  // type, as a kernel does it.
  HloValue iota(const PrimNode& node) {
    const Sizes line = {node.sizes[node.axes[0]]};
    HloValue value = writer_.iota(DType::i64, line, 0);
    const double start = node.literal.real;
    const bool real = is_float(node.dtype);
    const bool whole = !real || (start == std::trunc(start) && node.step == std::trunc(node.step));
    const int64_t step = real ? static_cast<int64_t>(node.step) : node.low[0];
    const int64_t first = real ? static_cast<int64_t>(start) : node.literal.integer;
    const auto apply = [&](Function function, const Literal& literal) {
      value = emit_function(writer_, function, value.dtype, {value, writer_.constant(literal, line)});
    };
    if (whole) {
      if (step != 1) apply(Function::mul, integer_literal(step, DType::i64));
      if (first != 0) apply(Function::add, integer_literal(first, DType::i64));
      value = writer_.cast(value, node.dtype);
    } else {
      value = writer_.cast(value, node.dtype);
      apply(Function::mul, real_literal(node.step, node.dtype));
      apply(Function::add, real_literal(start, node.dtype));
    }
    return node.sizes.size() == 1 ? value : writer_.broadcast(value, {node.axes[0]}, node.sizes);
  }

  HloValue slice(const PrimNode& node) { return part(operand(node, 0), node.low, node.step_sizes, node.sizes); }

  HloValue part(const HloValue& source, const std::vector<int64_t>& lows, const std::vector<int64_t>& steps,
                const Sizes& sizes) {
    std::string ranges;
    for (size_t d = 0; d < sizes.size(); ++d) {
      const int64_t low = std::min(lows[d], source.sizes[d]);
      const int64_t end = sizes[d] == 0 ? low : low + (sizes[d] - 1) * steps[d] + 1;
      ranges += fmt::format("{}{}:{}", d == 0 ? "" : ", ", low, end);
      if (steps[d] != 1) ranges += fmt::format(":{}", steps[d]);
    }
    return writer_.add(source.dtype, sizes, fmt::format("slice {} [{}]", source.name, ranges),
                       fmt::format("({}) -> {}", hlo_type(source), hlo_type(source.dtype, sizes)));
  }

  HloValue concat(const PrimNode& node) {
    std::string names, types;
    for (const int k : node.operands) {
      names += (names.empty() ? "" : ", ") + values_[k].name;
      types += (types.empty() ? "" : ", ") + hlo_type(values_[k]);
    }
    return writer_.add(node.dtype, node.sizes, fmt::format("concatenate {}, dim = {}", names, node.axes[0]),
                       fmt::format("({}) -> {}", types, hlo_type(node.dtype, node.sizes)));
  }

  // What is cut off is cut off first: XLA takes a negative border only where algsimp may rewrite it.
  HloValue pad(const PrimNode& node) {
    const size_t rank = node.sizes.size();
    const HloValue& fill = operand(node, 1);
    HloValue source = operand(node, 0);
    std::vector<int64_t> low(rank), high(rank), cut(rank);
    Sizes kept(rank);
    for (size_t d = 0; d < rank; ++d) {
      cut[d] = std::max<int64_t>(0, -node.low[d]);
      low[d] = std::max<int64_t>(0, node.low[d]);
      kept[d] = std::max<int64_t>(0, std::min(source.sizes[d] - cut[d], node.sizes[d] - low[d]));
      if (kept[d] == 0) low[d] = node.sizes[d];
      high[d] = node.sizes[d] - low[d] - kept[d];
    }
    const std::vector<int64_t> ones(rank, 1), interior(rank, 0);
    if (kept != source.sizes) source = part(source, cut, ones, kept);
    return writer_.add(
        node.dtype, node.sizes,
        fmt::format("pad {}, {}, low = {}, high = {}, interior = {}", source.name, fill.name, hlo_axes(low),
                    hlo_axes(high), hlo_axes(interior)),
        fmt::format("({}, {}) -> {}", hlo_type(source), hlo_type(fill), hlo_type(node.dtype, node.sizes)));
  }

  // The dim `axis` of the source makes room for the dims of the index.
  HloValue gather(const PrimNode& node, const HloValue& source, const HloValue& index, int64_t axis) {
    const auto rank = static_cast<int64_t>(source.sizes.size()), places = static_cast<int64_t>(index.sizes.size());
    if (source.sizes[axis] == 0)
      throw Rejected(std::string(name(node.prim)), fmt::format("{} of a dim without elements", name(node.prim)));
    std::vector<int64_t> kept, slice = source.sizes;
    for (int64_t d = 0; d < rank; ++d)
      if (d != axis) kept.push_back(d < axis ? d : d + places - 1);
    slice[axis] = 1;
    const HloValue result{writer_.new_name(), node.dtype, node.sizes};
    writer_.add_line(fmt::format(
        "{} = \"stablehlo.gather\"({}, {}) <{{dimension_numbers = #stablehlo.gather<offset_dims = {}, "
        "collapsed_slice_dims = [{}], start_index_map = [{}], index_vector_dim = {}>, indices_are_sorted = false, "
        "slice_sizes = array<i64{}{}>}}> : ({}, {}) -> {}",
        result.name, source.name, index.name, hlo_axes(kept), axis, axis, places, slice.empty() ? "" : ": ",
        fmt::join(slice, ", "), hlo_type(source), hlo_type(index), hlo_type(result)));
    return result;
  }

  // A gather whose index is position * step_sizes[0] + tap * step_sizes[1].
  HloValue window(const PrimNode& node) {
    const int64_t axis = node.axes[0];
    const Sizes sizes = {node.sizes[axis], node.sizes[axis + 1]};
    const auto along = [&](int64_t dim) {
      const HloValue line = writer_.iota(DType::i64, sizes, dim);
      const int64_t step = node.step_sizes[dim];
      return step == 1 ? line : writer_.same("multiply", {line, writer_.number(static_cast<double>(step), line)});
    };
    const HloValue positions = along(0);
    return gather(node, operand(node, 0), writer_.same("add", {positions, along(1)}), axis);
  }

  const PrimGraph& graph_;
  HloWriter writer_;
  std::vector<HloValue> arguments_, values_;
};

}  // namespace

std::string to_stablehlo(const PrimGraph& graph) { return GraphEmitter(graph).run(); }

}  // namespace faultline
