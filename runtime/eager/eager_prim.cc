// One function a prim; sizes are compared with the node's at the end, so that a graph which contradicts itself is
// noticed here.
#include "runtime/eager/eager_prim.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "runtime/base/error.h"
#include "runtime/eager/prim_functions.h"
#include "runtime/eager/prim_torch.h"

namespace faultline {
namespace {

using Operands = std::span<const Tensor>;

bool is_small_float(DType dtype) { return dtype == DType::f8e4m3 || dtype == DType::f8e5m2; }
DType computing_type(DType dtype) { return is_small_float(dtype) ? DType::f32 : dtype; }

// The same bytes under another name of the same width.
Tensor renamed(Tensor tensor, DType dtype) {
  tensor.type.dtype = dtype;
  return tensor;
}

Tensor run_select(PrimTorch& torch, const PrimNode& node, Operands operands) {
  const DType moved = is_small_float(node.dtype) ? DType::u8 : node.dtype;
  const Tensor chosen = torch.cast(operands[0], DType::boolean);
  const auto side = [&](const Tensor& tensor) { return renamed(torch.cast(tensor, node.dtype), moved); };
  return renamed(torch.call("aten.where.self", {{chosen}, {side(operands[1])}, {side(operands[2])}}), node.dtype);
}

// Comparisons take the type of their first operand, all other functions that of the node. Integers divide toward zero.
Tensor run_pointwise(PrimTorch& torch, const PrimNode& node, Operands operands) {
  const FunctionRow& function = row(node.function);
  FAULTLINE_CHECK(static_cast<int>(operands.size()) == function.arity, std::string(function.name));
  if (node.function == Function::select) return run_select(torch, node, operands);
  if (function.kind == FunctionKind::move) return torch.cast(operands[0], node.dtype);
  const bool compares = function.kind == FunctionKind::compare;
  const DType type = computing_type(compares ? operands[0].type.dtype : node.dtype);
  ValueList arguments;
  for (const Tensor& operand : operands) arguments.push_back({torch.cast(operand, type)});
  if (node.function == Function::div && !is_float(type)) {
    arguments.push_back({Keyword{"trunc"}});
    return torch.cast(torch.call("aten.div.Tensor_mode", arguments), node.dtype);
  }
  const bool scaled = node.function == Function::add || node.function == Function::sub;
  if (scaled) arguments.push_back({int64_t{1}});  // alpha
  return torch.cast(torch.call(torch_target(node.function), arguments), node.dtype);
}

// The reduced dims moved last and joined, for operators that take one dim; an index counts them in row-major order.
Tensor joined(PrimTorch& torch, const Tensor& tensor, const std::vector<int64_t>& axes) {
  std::vector<int64_t> order;
  Sizes sizes;
  for (int64_t d = 0; d < static_cast<int64_t>(tensor.type.sizes.size()); ++d)
    if (std::find(axes.begin(), axes.end(), d) == axes.end()) order.push_back(d);
  int64_t count = 1;
  for (const int64_t d : order) sizes.push_back(tensor.type.sizes[d]);
  for (const int64_t d : axes) count *= tensor.type.sizes[d];
  order.insert(order.end(), axes.begin(), axes.end());
  sizes.push_back(count);
  return torch.reshape(torch.permute(tensor, order), sizes);
}

bool reduces_nothing(const Tensor& tensor, const std::vector<int64_t>& axes) {
  return std::any_of(axes.begin(), axes.end(), [&](int64_t axis) { return tensor.type.sizes[axis] == 0; });
}

Tensor run_reduce(PrimTorch& torch, const PrimNode& node, Operands operands) {
  const Tensor& operand = operands[0];
  const DType type = computing_type(operand.type.dtype);
  const bool index = node.reduction == Reduction::argmax || node.reduction == Reduction::argmin;
  if (!index && reduces_nothing(operand, node.axes))
    return torch.full(node.sizes, neutral_literal(node.reduction, node.dtype), node.dtype);
  const Tensor x = torch.cast(operand, type);
  const std::string_view target = torch_target(node.reduction);
  const Value last{int64_t{-1}};
  switch (node.reduction) {
    case Reduction::prod:
      return torch.cast(
          torch.call(target, {{joined(torch, x, node.axes)}, last, {false}, {computing_type(node.dtype)}}), node.dtype);
    case Reduction::argmax:
    case Reduction::argmin:
      return torch.cast(torch.call(target, {{joined(torch, x, node.axes)}, last, {false}}), node.dtype);
    default: break;
  }
  if (node.axes.empty()) return torch.cast(x, node.dtype);  // torch takes no dims for all dims
  ValueList arguments = {{x}, list_value(node.axes), {false}};
  if (node.reduction == Reduction::sum) arguments.push_back({computing_type(node.dtype)});
  return torch.cast(torch.call(target, arguments), node.dtype);
}

Tensor run_dot(PrimTorch& torch, const PrimNode& node, Operands operands) {
  const DType type = computing_type(node.dtype);
  ValueList arguments;
  for (const Tensor& operand : operands) {
    Sizes sizes = operand.type.sizes;
    sizes[0] = node.sizes[0];
    arguments.push_back({torch.expand(torch.cast(operand, type), sizes)});
  }
  return torch.cast(torch.call("aten.bmm.default", arguments), node.dtype);
}

// Sorted by result dim, with a dim of 1 wherever the result has a new one.
Tensor run_broadcast(PrimTorch& torch, const PrimNode& node, Operands operands) {
  std::vector<int64_t> order(node.axes.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return node.axes[a] < node.axes[b]; });
  Sizes sizes(node.sizes.size(), 1);
  for (size_t d = 0; d < node.axes.size(); ++d) sizes[node.axes[d]] = operands[0].type.sizes[d];
  return torch.expand(torch.reshape(torch.permute(operands[0], order), sizes), node.sizes);
}

Tensor run_slice(PrimTorch& torch, const PrimNode& node, Operands operands) {
  Tensor result = operands[0];
  for (size_t d = 0; d < node.sizes.size(); ++d) {
    const int64_t low = node.low[d], step = node.step_sizes.empty() ? 1 : node.step_sizes[d];
    const int64_t end = node.sizes[d] == 0 ? low : low + (node.sizes[d] - 1) * step + 1;
    if (low < 0 || end > operands[0].type.sizes[d])
      throw TorchFailure{{EagerError::Kind::unsupported, "", fmt::format("slice reaches outside of dim {}", d)}};
    result = torch.call("aten.slice.Tensor", {{result}, {static_cast<int64_t>(d)}, {low}, {end}, {step}});
  }
  return result;
}

Tensor run_pad(PrimTorch& torch, const PrimNode& node, Operands operands) {
  std::vector<int64_t> pads;
  for (size_t d = node.sizes.size(); d-- > 0;) {
    pads.push_back(node.low[d]);
    pads.push_back(node.sizes[d] - node.low[d] - operands[0].type.sizes[d]);
  }
  const Value fill = torch.call_value("aten.item.default", {{operands[1]}});
  return torch.call("aten.constant_pad_nd.default", {{operands[0]}, list_value(pads), fill});
}

Tensor run_gather(PrimTorch& torch, const PrimNode& node, Operands operands) {
  const Tensor index = torch.cast(torch.reshape(operands[1], {-1}), DType::i64);
  const Tensor taken = torch.call("aten.index_select.default", {{operands[0]}, {node.axes[0]}, {index}});
  return torch.reshape(taken, node.sizes);
}

// A view in which the elements of overlapping windows have several places.
Tensor run_window(PrimTorch& torch, const PrimNode& node, Operands operands) {
  const int64_t axis = node.axes[0];
  const int64_t last = (node.sizes[axis] - 1) * node.step_sizes[0] + (node.sizes[axis + 1] - 1) * node.step_sizes[1];
  if (element_count(node.sizes) > 0 && last >= operands[0].type.sizes[axis])
    throw TorchFailure{{EagerError::Kind::unsupported, "", fmt::format("window reaches outside of dim {}", axis)}};
  Sizes strides = contiguous_strides(operands[0].type.sizes);
  const int64_t own = strides[axis];
  strides[axis] = own * node.step_sizes[0];
  strides.insert(strides.begin() + axis + 1, own * node.step_sizes[1]);
  return torch.call("aten.as_strided.default",
                    {{torch.contiguous(operands[0])}, list_value(node.sizes), list_value(strides), {int64_t{0}}});
}

Tensor run_concat(PrimTorch& torch, const PrimNode& node, Operands operands) {
  ValueList parts;
  for (const Tensor& operand : operands) parts.push_back({operand});
  return torch.call("aten.cat.default", {{std::move(parts)}, {node.axes[0]}});
}

// Movement keeps bits: small floats travel as bytes, the filler of a pad included.
Tensor run_movement(PrimTorch& torch, const PrimNode& node, Operands operands) {
  const bool small = is_small_float(node.dtype);
  std::vector<Tensor> moved;
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool is_index = node.prim == Prim::gather && i == 1;
    Tensor operand = is_index ? operands[i] : torch.cast(operands[i], node.dtype);
    moved.push_back(small && !is_index ? renamed(std::move(operand), DType::u8) : std::move(operand));
  }
  const auto move = [&]() -> Tensor {
    switch (node.prim) {
      case Prim::reshape: return torch.reshape(moved[0], node.sizes);
      case Prim::permute: return torch.permute(moved[0], node.axes);
      case Prim::broadcast: return run_broadcast(torch, node, moved);
      case Prim::slice: return run_slice(torch, node, moved);
      case Prim::concat: return run_concat(torch, node, moved);
      case Prim::pad: return run_pad(torch, node, moved);
      case Prim::flip: return torch.call("aten.flip.default", {{moved[0]}, list_value(node.axes)});
      case Prim::window: return run_window(torch, node, moved);
      default: return run_gather(torch, node, moved);
    }
  };
  const Tensor result = torch.contiguous(move());
  return small ? renamed(result, node.dtype) : result;
}

