// The printing half of kernel_text.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/ir/artefact_text.h"
#include "runtime/layers/fuse/kernel_text.h"

namespace faultline {

std::string_view name(KernelClass kernel_class) {
  static constexpr std::string_view kNames[] = {"pointwise", "reduction", "contraction", "movement"};
  return kNames[static_cast<int>(kernel_class)];
}

static std::string dim_text(int dim, int parallel) { return fmt::format("{}{}", dim < parallel ? 'i' : 'r', dim); }

static std::string term_text(const Term& term, int parallel) {
  std::string text = dim_text(term.dim, parallel);
  if (term.divisor != 1) text += fmt::format(" / {}", term.divisor);
  if (term.modulus != 0 && term.divisor != 1) text = "(" + text + ")";
  if (term.modulus != 0) text += fmt::format(" % {}", term.modulus);
  const int64_t size = term.coefficient < 0 ? -term.coefficient : term.coefficient;
  if (size != 1) text += fmt::format(" * {}", size);
  return text;
}

std::string to_text(const Affine& affine, int parallel) {
  std::string text;
  for (const Term& term : affine.terms) {
    const bool negative = term.coefficient < 0;
    if (text.empty())
      text = negative ? "-" : "";
    else
      text += negative ? " - " : " + ";
    text += term_text(term, parallel);
  }
  if (text.empty()) return fmt::format("{}", affine.constant);
  if (affine.constant > 0) text += fmt::format(" + {}", affine.constant);
  if (affine.constant < 0) text += fmt::format(" - {}", -affine.constant);
  return text;
}

static std::string coordinate_text(const Coordinate& coordinate, int parallel) {
  const std::string affine = to_text(coordinate.affine, parallel);
  if (coordinate.indirect < 0) return affine;
  if (coordinate.affine == Affine{}) return value_text(coordinate.indirect);
  return value_text(coordinate.indirect) + " + " + affine;
}

std::string to_text(const KernelProgram& program, const Kernel& kernel, const Access& access) {
  std::vector<std::string> parts;
  for (const Coordinate& coordinate : access.coordinates) parts.push_back(coordinate_text(coordinate, kernel.parallel));
  return fmt::format("{}[{}]", name_text(program.buffers[access.buffer].name), fmt::join(parts, ", "));
}

static std::string node_text(const KernelProgram& program, const Kernel& kernel, const ScalarNode& node) {
  switch (node.kind) {
    case ScalarNode::Kind::load: {
      std::string text = "load " + to_text(program, kernel, node.access);
      if (!node.operands.empty()) text += " else " + value_text(node.operands[0]);
      return text;
    }
    case ScalarNode::Kind::literal: return "literal " + to_text(node.literal);
    case ScalarNode::Kind::index: return "index " + to_text(node.affine, kernel.parallel);
    case ScalarNode::Kind::reduced: return "reduced";
    case ScalarNode::Kind::apply: break;
  }
  std::vector<std::string> operands;
  for (const int operand : node.operands) operands.push_back(value_text(operand));
  return fmt::format("{}({})", name(node.function), fmt::join(operands, ", "));
}

static std::string space_text(const Kernel& kernel) {
  std::string text;
  for (int d = 0; d < static_cast<int>(kernel.extents.size()); ++d) {
    text += fmt::format("{}{} < {}", d > 0 ? ", " : "", dim_text(d, kernel.parallel), kernel.extents[d]);
  }
  return text;
}

// `reduce` stands behind the last node it needs, so that the text reads in the order of evaluation.
std::string to_text(const KernelProgram& program, const Kernel& kernel) {
  std::string text = fmt::format("{} {} ({})", name_text(kernel.name), name(kernel.kernel_class), space_text(kernel));
  if (!kernel.origins.empty()) text += fmt::format(" of {}", fmt::join(kernel.origins, ", "));
  text += ":\n";
  for (size_t n = 0; n < kernel.nodes.size(); ++n) {
    const ScalarNode& node = kernel.nodes[n];
    text += fmt::format("    %{}: {} = {}\n", n, name(node.dtype), node_text(program, kernel, node));
    if (kernel.reduction && kernel.reduction->node == static_cast<int>(n))
      text += fmt::format("    reduce {}(%{})\n", name(kernel.reduction->reduction), n);
  }
  for (const KernelStore& store : kernel.stores)
    text += fmt::format("    {} = %{}\n", name_text(program.buffers[store.buffer].name), store.node);
  return text;
}

static std::string_view role_name(BufferRole role) {
  static constexpr std::string_view kNames[] = {"input", "intermediate", "output"};
  return kNames[static_cast<int>(role)];
}

static std::string buffer_list(const KernelProgram& program, std::string_view word, const std::vector<int>& buffers) {
  std::vector<std::string> names;
  for (const int buffer : buffers) names.push_back(buffer < 0 ? "-" : name_text(program.buffers[buffer].name));
  return names.empty() ? "" : fmt::format("  {} {}\n", word, fmt::join(names, ", "));
}

std::string to_text(const KernelProgram& program) {
  std::string text = fmt::format("kernels {}:\n", name_text(program.name));
  if (!program.origins.empty()) text += fmt::format("  calls {}\n", fmt::join(program.origins, ", "));
  for (const Buffer& buffer : program.buffers) {
    text += fmt::format("  {} {}: {}[{}]", role_name(buffer.role), name_text(buffer.name), name(buffer.dtype),
                        fmt::join(buffer.sizes, ","));
    text += buffer.prim_node >= 0 ? fmt::format(" = %{}\n", buffer.prim_node) : "\n";
  }
  text += buffer_list(program, "takes", program.inputs);
  for (const Kernel& kernel : program.kernels) text += "  " + to_text(program, kernel);
  text += buffer_list(program, "writes", program.write_backs);
  return text + buffer_list(program, "return", program.outputs);
}

}  // namespace faultline
