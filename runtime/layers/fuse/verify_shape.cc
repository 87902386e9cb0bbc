// Structure: everything that is an index points at something, kernels are of the form that their class says, dtypes
// agree.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "runtime/layers/fuse/verifier.h"

namespace faultline {

std::string kernel_place(const KernelProgram& program, size_t kernel, int node) {
  std::string place = fmt::format("kernel {} {}", kernel, program.kernels[kernel].name);
  if (node >= 0) place += fmt::format(", %{}", node);
  return place;
}

static bool check_list(const KernelProgram& program, const char* list, const std::vector<int>& buffers, size_t expected,
                       bool may_be_none, FuseFindings& findings) {
  bool holds = buffers.size() == expected;
  if (!holds)
    findings.add("shape", list, fmt::format("names {} buffers when the graph has {}", buffers.size(), expected));
  for (const int buffer : buffers) {
    if ((buffer == -1 && may_be_none) || (buffer >= 0 && buffer < std::ssize(program.buffers))) continue;
    findings.add("shape", list, fmt::format("names buffer {} of {}", buffer, program.buffers.size()));
    holds = false;
  }
  return holds;
}

bool check_program_shape(const PrimGraph& graph, const KernelProgram& program, FuseFindings& findings) {
  bool holds = check_list(program, "inputs", program.inputs, graph.inputs.size(), false, findings);
  holds &= check_list(program, "outputs", program.outputs, graph.outputs.size(), true, findings);
  holds &= check_list(program, "write-backs", program.write_backs, graph.write_backs.size(), false, findings);
  std::set<std::string> names;
  for (const Buffer& buffer : program.buffers) {
    const std::string place = "buffer " + buffer.name;
    if (!names.insert(buffer.name).second) findings.add("shape", place, "two buffers have this name");
    if (buffer.sizes.empty()) {
      findings.add("shape", place, "has rank 0 when scalars are kept as sizes {1}");
      holds = false;
    }
    if (buffer.prim_node < -1 || buffer.prim_node >= std::ssize(graph.nodes)) {
      findings.add("shape", place, fmt::format("holds prim node {} of {}", buffer.prim_node, graph.nodes.size()));
      holds = false;
    }
  }
  names.clear();
  for (const Kernel& kernel : program.kernels)
    if (!names.insert(kernel.name).second) findings.add("shape", "kernel " + kernel.name, "two kernels have this name");
  return holds;
}

namespace {

class ShapeCheck {
 public:
  ShapeCheck(const KernelProgram& program, size_t number, FuseFindings& findings)
      : program_(program), kernel_(program.kernels[number]), number_(number), findings_(findings) {}

  bool run() {
    const auto rank = std::ssize(kernel_.extents);
    if (kernel_.parallel < 1 || kernel_.parallel > rank)
      fail(-1, fmt::format("{} of {} dims are parallel", kernel_.parallel, rank));
    for (const int64_t extent : kernel_.extents)
      if (extent < 0) fail(-1, fmt::format("an extent is {}", extent));
    for (size_t n = 0; n < kernel_.nodes.size(); ++n) node(static_cast<int>(n));
    for (const KernelStore& store : kernel_.stores) {
      need(-1, store.node >= 0 && store.node < std::ssize(kernel_.nodes), "a store's node", store.node);
      need(-1, store.buffer >= 0 && store.buffer < std::ssize(program_.buffers), "a store's buffer", store.buffer);
    }
    for (const int origin : kernel_.origins)
      need(-1, origin >= 0 && origin < std::ssize(program_.origins), "an origin", origin);
    if (kernel_.reduction)
      need(-1, kernel_.reduction->node >= 0 && kernel_.reduction->node < std::ssize(kernel_.nodes), "the value reduced",
           kernel_.reduction->node);
    if (holds_) form();
    if (holds_) levels();
    return holds_;
  }

 private:
  void fail(int node, std::string text) {
    findings_.add("shape", kernel_place(program_, number_, node), std::move(text));
    holds_ = false;
  }
  void need(int node, bool holds, std::string_view what, int64_t value) {
    if (!holds) fail(node, fmt::format("{} is {}, which does not exist", what, value));
  }