// start + step * i along one dim, in i64 or f64, then rounded to the node's type.
Tensor run_iota(PrimTorch& torch, const PrimNode& node) {
  const bool real = is_float(node.dtype);
  const Value step = real ? Value{node.step} : Value{node.low[0]};
  const Value start = real ? Value{node.literal.real} : Value{node.literal.integer};
  Sizes sizes(node.sizes.size(), 1);
  sizes[node.axes[0]] = node.sizes[node.axes[0]];
  Tensor line = torch.cast(torch.count(sizes[node.axes[0]]), real ? DType::f64 : DType::i64);
  line = torch.call("aten.mul.Tensor", {{line}, step});
  line = torch.call("aten.add.Tensor", {{line}, start, {int64_t{1}}});
  return torch.contiguous(torch.expand(torch.reshape(torch.cast(line, node.dtype), sizes), node.sizes));
}

Tensor run(PrimTorch& torch, const PrimNode& node, Operands operands) {
  switch (node.prim) {
    case Prim::input: fail_check(__FILE__, __LINE__, "a prim to run", "input");
    case Prim::literal: return torch.full(node.sizes, node.literal, node.dtype);
    case Prim::iota: return run_iota(torch, node);
    case Prim::pointwise: return torch.contiguous(run_pointwise(torch, node, operands));
    case Prim::reduce: return torch.contiguous(run_reduce(torch, node, operands));
    case Prim::dot: return torch.contiguous(run_dot(torch, node, operands));
    default: return run_movement(torch, node, operands);
  }
}

}  // namespace

