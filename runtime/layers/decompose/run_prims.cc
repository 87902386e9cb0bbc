// One function a prim over dense row-major arrays, for each of the three element domains.
#include "runtime/layers/decompose/run_prims.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>

#include <fmt/format.h>

#include "runtime/base/error.h"
#include "runtime/exact/sorted_row.h"
#include "runtime/layers/decompose/strided_copy.h"

namespace faultline {
namespace {

constexpr int64_t kLanes = 4096;

template <class D>
class PrimRunner {
  using Value = typename D::Value;
  using Accumulator = typename D::Accumulator;
  using Values = std::vector<Value>;

 public:
  PrimRunner(const PrimGraph& graph, D& domain, const PrimValues<D>& inputs, const PrimRunOptions<D>& options)
      : graph_(graph), domain_(domain), inputs_(inputs), options_(options) {}

  PrimResult<D> run() {
    FAULTLINE_CHECK(inputs_.size() == graph_.inputs.size(), fmt::format("{} inputs", inputs_.size()));
    values_.resize(graph_.nodes.size());
    std::vector<int> uses(graph_.nodes.size(), 0);
    for (const GraphOutput& output : graph_.outputs) ++uses[output.node];
    for (const WriteBack& write : graph_.write_backs) ++uses[write.node];
    for (size_t i = graph_.nodes.size(); i-- > 0;)
      if (uses[i] > 0)
        for (const int operand : graph_.nodes[i].operands) ++uses[operand];
    for (const SortedRows& rows : graph_.sorted)  // needed until the end
      if (uses[rows.values] > 0 || uses[rows.indices] > 0) ++uses[rows.operand];
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (uses[i] == 0) continue;  // nobody asks for it: it may be of a type that the machine lacks
      if (options_.before) options_.before(static_cast<int>(i), values_);
      values_[i] = compute(graph_.nodes[i], static_cast<int>(i));
      if constexpr (std::is_same_v<D, ExactDomain>) settle_orders(static_cast<int>(i));
      if (options_.after) options_.after(static_cast<int>(i), values_);
      if (options_.keep_nodes) continue;
      for (const int operand : graph_.nodes[i].operands)
        if (--uses[operand] == 0) Values().swap(values_[operand]);
    }
    PrimResult<D> result;
    for (const GraphOutput& output : graph_.outputs) result.outputs.push_back(values_[output.node]);
    for (const WriteBack& write : graph_.write_backs) result.write_backs.push_back(values_[write.node]);
    if (options_.keep_nodes) result.nodes = std::move(values_);
    return result;
  }

 private:
  const PrimNode& operand(const PrimNode& node, int k) const { return graph_.nodes[node.operands[k]]; }
  const Values& value(const PrimNode& node, int k) const { return values_[node.operands[k]]; }
  static size_t count_of(const PrimNode& node) { return static_cast<size_t>(element_count(node.sizes)); }

  Values compute(const PrimNode& node, int index) {
    switch (node.prim) {
      case Prim::input: return inputs_[node.index];
      case Prim::literal: return Values(count_of(node), domain_.literal(node.literal));
      case Prim::iota: return iota(node);
      case Prim::pointwise: return pointwise(node);
      case Prim::reduce: return reduce(node);
      case Prim::dot: return dot(node);
      case Prim::reshape: return value(node, 0);
      case Prim::concat: return concat(node);
      case Prim::pad: return pad(node);
      case Prim::gather: return gather(node, index);
      case Prim::permute:
      case Prim::broadcast:
      case Prim::slice:
      case Prim::flip:
      case Prim::window: return moved(node);
    }
    return {};
  }

  // Rows in order whose last part is this node: each is judged as a row.
  void settle_orders(int node)
    requires std::is_same_v<D, ExactDomain>
  {
    for (const SortedRows& rows : graph_.sorted) {
      if (rows.values != node && rows.indices != node) continue;
      const PrimNode& source = graph_.nodes[rows.operand];
      const size_t length = source.sizes.empty() ? 1 : static_cast<size_t>(source.sizes.back());
      const auto count = static_cast<size_t>(graph_.nodes[node].sizes.back());
      for (size_t row = 0; row * count < values_[node].size(); ++row) {
        const std::span<Value> part = std::span(values_[node]).subspan(row * count, count);
        settle_sorted_row(domain_, source.dtype, {rows.descending, rows.stable},
                          std::span(values_[rows.operand]).subspan(row * length, length),
                          rows.values == node ? part : std::span<Value>{},
                          rows.indices == node ? part : std::span<Value>{});
      }
    }
  }

