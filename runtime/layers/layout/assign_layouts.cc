// A relayout copies what one load of a kernel reads, over the iteration dims on which the load depends, fill and
// indirect indices included; afterwards the load is the identity on those dims.
#include "runtime/layers/layout/assign_layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "runtime/base/error.h"
#include "runtime/layers/layout/lane_access.h"

namespace faultline {

bool is_aligned(const LayoutPolicy& policy, const Kernel& kernel, int node, const LaneChoice& choice,
                const DeviceLayout& layout) {
  const Access& access = kernel.nodes[node].access;
  const std::vector<std::vector<uint8_t>> nodes = node_dims(kernel);
  const std::vector<uint8_t> dims = access_dims(kernel, access, nodes);
  if (std::none_of(dims.begin(), dims.end(), [](uint8_t depends) { return depends != 0; })) return true;
  if (choice.single) return policy.is_sparse(layout);
  const std::optional<int> dim = policy.operand_dim(kernel, node, choice.dim);
  if (!dim) return true;
  std::vector<uint8_t> depends;
  for (const Coordinate& coordinate : access.coordinates) {
    depends.push_back(coordinate.indirect >= 0 && nodes[coordinate.indirect][*dim]);
  }
  return policy.runs_along(access, *dim, depends, layout);
}

namespace {

// Which nodes the stores and the reduction need.
std::vector<uint8_t> live_nodes(const Kernel& kernel) {
  std::vector<uint8_t> live(kernel.nodes.size(), 0);
  if (kernel.reduction) live[kernel.reduction->node] = 1;
  for (const KernelStore& store : kernel.stores) live[store.node] = 1;
  for (size_t n = kernel.nodes.size(); n-- > 0;) {
    if (!live[n]) continue;
    for (const int operand : kernel.nodes[n].operands) live[operand] = 1;
    for (const Coordinate& coordinate : kernel.nodes[n].access.coordinates) {
      if (coordinate.indirect >= 0) live[coordinate.indirect] = 1;
    }
  }
  return live;
}

void drop_dead_nodes(Kernel& kernel) {
  const std::vector<uint8_t> live = live_nodes(kernel);
  std::vector<int> renamed(kernel.nodes.size(), -1);
  std::vector<ScalarNode> kept;
  for (size_t n = 0; n < kernel.nodes.size(); ++n) {
    if (!live[n]) continue;
    ScalarNode node = kernel.nodes[n];
    for (int& operand : node.operands) operand = renamed[operand];
    for (Coordinate& coordinate : node.access.coordinates) {
      if (coordinate.indirect >= 0) coordinate.indirect = renamed[coordinate.indirect];
    }
    renamed[n] = static_cast<int>(kept.size());
    kept.push_back(std::move(node));
  }
  kernel.nodes = std::move(kept);
  if (kernel.reduction) kernel.reduction->node = renamed[kernel.reduction->node];
  for (KernelStore& store : kernel.stores) store.node = renamed[store.node];
}

// Terms of dims of extent 1 are always 0.
void drop_idle_terms(Kernel& kernel) {
  for (ScalarNode& node : kernel.nodes) {
    for (Coordinate& coordinate : node.access.coordinates) {
      std::erase_if(coordinate.affine.terms, [&](const Term& term) { return kernel.extents[term.dim] == 1; });
    }
  }
}

class Assigner {
 public:
  Assigner(const KernelProgram& source, const LayoutPolicy& policy) : policy_(policy) {
    result_.program = source;
    result_.program.kernels.clear();
    result_.layouts.resize(source.buffers.size());
    for (size_t b = 0; b < source.buffers.size(); ++b) {
      policy_.element_bytes(source.buffers[b].dtype);
      if (source.buffers[b].role == BufferRole::input) result_.layouts[b] = policy_.default_layout(source.buffers[b]);
    }
  }

  LayoutProgram take(const KernelProgram& source) {
    for (const Kernel& kernel : source.kernels) place(kernel);
    for (size_t k = 0; k < result_.kernels.size(); ++k) {
      result_.kernels[k].padded = padded_extents(result_, static_cast<int>(k));
    }
    return std::move(result_);
  }

