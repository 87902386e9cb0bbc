// Walks from the outputs to the inputs, so that when a node's turn comes the kernels that need it are known (its
// *roots*), and how often they would evaluate it.
//
//   movement             never, it becomes an access map (the emitter may object); but pad, concat and gather do on the
//   way to a
//                        contraction, whose operands are plain loads
//   pointwise            joins its one root if it is evaluated no more often than it has elements; joins several roots,
//   or a root
//                        that repeats it (broadcast), if computing it again is cheap and it would not make an epilogue;
//                        never on the way to a contraction
//   reduction, dot       joins its one root as that kernel's reduction, the root being its epilogue: same number of
//   elements,
//                        evaluated once, no other reduction there
#include "runtime/layers/fuse/grouping.h"

#include <algorithm>

namespace faultline {

namespace {

int own_cost(const PrimNode& node) {
  if (node.prim != Prim::pointwise) return 0;
  if (node.function == Function::div || node.function == Function::reciprocal) return 2;
  return row(node.function).kind == FunctionKind::special ? 8 : 1;
}

int64_t elements(const PrimNode& node) { return element_count(node.sizes); }

class Grouping {
 public:
  Grouping(const FuseGraph& graph, const FuseOptions& options) : graph_(graph), options_(options) {
    const size_t count = graph.nodes.size();
    buffers_.assign(count, 0);
    roots_.resize(count);
    evaluations_.assign(count, 0);
    awkward_.assign(count, 0);
    size_.assign(count, 0);
    absorbs_.assign(count, 0);
    find_costs();
    find_epilogues();
  }

  std::vector<uint8_t> run() {
    for (size_t n = graph_.nodes.size(); n-- > 0;) visit(static_cast<int>(n));
    return std::move(buffers_);
  }

 private:
  const PrimNode& prim(int node) const { return graph_.nodes[node].prim; }

  // The cost of computing a node from buffers when everything above it is written in place.
  void find_costs() {
    for (const FuseNode& node : graph_.nodes) {
      int cost = own_cost(node.prim);
      for (const int operand : node.prim.operands) cost += costs_[operand];
      costs_.push_back(std::min(cost, 1000));
    }
  }

  // Nodes that would be the epilogue of a reduction above them: a buffer here costs none there.
  void find_epilogues() {
    epilogue_.assign(graph_.nodes.size(), 0);
    for (size_t n = 0; options_.epilogue && n < graph_.nodes.size(); ++n) {
      const PrimNode& node = prim(static_cast<int>(n));
      if (node.prim != Prim::pointwise && node.prim != Prim::reshape && node.prim != Prim::permute) continue;
      for (const int operand : node.operands) {
        const Prim above = prim(operand).prim;
        const bool reduces = above == Prim::reduce || above == Prim::dot || epilogue_[operand];
        epilogue_[n] |= reduces && !graph_.kept[operand] && graph_.users[operand].size() == 1 &&
                        elements(prim(operand)) == elements(node);
      }
    }
  }

  void visit(int node) {
    const Prim kind = prim(node).prim;
    if (graph_.kept[node]) return give_buffer(node);
    if (kind == Prim::input || kind == Prim::literal) return;
    if (!options_.fusion || graph_.users[node].empty()) return give_buffer(node);
    see_users(node);
    const bool choosing = kind == Prim::pad || kind == Prim::concat || kind == Prim::gather;
    if (choosing && (awkward_[node] & kFactor)) return give_buffer(node);
    if (kind == Prim::iota || is_movement(kind)) return;
    if (kind == Prim::pointwise ? !pointwise_joins(node) : !reduction_joins(node)) give_buffer(node);
  }

  void give_buffer(int node) {
    buffers_[node] = 1;
    roots_[node].clear();
  }

  // The node's roots, how often they evaluate it, and whether some use rules out joining a reduction or computing in
  // place.
  void see_users(int node) {
    std::vector<int>& roots = roots_[node];
    for (const int user : graph_.users[node]) {
      const PrimNode& use = prim(user);
      const bool rooted = buffers_[user];
      const int64_t times =
          rooted || use.prim == Prim::reduce || use.prim == Prim::dot ? work(user) : evaluations_[user];
      if (rooted)
        roots.push_back(user);
      else
        roots.insert(roots.end(), roots_[user].begin(), roots_[user].end());
      evaluations_[node] = std::max(evaluations_[node], times);
      if (use.prim == Prim::pad || use.prim == Prim::concat || use.prim == Prim::gather) awkward_[node] |= kGuarded;
      if (use.prim == Prim::dot) awkward_[node] |= kFactor;
      if (!rooted && use.prim != Prim::reduce && use.prim != Prim::dot) awkward_[node] |= awkward_[user];
    }
    std::sort(roots.begin(), roots.end());
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  }

  // How often a kernel rooted here, or the reduction alone, evaluates its operands.
  int64_t work(int node) const {
    const PrimNode& use = prim(node);
    if (use.prim == Prim::reduce) return elements(prim(use.operands[0]));
    if (use.prim == Prim::dot) return elements(use) * prim(use.operands[0]).sizes[2];
    return elements(use);
  }

  bool pointwise_joins(int node) {
    if (awkward_[node] & kFactor) return false;
    const bool once = roots_[node].size() == 1 && evaluations_[node] <= std::max<int64_t>(elements(prim(node)), 1);
    if (!once && (costs_[node] > options_.cheap_cost || epilogue_[node])) return false;
    for (const int root : roots_[node])
      if (size_[root] >= options_.node_budget) return false;
    for (const int root : roots_[node]) ++size_[root];
    return true;
  }

  bool reduction_joins(int node) {
    if (!options_.epilogue || awkward_[node] || roots_[node].size() != 1) return false;
    const int root = roots_[node][0];
    const Prim kind = prim(root).prim;
    if (kind == Prim::reduce || kind == Prim::dot || absorbs_[root]) return false;
    if (elements(prim(root)) != elements(prim(node)) || evaluations_[node] > elements(prim(node))) return false;
    absorbs_[root] = 1;
    return true;
  }

  static constexpr uint8_t kGuarded = 1, kFactor = 2;

  const FuseGraph& graph_;
  const FuseOptions& options_;
  std::vector<uint8_t> buffers_;
  std::vector<std::vector<int>> roots_;
  std::vector<int64_t> evaluations_;
  std::vector<uint8_t> awkward_;
  std::vector<int> costs_, size_;
  std::vector<uint8_t> absorbs_, epilogue_;
};

}  // namespace

std::vector<uint8_t> choose_buffers(const FuseGraph& graph, const FuseOptions& options) {
  return Grouping(graph, options).run();
}

}  // namespace faultline
