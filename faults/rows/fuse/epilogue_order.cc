// Two steps behind a reduction or a matrix product change places: relu(product) + bias for relu(product + bias).
#include <algorithm>
#include <cmath>

#include "faults/kernel_edit.h"
#include "faults/sites.h"

namespace faultline {

namespace {

// One step on the way from the reduction's result: `function` of the value that comes along (operand `spine`) and of
// one that does not depend on the reduction.
struct Step {
  Function function = Function::add;
  int spine = 0;
  const ScalarNode* side = nullptr;

  bool adds() const { return function == Function::add || (function == Function::sub && spine == 0); }
  bool scales() const { return function == Function::mul || (function == Function::div && spine == 0); }
  bool bounds() const { return function == Function::maximum || function == Function::minimum; }
  // Whether the step does something that shows: adds about as much as the numbers are, or scales by another than 1.
  bool shows() const {
    if (side->kind != ScalarNode::Kind::literal) return true;
    return std::abs(side->literal.real - (scales() ? 1 : 0)) >= 0.0625 || bounds();
  }
};

std::optional<Step> step_at(const Kernel& kernel, int n, const std::vector<uint8_t>& after) {
  const ScalarNode& node = kernel.nodes[n];
  if (node.kind != ScalarNode::Kind::apply || node.operands.size() != 2 || !is_float(node.dtype)) return std::nullopt;
  if (after[node.operands[0]] == after[node.operands[1]]) return std::nullopt;
  const int spine = after[node.operands[0]] != 0 ? 0 : 1;
  if (kernel.nodes[node.operands[spine]].dtype != node.dtype) return std::nullopt;
  Step step{node.function, spine, &kernel.nodes[node.operands[1 - spine]]};
  if (!(step.adds() || step.scales() || step.bounds()) || !step.shows()) return std::nullopt;
  return step;
}

// Steps that may change places without a difference: two sums, two products, two bounds, a bound and a scale.
bool order_matters(const Step& first, const Step& second) { return first.adds() != second.adds(); }

std::vector<FaultSite> applies(const KernelProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const Kernel& kernel = program.kernels[k];
    if (!kernel.reduction) continue;
    const std::vector<uint8_t> after = epilogue_nodes(kernel);
    const std::vector<int> uses = use_counts(kernel);
    for (int n = static_cast<int>(kernel.nodes.size()); n-- > 0;) {
      const auto second = step_at(kernel, n, after);
      if (!second) continue;
      const int inner = kernel.nodes[n].operands[second->spine];
      const auto first = step_at(kernel, inner, after);
      if (!first || uses[inner] != 1 || !order_matters(*first, *second)) continue;
      sites.push_back(kernel_site(program, k, kernel.stores[0].buffer,
                                  {static_cast<int64_t>(k), inner, n, first->spine, second->spine}));
      break;
    }
  }
  return sites;
}

void apply(KernelProgram& program, const FaultSite& site, const FaultSpec&) {
  Kernel& kernel = program.kernels[site.at[0]];
  const int outer = static_cast<int>(site.at[2]), inner = outer - 1;
  const size_t first_spine = static_cast<size_t>(site.at[3]), second_spine = static_cast<size_t>(site.at[4]);
  move_node(kernel, static_cast<int>(site.at[1]), inner);
  ScalarNode &first = kernel.nodes[inner], &second = kernel.nodes[outer];
  std::swap(first.function, second.function);
  const int value = first.operands[first_spine];
  std::swap(first.operands, second.operands);
  first.operands[second_spine] = value;
  second.operands[first_spine] = inner;
}

}  // namespace

extern const Fault fault_fuse_epilogue_order;
constinit const Fault fault_fuse_epilogue_order{
    .id = "fuse.epilogue_order",
    .summary = "two steps of an epilogue change places",
    .mechanism = "fuse.epilogue",
    .origin = "https://github.com/amd/ZenDNN/issues/30",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example =
        "def f(b: f16[67], x: f16[5,64], w: f16[64,67]): "
        "y = aten.addmm(b, x, w); z = aten.relu(y); return z",
};

}  // namespace faultline