  void affine(int n, const Affine& affine) {
    for (const Term& term : affine.terms) {
      need(n, term.dim >= 0 && term.dim < std::ssize(kernel_.extents), "a term's dim", term.dim);
      if (term.divisor < 1 || term.modulus < 0)
        fail(n, fmt::format("a term has divisor {} and modulus {}", term.divisor, term.modulus));
    }
  }

  void node(int n) {
    const ScalarNode& scalar = kernel_.nodes[n];
    for (const int operand : scalar.operands) need(n, operand >= 0 && operand < n, "an operand", operand);
    affine(n, scalar.affine);
    if (scalar.kind == ScalarNode::Kind::reduced && !kernel_.reduction) fail(n, "there is no reduction");
    const size_t arity = scalar.kind == ScalarNode::Kind::apply ? static_cast<size_t>(row(scalar.function).arity) : 0;
    const bool fill = scalar.kind == ScalarNode::Kind::load && scalar.operands.size() == 1;
    if (scalar.operands.size() != arity && !fill)
      fail(n, fmt::format("has {} operands when it takes {}", scalar.operands.size(), arity));
    if (scalar.kind != ScalarNode::Kind::load) return;
    const int buffer = scalar.access.buffer;
    need(n, buffer >= 0 && buffer < std::ssize(program_.buffers), "the buffer", buffer);
    for (const Coordinate& coordinate : scalar.access.coordinates) {
      affine(n, coordinate.affine);
      need(n, coordinate.indirect >= -1 && coordinate.indirect < n, "an indirect coordinate's node",
           coordinate.indirect);
    }
    if (!holds_) return;
    const size_t rank = program_.buffers[buffer].sizes.size();
    if (scalar.access.coordinates.size() != rank)
      fail(n, fmt::format("has {} coordinates into a buffer of rank {}", scalar.access.coordinates.size(), rank));
  }

  // What the kernel's class says.
  void form() {
    const bool any_apply = std::any_of(kernel_.nodes.begin(), kernel_.nodes.end(),
                                       [](const ScalarNode& n) { return n.kind == ScalarNode::Kind::apply; });
    const bool reduces =
        kernel_.kernel_class == KernelClass::reduction || kernel_.kernel_class == KernelClass::contraction;
    if (reduces != kernel_.reduction.has_value())
      fail(-1, fmt::format("is called {} and has {} reduction", name(kernel_.kernel_class), reduces ? "no" : "a"));
    if (kernel_.reduction.has_value() != (kernel_.parallel < std::ssize(kernel_.extents)))
      fail(-1, fmt::format("has {} reduction dims", std::ssize(kernel_.extents) - kernel_.parallel));
    if (kernel_.kernel_class == KernelClass::movement && any_apply) fail(-1, "is called movement and computes");
    if (kernel_.stores.empty()) fail(-1, "stores nothing");
    if (kernel_.kernel_class != KernelClass::contraction || !kernel_.reduction) return;
    const ScalarNode& product = kernel_.nodes[kernel_.reduction->node];
    if (kernel_.reduction->reduction != Reduction::sum || product.kind != ScalarNode::Kind::apply ||
        product.function != Function::mul)
      fail(-1, "is called contraction and is no sum of products");
  }

  // The value reduced comes before the result; a stored value does not change along a reduction dim.
  void levels() {
    std::vector<uint8_t> along(kernel_.nodes.size(), 0), after(kernel_.nodes.size(), 0);
    const auto reduces = [&](const Affine& affine) {
      return std::any_of(affine.terms.begin(), affine.terms.end(),
                         [&](const Term& term) { return term.dim >= kernel_.parallel; });
    };
    for (size_t n = 0; n < kernel_.nodes.size(); ++n) {
      const ScalarNode& scalar = kernel_.nodes[n];
      after[n] = scalar.kind == ScalarNode::Kind::reduced;
      along[n] = scalar.kind == ScalarNode::Kind::index && reduces(scalar.affine);
      std::vector<int> sources = scalar.operands;
      for (const Coordinate& coordinate : scalar.access.coordinates) {
        along[n] |= reduces(coordinate.affine);
        if (coordinate.indirect >= 0) sources.push_back(coordinate.indirect);
      }
      for (const int source : sources) {
        along[n] |= along[source];
        after[n] |= after[source];
      }
    }
    if (kernel_.reduction && after[kernel_.reduction->node])
      fail(kernel_.reduction->node, "the value reduced depends on the result");
    for (const KernelStore& store : kernel_.stores)
      if (along[store.node]) fail(store.node, "is stored and changes along a reduction dim");
  }