 private:
  void place(Kernel kernel) {
    drop_idle_terms(kernel);
    drop_dead_nodes(kernel);  // an index into a dim of size 1 is loaded though nothing uses it
    const bool movement = kernel.kernel_class == KernelClass::movement;
    const LaneChoice choice = choose(kernel);
    if (!movement) convert(kernel, choice);
    for (const KernelStore& store : kernel.stores) {
      result_.layouts[store.buffer] = store_layout(result_.program.buffers[store.buffer], kernel, choice);
    }
    append(std::move(kernel), choice, false);
  }

  void append(Kernel kernel, const LaneChoice& choice, bool relayout) {
    KernelLayout layout;
    layout.lane_dim = choice.dim;
    layout.lanes = choice.single ? 1 : lanes_of(kernel, choice.dim);
    layout.valid = kernel.extents;
    layout.relayout = relayout;
    result_.kernels.push_back(std::move(layout));
    result_.program.kernels.push_back(std::move(kernel));
  }

  LaneChoice choose(const Kernel& kernel) const {
    const std::vector<LaneChoice> choices = policy_.lane_choices(result_.program, kernel);
    if (kernel.kernel_class == KernelClass::movement) return choices.front();
    LaneChoice best = choices.front();
    int64_t least = -1;
    for (const LaneChoice& choice : choices) {
      int64_t bytes = 0;
      for (const int node : conflicts(kernel, choice)) {
        const Buffer shaped = shape_of(kernel, node);
        bytes += (choice.single ? policy_.sparse_layout(shaped) : policy_.lane_layout(shaped, 0)).bytes();
      }
      if (least >= 0 && bytes >= least) continue;
      least = bytes;
      best = choice;
    }
    return best;
  }

  std::vector<int> conflicts(const Kernel& kernel, const LaneChoice& choice) const {
    std::vector<int> nodes;
    for (size_t n = 0; n < kernel.nodes.size(); ++n) {
      if (kernel.nodes[n].kind != ScalarNode::Kind::load) continue;
      const int node = static_cast<int>(n);
      if (!is_aligned(policy_, kernel, node, choice, result_.layouts[kernel.nodes[n].access.buffer]))
        nodes.push_back(node);
    }
    return nodes;
  }

  // Iteration dims on which the value of a load depends, in order.
  static std::vector<int> dims_of(const Kernel& kernel, int node) {
    const std::vector<uint8_t> depends = node_dims(kernel)[node];
    std::vector<int> dims;
    for (size_t d = 0; d < depends.size(); ++d) {
      if (depends[d]) dims.push_back(static_cast<int>(d));
    }
    return dims;
  }

  Buffer shape_of(const Kernel& kernel, int node) const {
    const Buffer& source = result_.program.buffers[kernel.nodes[node].access.buffer];
    Buffer buffer{"", source.dtype, {}, BufferRole::intermediate, -1};
    for (const int d : dims_of(kernel, node)) buffer.sizes.push_back(kernel.extents[d]);
    return buffer;
  }

  // From the last load to the first: a converted load no longer needs the loads that were its fill or its indices.
  void convert(Kernel& kernel, const LaneChoice& choice) {
    const Kernel source = kernel;
    std::map<int, int> buffers;  // by converted load
    std::vector<int> nodes = conflicts(source, choice);
    for (; !nodes.empty(); nodes.pop_back()) {
      const int node = nodes.back();
      if (!live_nodes(kernel)[node]) continue;
      int target = -1;
      for (const auto& [other, buffer] : buffers) {
        if (same_load(source, node, other)) target = buffer;
      }
      if (target < 0) target = relayout(source, node, choice, static_cast<int>(buffers.size()));
      buffers[node] = target;
      Access access{target, {}};
      for (const int d : dims_of(source, node)) access.coordinates.push_back({Affine{0, {Term{d, 1, 1, 0}}}, -1});
      kernel.nodes[node].access = access;
      kernel.nodes[node].operands.clear();
    }
    drop_dead_nodes(kernel);
  }

  static bool same_load(const Kernel& kernel, int a, int b) {
    return kernel.nodes[a].access == kernel.nodes[b].access && kernel.nodes[a].operands == kernel.nodes[b].operands;
  }