  // Whole numbers at once; a fractional start or step is multiplied and added in the dtype, as a kernel does it.
  Value iota_value(const PrimNode& node, int64_t i) {
    if (!is_float(node.dtype)) return domain_.integer(node.literal.integer + node.low[0] * i, node.dtype);
    const double start = node.literal.real;
    const bool whole = start == std::trunc(start) && node.step == std::trunc(node.step);
    if (whole) return domain_.integer(static_cast<int64_t>(start) + static_cast<int64_t>(node.step) * i, node.dtype);
    Value result = domain_.integer(i, node.dtype);
    const Value step = domain_.literal(real_literal(node.step, node.dtype)), first = domain_.literal(node.literal);
    domain_.apply(Function::mul, node.dtype, node.dtype, &result, &result, &step, nullptr, 1);
    domain_.apply(Function::add, node.dtype, node.dtype, &result, &result, &first, nullptr, 1);
    return result;
  }

  Values iota(const PrimNode& node) {
    Values line;
    for (int64_t i = 0; i < node.sizes[node.axes[0]]; ++i) line.push_back(iota_value(node, i));
    Values result(count_of(node));
    Sizes strides(node.sizes.size(), 0);
    strides[node.axes[0]] = 1;
    strided_copy(node.sizes, line.data(), 0, strides, result.data(), 0, contiguous_strides(node.sizes));
    return result;
  }

  Values pointwise(const PrimNode& node) {
    Values result(count_of(node));
    const Value* sources[3] = {nullptr, nullptr, nullptr};
    for (size_t k = 0; k < node.operands.size(); ++k) sources[k] = value(node, static_cast<int>(k)).data();
    const DType from = operand(node, node.function == Function::select ? 1 : 0).dtype;
    const int64_t total = static_cast<int64_t>(result.size());
    for (int64_t begin = 0; begin < total; begin += kLanes) {
      const auto at = [&](int k) { return sources[k] ? sources[k] + begin : nullptr; };
      domain_.apply(node.function, node.dtype, from, result.data() + begin, at(0), at(1), at(2),
                    static_cast<int>(std::min(kLanes, total - begin)));
    }
    return result;
  }

  // Offsets in the operand of every point of the given dims, row-major.
  static std::vector<int64_t> offsets_of(const Sizes& sizes, const std::vector<int64_t>& dims) {
    const Sizes strides = contiguous_strides(sizes);
    std::vector<int64_t> offsets = {0};
    for (const int64_t dim : dims) {
      std::vector<int64_t> longer;
      longer.reserve(offsets.size() * static_cast<size_t>(sizes[dim]));
      for (const int64_t offset : offsets)
        for (int64_t i = 0; i < sizes[dim]; ++i) longer.push_back(offset + i * strides[dim]);
      offsets = std::move(longer);
    }
    return offsets;
  }

  Values reduce(const PrimNode& node) {
    const Sizes& sizes = operand(node, 0).sizes;
    std::vector<int64_t> kept_dims;
    for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d)
      if (std::find(node.axes.begin(), node.axes.end(), d) == node.axes.end()) kept_dims.push_back(d);
    const std::vector<int64_t> kept = offsets_of(sizes, kept_dims), reduced = offsets_of(sizes, node.axes);
    const bool index = node.reduction == Reduction::argmax || node.reduction == Reduction::argmin;
    return index ? extreme_indices(node, kept, reduced) : totals(node, kept, reduced);
  }

  // Lanes are kept points; every step along the reduced dims gathers one vector of them.
  Values totals(const PrimNode& node, const std::vector<int64_t>& kept, const std::vector<int64_t>& reduced) {
    const Values& source = value(node, 0);
    const Accumulator empty = domain_.accumulator(node.reduction, node.dtype);
    Values result(kept.size());
    Values lanes;
    for (size_t begin = 0; begin < kept.size(); begin += kLanes) {
      const size_t count = std::min<size_t>(kLanes, kept.size() - begin);
      lanes.resize(count);
      std::vector<Accumulator> accumulators(count, empty);
      for (const int64_t offset : reduced) {
        for (size_t k = 0; k < count; ++k) lanes[k] = source[kept[begin + k] + offset];
        domain_.accumulate(node.reduction, node.dtype, accumulators.data(), lanes.data(), static_cast<int>(count));
      }
      for (size_t k = 0; k < count; ++k)
        result[begin + k] = domain_.finish(node.reduction, node.dtype, accumulators[k]);
    }
    return result;
  }

