// The rewriting half of `fuse`: see fuse_graph.h. A node of the result may stand for several prims (merged or folded
// ones); it carries all their origins, so that nothing gets lost on the way to a kernel's account.
#include <bit>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/layers/fuse/affine.h"
#include "runtime/layers/fuse/fuse_graph.h"
#include "runtime/layers/fuse/reshape.h"

namespace faultline {

bool is_movement(Prim prim) { return prim >= Prim::reshape; }

std::string key_of(const PrimNode& node) {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}:{}:{}:{}|{}|{}|{}|{}|{}", static_cast<int>(node.prim), name(node.dtype),
                     fmt::join(node.sizes, ","), fmt::join(node.operands, ","), name(node.function),
                     name(node.reduction), name(node.literal.dtype), std::bit_cast<uint64_t>(node.literal.real),
                     node.literal.integer, node.literal.neutral ? static_cast<int>(*node.literal.neutral) : -1,
                     fmt::join(node.axes, ","), fmt::join(node.low, ","), fmt::join(node.step_sizes, ","),
                     std::bit_cast<uint64_t>(node.step), node.index);
}

namespace {

void merge(std::vector<int>& into, const std::vector<int>& from) {
  std::set<int> all(into.begin(), into.end());
  all.insert(from.begin(), from.end());
  into.assign(all.begin(), all.end());
}

class Rewriter {
 public:
  Rewriter(const PrimGraph& graph, const FuseOptions& options) : graph_(graph), options_(options) {}

  FuseGraph run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) place_.push_back(take(static_cast<int>(n)));
    for (const GraphOutput& output : graph_.outputs)
      result_.outputs.push_back(output.alias_input >= 0 || output.node < 0 ? -1 : leaving(output.node));
    for (const WriteBack& write_back : graph_.write_backs) result_.write_backs.push_back(leaving(write_back.node));
    if (options_.dce) drop_dead();
    find_users();
    return std::move(result_);
  }

 private:
  int take(int number) {
    FuseNode node{graph_.nodes[number], number, {}};
    if (node.prim.origin >= 0) node.origins.push_back(node.prim.origin);
    for (int& operand : node.prim.operands) operand = place_[operand];
    if (options_.fold) fold(node);
    if (node.prim.prim == Prim::reshape) split_reshape(node);
    return add(std::move(node));
  }

  int add(FuseNode node) {
    if (options_.cse) {
      const auto [found, fresh] = known_.emplace(key_of(node.prim), static_cast<int>(result_.nodes.size()));
      if (!fresh) {
        FuseNode& other = result_.nodes[found->second];
        merge(other.origins, node.origins);
        if (other.held < 0) other.held = node.held;
        return found->second;
      }
    }
    result_.nodes.push_back(std::move(node));
    return static_cast<int>(result_.nodes.size()) - 1;
  }

  void fold(FuseNode& node) {
    std::vector<const PrimNode*> operands;
    for (const int operand : node.prim.operands) operands.push_back(&result_.nodes[operand].prim);
    std::optional<PrimNode> literal = folded(node.prim, operands);
    if (!literal) return;
    for (const int operand : node.prim.operands) merge(node.origins, result_.nodes[operand].origins);
    node.prim = std::move(*literal);
  }

  void split_reshape(FuseNode& node) {
    const Sizes& from = result_.nodes[node.prim.operands[0]].prim.sizes;
    if (reshaped_identity(from, node.prim.sizes)) return;
    FuseNode flat = node;
    flat.prim.sizes = {element_count(from)};
    flat.held = -1;
    node.prim.operands[0] = add(std::move(flat));
  }

  // The node to store for a value that leaves. An input leaves through a copy: an output buffer is never an input
  // buffer.
  int leaving(int number) {
    const int node = place_[number];
    if (result_.nodes[node].prim.prim != Prim::input) return node;
    const auto [found, fresh] = copies_.emplace(node, static_cast<int>(result_.nodes.size()));
    if (fresh) {
      FuseNode copy{result_.nodes[node].prim, result_.nodes[node].held, result_.nodes[node].origins};
      copy.prim.prim = Prim::reshape;
      copy.prim.operands = {node};
      result_.nodes.push_back(std::move(copy));
    }
    return found->second;
  }

  void drop_dead() {
    std::vector<uint8_t> live(result_.nodes.size(), 0);
    for (const std::vector<int>* roots : {&result_.outputs, &result_.write_backs})
      for (const int root : *roots)
        if (root >= 0) live[root] = 1;
    for (size_t n = live.size(); n-- > 0;) {
      if (result_.nodes[n].prim.prim == Prim::input) live[n] = 1;
      if (!live[n]) continue;
      for (const int operand : result_.nodes[n].prim.operands) live[operand] = 1;
    }
    std::vector<int> moved(live.size(), -1);
    std::vector<FuseNode> kept;
    for (size_t n = 0; n < live.size(); ++n) {
      if (!live[n]) continue;
      moved[n] = static_cast<int>(kept.size());
      kept.push_back(std::move(result_.nodes[n]));
      for (int& operand : kept.back().prim.operands) operand = moved[operand];
    }
    result_.nodes = std::move(kept);
    for (std::vector<int>* roots : {&result_.outputs, &result_.write_backs})
      for (int& root : *roots) root = root < 0 ? -1 : moved[root];
  }

  void find_users() {
    result_.users.assign(result_.nodes.size(), {});
    result_.kept.assign(result_.nodes.size(), 0);
    for (size_t n = 0; n < result_.nodes.size(); ++n)
      for (const int operand : result_.nodes[n].prim.operands) result_.users[operand].push_back(static_cast<int>(n));
    for (const std::vector<int>* roots : {&result_.outputs, &result_.write_backs})
      for (const int root : *roots)
        if (root >= 0) result_.kept[root] = 1;
  }

  const PrimGraph& graph_;
  const FuseOptions& options_;
  FuseGraph result_;
  std::vector<int> place_;  // by prim node
  std::map<std::string, int> known_;
  std::map<int, int> copies_;
};

}  // namespace

FuseGraph rewrite(const PrimGraph& graph, const FuseOptions& options) { return Rewriter(graph, options).run(); }

}  // namespace faultline