EagerPrimResult run_prim(OpExecutor& executor, const PrimNode& node, std::span<const Tensor> operands) {
  try {
    PrimTorch torch(executor);
    Tensor result = run(torch, node, operands);
    if (result.type.sizes == node.sizes && result.type.dtype == node.dtype) return result;
    return EagerError{EagerError::Kind::unsupported, "",
                      fmt::format("{} gives {} where the graph has {}[{}]", name(node.prim), to_text(result.type),
                                  name(node.dtype), fmt::join(node.sizes, ","))};
  } catch (TorchFailure& failure) {
    return std::move(failure.error);
  }
}

std::variant<std::vector<Tensor>, EagerError> run_prims(OpExecutor& executor, const PrimGraph& graph,
                                                        std::span<const Tensor> inputs) {
  std::vector<Tensor> values;
  for (const PrimNode& node : graph.nodes) {
    if (node.prim == Prim::input) {
      values.push_back(inputs[static_cast<size_t>(node.index)]);
      continue;
    }
    std::vector<Tensor> operands;
    for (const int operand : node.operands) operands.push_back(values[static_cast<size_t>(operand)]);
    EagerPrimResult result = run_prim(executor, node, operands);
    if (auto* error = std::get_if<EagerError>(&result)) return std::move(*error);
    values.push_back(std::get<Tensor>(std::move(result)));
  }
  return values;
}

}  // namespace faultline