  Values extreme_indices(const PrimNode& node, const std::vector<int64_t>& kept, const std::vector<int64_t>& reduced) {
    const Values& source = value(node, 0);
    const DType dtype = operand(node, 0).dtype;
    Values result;
    for (const int64_t base : kept) {
      size_t best = 0;
      for (size_t k = 1; k < reduced.size(); ++k)
        if (domain_.replaces(node.reduction, dtype, source[base + reduced[best]], source[base + reduced[k]])) best = k;
      result.push_back(domain_.integer(static_cast<int64_t>(best), node.dtype));
      if constexpr (std::is_same_v<D, ExactDomain>) {
        Values row;
        for (const int64_t offset : reduced) row.push_back(source[base + offset]);
        domain_.settle_extreme(node.reduction, dtype, row, result.back());
      }
    }
    return result;
  }

  Values dot(const PrimNode& node) {
    const int64_t rows = node.sizes[1], columns = node.sizes[2], depth = operand(node, 0).sizes[2];
    const Value *a = value(node, 0).data(), *b = value(node, 1).data();
    const Accumulator empty = domain_.accumulator(Reduction::sum, node.dtype);
    Values result(count_of(node));
    Value* out = result.data();
    std::vector<Accumulator> accumulators;
    for (int64_t batch = 0; batch < node.sizes[0]; ++batch, b += depth * columns)
      for (int64_t row = 0; row < rows; ++row, a += depth) {
        accumulators.assign(static_cast<size_t>(columns), empty);
        for (int64_t k = 0; k < depth; ++k)
          domain_.multiply_accumulate(node.dtype, accumulators.data(), a + k, 0, b + k * columns, 1,
                                      static_cast<int>(columns));
        for (int64_t column = 0; column < columns; ++column)
          *out++ = domain_.finish(Reduction::sum, node.dtype, accumulators[column]);
      }
    return result;
  }

  // Prims that read their operand through strides.
  Values moved(const PrimNode& node) {
    const Sizes& sizes = operand(node, 0).sizes;
    const Sizes own = contiguous_strides(sizes);
    Sizes strides(node.sizes.size(), 0);
    int64_t offset = 0;
    for (size_t d = 0; d < sizes.size(); ++d) {
      const int64_t axis = d < node.axes.size() ? node.axes[d] : 0;
      if (node.prim == Prim::broadcast) strides[axis] = sizes[d] == 1 ? 0 : own[d];
      if (node.prim == Prim::permute) strides[d] = own[axis];
      if (node.prim == Prim::flip) strides[d] = own[d];
      if (node.prim == Prim::slice) {
        strides[d] = own[d] * node.step_sizes[d];
        offset += own[d] * node.low[d];
      }
    }
    if (node.prim == Prim::flip)
      for (const int64_t axis : node.axes) {
        offset += own[axis] * (sizes[axis] - 1);
        strides[axis] = -own[axis];
      }
    if (node.prim == Prim::window) {
      const int64_t axis = node.axes[0], stride = own[axis];
      strides = own;
      strides[axis] = stride * node.step_sizes[0];
      strides.insert(strides.begin() + axis + 1, stride * node.step_sizes[1]);
    }
    Values result(count_of(node));
    strided_copy(node.sizes, value(node, 0).data(), offset, strides, result.data(), 0, contiguous_strides(node.sizes));
    return result;
  }

  Values concat(const PrimNode& node) {
    Values result(count_of(node));
    const Sizes strides = contiguous_strides(node.sizes);
    int64_t start = 0;
    for (size_t k = 0; k < node.operands.size(); ++k) {
      const Sizes& part = operand(node, static_cast<int>(k)).sizes;
      strided_copy(part, value(node, static_cast<int>(k)).data(), 0, contiguous_strides(part), result.data(),
                   start * strides[node.axes[0]], strides);
      start += part[node.axes[0]];
    }
    return result;
  }