  // The kernel that copies load `node` of `kernel`; returns the buffer it fills.
  int relayout(const Kernel& kernel, int node, const LaneChoice& choice, int number) {
    const std::vector<int> dims = dims_of(kernel, node);
    Buffer buffer = shape_of(kernel, node);
    const Buffer& source = result_.program.buffers[kernel.nodes[node].access.buffer];
    policy_.check_relayout(source);
    buffer.name = fmt::format("{}_{}_relayout{}", source.name, kernel.name, number);
    const int target = static_cast<int>(result_.program.buffers.size());
    result_.program.buffers.push_back(buffer);

    Kernel copy{
        fmt::format("{}_relayout{}", kernel.name, number), KernelClass::movement, buffer.sizes, 0, {}, {}, {}, {}};
    copy.parallel = static_cast<int>(dims.size());
    copy.origins = kernel.origins;
    std::map<int, int> renamed;
    const int value = copy_node(kernel, node, dims, copy, renamed);
    copy.stores.push_back({target, value});

    LaneChoice lane = choice;
    if (choice.single) {
      lane.dim = 0;
      result_.layouts.push_back(policy_.sparse_layout(buffer));
    } else {
      const int along = policy_.operand_dim(kernel, node, choice.dim).value();
      lane.dim = static_cast<int>(std::find(dims.begin(), dims.end(), along) - dims.begin());
      result_.layouts.push_back(policy_.lane_layout(buffer, lane.dim));
    }
    append(std::move(copy), lane, true);
    return target;
  }

  // Copies a node and what it needs into `copy`, whose iteration dims are dims[0], dims[1], ... of `kernel`.
  static int copy_node(const Kernel& kernel, int node, const std::vector<int>& dims, Kernel& copy,
                       std::map<int, int>& renamed) {
    if (const auto found = renamed.find(node); found != renamed.end()) return found->second;
    ScalarNode scalar = kernel.nodes[node];
    FAULTLINE_CHECK(scalar.kind != ScalarNode::Kind::reduced, kernel.name);
    const auto rename = [&dims](Affine& affine) {
      for (Term& term : affine.terms) {
        term.dim = static_cast<int>(std::find(dims.begin(), dims.end(), term.dim) - dims.begin());
      }
    };
    for (int& operand : scalar.operands) operand = copy_node(kernel, operand, dims, copy, renamed);
    rename(scalar.affine);
    for (Coordinate& coordinate : scalar.access.coordinates) {
      rename(coordinate.affine);
      if (coordinate.indirect >= 0) coordinate.indirect = copy_node(kernel, coordinate.indirect, dims, copy, renamed);
    }
    copy.nodes.push_back(std::move(scalar));
    return renamed[node] = static_cast<int>(copy.nodes.size()) - 1;
  }

  DeviceLayout store_layout(const Buffer& buffer, const Kernel& kernel, const LaneChoice& choice) const {
    if (kernel.kernel_class == KernelClass::movement) return policy_.default_layout(buffer);
    if (choice.single || choice.dim >= kernel.parallel) return policy_.sparse_layout(buffer);
    // Lanes along a dim of size 1 (a matrix times a vector) leave one value a stick as well.
    if (kernel.extents[choice.dim] == 1 && element_count(buffer.sizes) > 1) return policy_.sparse_layout(buffer);
    return policy_.lane_layout(buffer, choice.dim);
  }

  // A kernel of mixed types advances by the largest stick.
  int64_t lanes_of(const Kernel& kernel, int lane_dim) const {
    int64_t lanes = 1;
    for (const KernelStore& store : kernel.stores) {
      lanes = std::max(lanes, policy_.lanes(result_.program.buffers[store.buffer].dtype));
    }
    const std::vector<std::vector<uint8_t>> nodes = node_dims(kernel);
    for (size_t n = 0; n < kernel.nodes.size(); ++n) {
      if (kernel.nodes[n].kind != ScalarNode::Kind::load) continue;
      if (!nodes[n][lane_dim]) continue;
      lanes = std::max(lanes, policy_.lanes(result_.program.buffers[kernel.nodes[n].access.buffer].dtype));
    }
    return lanes;
  }

  const LayoutPolicy& policy_;
  LayoutProgram result_;
};

}  // namespace

LayoutProgram assign_layouts(const KernelProgram& program, const LayoutPolicy& policy) {
  return Assigner(program, policy).take(program);
}

}  // namespace faultline