  const KernelProgram& program_;
  const Kernel& kernel_;
  size_t number_;
  FuseFindings& findings_;
  bool holds_ = true;
};

}  // namespace

bool check_kernel_shape(const KernelProgram& program, size_t kernel, FuseFindings& findings) {
  return ShapeCheck(program, kernel, findings).run();
}

// The operands' dtypes and the result's, by the function's kind.
static bool types_agree(const Kernel& kernel, const ScalarNode& node) {
  const auto type = [&](size_t operand) { return kernel.nodes[node.operands[operand]].dtype; };
  if (node.function == Function::cast) return true;
  if (node.function == Function::select)
    return type(0) == DType::boolean && type(1) == node.dtype && type(2) == node.dtype;
  for (size_t i = 1; i < node.operands.size(); ++i)
    if (type(i) != type(0)) return false;
  if (row(node.function).kind == FunctionKind::compare) return node.dtype == DType::boolean;
  if (row(node.function).kind == FunctionKind::integer && is_float(type(0))) return false;
  return node.dtype == type(0);
}

static bool reduced_type_agrees(const Kernel& kernel, const ScalarNode& node) {
  const DType from = kernel.nodes[kernel.reduction->node].dtype;
  switch (kernel.reduction->reduction) {
    case Reduction::argmax:
    case Reduction::argmin: return is_integer(node.dtype);
    case Reduction::any:
    case Reduction::all: return node.dtype == DType::boolean;
    case Reduction::max:
    case Reduction::min: return node.dtype == from;
    default: return is_float(node.dtype) == is_float(from);
  }
}

void check_kernel_types(const KernelProgram& program, size_t number, FuseFindings& findings) {
  const Kernel& kernel = program.kernels[number];
  const auto fail = [&](int node, DType found, std::string_view what, DType expected) {
    findings.add("dtype", kernel_place(program, number, node),
                 fmt::format("has dtype {} when {} has {}", name(found), what, name(expected)));
  };
  for (size_t n = 0; n < kernel.nodes.size(); ++n) {
    const ScalarNode& node = kernel.nodes[n];
    const int at = static_cast<int>(n);
    switch (node.kind) {
      case ScalarNode::Kind::load: {
        const Buffer& buffer = program.buffers[node.access.buffer];
        if (buffer.dtype != node.dtype) fail(at, node.dtype, "buffer " + buffer.name, buffer.dtype);
        if (!node.operands.empty() && kernel.nodes[node.operands[0]].dtype != node.dtype)
          fail(at, node.dtype, "its fill", kernel.nodes[node.operands[0]].dtype);
        for (const Coordinate& coordinate : node.access.coordinates)
          if (coordinate.indirect >= 0 && !is_integer(kernel.nodes[coordinate.indirect].dtype))
            fail(coordinate.indirect, kernel.nodes[coordinate.indirect].dtype, "a coordinate", DType::i64);
        break;
      }
      case ScalarNode::Kind::literal:
        if (node.literal.dtype != node.dtype) fail(at, node.dtype, "its literal", node.literal.dtype);
        break;
      case ScalarNode::Kind::index: break;
      case ScalarNode::Kind::apply:
        if (!types_agree(kernel, node))
          fail(at, node.dtype, fmt::format("{} on its operands", name(node.function)),
               kernel.nodes[node.operands[0]].dtype);
        break;
      case ScalarNode::Kind::reduced:
        if (!reduced_type_agrees(kernel, node))
          fail(at, node.dtype, "the value reduced", kernel.nodes[kernel.reduction->node].dtype);
        break;
    }
  }
  for (const KernelStore& store : kernel.stores) {
    const Buffer& buffer = program.buffers[store.buffer];
    if (kernel.nodes[store.node].dtype != buffer.dtype)
      fail(store.node, kernel.nodes[store.node].dtype, "buffer " + buffer.name, buffer.dtype);
  }
}

}  // namespace faultline