  Values pad(const PrimNode& node) {
    const Sizes& sizes = operand(node, 0).sizes;
    Values result(count_of(node), value(node, 1)[0]);
    const Sizes from = contiguous_strides(sizes), to = contiguous_strides(node.sizes);
    Sizes common(sizes.size());
    int64_t source = 0, target = 0;
    for (size_t d = 0; d < sizes.size(); ++d) {
      const int64_t cropped = std::max<int64_t>(0, -node.low[d]), added = std::max<int64_t>(0, node.low[d]);
      common[d] = std::max<int64_t>(0, std::min(sizes[d] - cropped, node.sizes[d] - added));
      source += cropped * from[d];
      target += added * to[d];
    }
    strided_copy(common, value(node, 0).data(), source, from, result.data(), target, to);
    return result;
  }

  Value poison_of(DType dtype, int allocation) {
    std::vector<typename D::Cell> cells;
    for (int byte = 0; byte < domain_.element_bytes(dtype); ++byte)
      cells.push_back(domain_.poison_cell(allocation, byte));
    return domain_.load(cells.data(), dtype);
  }

  Values gather(const PrimNode& node, int index) {
    const Sizes& sizes = operand(node, 0).sizes;
    const Values &source = value(node, 0), &indices = value(node, 1);
    const int64_t axis = node.axes[0];
    const int64_t outer = element_count(Sizes(sizes.begin(), sizes.begin() + axis));
    const int64_t inner = element_count(Sizes(sizes.begin() + axis + 1, sizes.end()));
    const Value poison = poison_of(node.dtype, index);
    Values result;
    result.reserve(count_of(node));
    for (int64_t o = 0; o < outer; ++o)
      for (const Value& chosen : indices) {
        const int64_t at = domain_.to_integer(chosen);
        if (at < 0 || at >= sizes[axis]) {
          result.insert(result.end(), static_cast<size_t>(inner), poison);
          continue;
        }
        const auto begin = source.begin() + (o * sizes[axis] + at) * inner;
        result.insert(result.end(), begin, begin + inner);
        if constexpr (std::is_same_v<D, ExactDomain>)  // an unsure index chooses an unsure element
          if (chosen.reasons != 0)
            for (int64_t i = 0; i < inner; ++i)
              domain_.read_openly(node.dtype, chosen, *(result.end() - inner + i), [&](int64_t other) {
                return other < 0 || other >= sizes[axis] ? poison : source[(o * sizes[axis] + other) * inner + i];
              });
      }
    return result;
  }

  const PrimGraph& graph_;
  D& domain_;
  const PrimValues<D>& inputs_;
  const PrimRunOptions<D>& options_;
  PrimValues<D> values_;
};

}  // namespace

template <class D>
PrimResult<D> run_prims(const PrimGraph& graph, D& domain, const PrimValues<D>& inputs,
                        const PrimRunOptions<D>& options) {
  return PrimRunner<D>(graph, domain, inputs, options).run();
}

template PrimResult<NativeDomain> run_prims(const PrimGraph&, NativeDomain&, const PrimValues<NativeDomain>&,
                                            const PrimRunOptions<NativeDomain>&);
template PrimResult<ExactDomain> run_prims(const PrimGraph&, ExactDomain&, const PrimValues<ExactDomain>&,
                                           const PrimRunOptions<ExactDomain>&);
template PrimResult<FingerprintDomain> run_prims(const PrimGraph&, FingerprintDomain&,
                                                 const PrimValues<FingerprintDomain>&,
                                                 const PrimRunOptions<FingerprintDomain>&);

PrimResult<FingerprintDomain> run_prims_in_lockstep(const PrimGraph& graph, FingerprintDomain& domain,
                                                    const PrimValues<FingerprintDomain>& inputs,
                                                    const PrimResult<NativeDomain>& native) {
  FAULTLINE_CHECK(native.nodes.size() == graph.nodes.size(), "the native run kept no nodes");
  PrimRunOptions<FingerprintDomain> options;
  options.before = [&](int index, const PrimValues<FingerprintDomain>& values) {
    const PrimNode& node = graph.nodes[index];
    if (node.prim != Prim::pointwise || node.function != Function::cast || is_float(node.dtype)) return;
    const int operand = node.operands[0];
    if (!is_float(graph.nodes[operand].dtype)) return;
    for (size_t i = 0; i < values[operand].size(); ++i)
      domain.record_integer(values[operand][i].a, native.nodes[index][i].integer);
  };
  return run_prims(graph, domain, inputs, options);
}

}  // namespace faultline
