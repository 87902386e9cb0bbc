// Buffers against the prim graph: who produces what and when, and whether a kernel reads what its prims' operands are.
//
// [operands] Every path from a stored node back through the prim graph must meet a value that the kernel loads before
// it ends in an input, and every loaded value must lie on a path. Below a concat nothing is demanded: a consumer may
// need one piece only.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "runtime/layers/fuse/fuse_graph.h"
#include "runtime/layers/fuse/verifier.h"

namespace faultline {

std::vector<int> value_numbers(const PrimGraph& graph) {
  std::vector<int> numbers;
  std::vector<PrimNode> nodes;  // with folded literals, operands by number
  std::map<std::string, int> known;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    PrimNode node = graph.nodes[n];
    std::vector<const PrimNode*> operands;
    for (int& operand : node.operands) {
      operands.push_back(&nodes[operand]);
      operand = numbers[operand];
    }
    if (const auto literal = folded(node, operands)) node = *literal;
    numbers.push_back(known.emplace(key_of(node), static_cast<int>(n)).first->second);
    nodes.push_back(std::move(node));
  }
  return numbers;
}

namespace {

Sizes kept_sizes(const Sizes& sizes) { return sizes.empty() ? Sizes{1} : sizes; }

class UseCheck {
 public:
  UseCheck(const PrimGraph& graph, const KernelProgram& program, FuseFindings& findings)
      : graph_(graph), program_(program), findings_(findings), numbers_(value_numbers(graph)) {
    join_reshapes();
    producer_.assign(program.buffers.size(), -1);
    for (size_t k = 0; k < program.kernels.size(); ++k)
      for (const KernelStore& store : program.kernels[k].stores) producer_[store.buffer] = static_cast<int>(k);
  }

  void run() {
    for (size_t k = 0; k < program_.kernels.size(); ++k)
      for (const KernelStore& store : program_.kernels[k].stores)
        if (program_.buffers[store.buffer].prim_node >= 0) check_operands(k, store);
    check_origins();
  }

 private:
  // Reshapes of one value hold the same elements in the same order: a kernel may read any of them. One that folds to a
  // literal equals other literals of its sizes as well.
  void join_reshapes() {
    std::vector<int> joined(numbers_.size());
    std::iota(joined.begin(), joined.end(), 0);
    const auto first = [&](int number) {
      while (joined[number] != number) number = joined[number];
      return number;
    };
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (graph_.nodes[n].prim != Prim::reshape) continue;
      const int own = first(numbers_[n]), source = first(numbers_[graph_.nodes[n].operands[0]]);
      joined[std::max(own, source)] = std::min(own, source);
    }
    for (int& number : numbers_) number = first(number);
  }

  // Values a kernel loads; through helper buffers to what they were made of.
  void collect_loads(size_t kernel, std::set<int>& loads) const {
    for (const ScalarNode& node : program_.kernels[kernel].nodes) {
      if (node.kind != ScalarNode::Kind::load) continue;
      const Buffer& buffer = program_.buffers[node.access.buffer];
      const int producer = producer_[node.access.buffer];
      if (buffer.prim_node >= 0)
        loads.insert(numbers_[buffer.prim_node]);
      else if (producer >= 0 && producer < static_cast<int>(kernel))
        collect_loads(static_cast<size_t>(producer), loads);
    }
  }

  struct Walk {
    std::set<int> loads, met, visited;
    std::set<int> missing;  // inputs nobody loads
  };

  void visit(int node, bool demanded, Walk& walk) const {
    const int number = numbers_[node];
    if (walk.loads.count(number)) {
      walk.met.insert(number);
      demanded = false;  // an equal prim elsewhere may have been computed again, from what lies further up
    }
    if (!walk.visited.insert(2 * node + demanded).second) return;
    if (graph_.nodes[node].prim == Prim::input && demanded) walk.missing.insert(node);
    descend(node, demanded, walk);
  }

  void descend(int node, bool demanded, Walk& walk) const {
    for (const int operand : graph_.nodes[node].operands)
      visit(operand, demanded && graph_.nodes[node].prim != Prim::concat, walk);
  }

  void check_operands(size_t kernel, const KernelStore& store) {
    const int node = program_.buffers[store.buffer].prim_node;
    Walk walk;
    collect_loads(kernel, walk.loads);
    if (graph_.nodes[node].prim == Prim::input)
      visit(node, true, walk);
    else
      descend(node, true, walk);
    for (const int input : walk.missing)
      findings_.add("operands", kernel_place(program_, kernel, store.node),
                    fmt::format("prim %{} needs input {}, which is not loaded", node,
                                graph_.inputs[graph_.nodes[input].index].name));
    for (const int number : walk.loads)
      if (!walk.met.count(number))
        findings_.add("operands", kernel_place(program_, kernel, store.node),
                      fmt::format("loads prim %{}, which prim %{} does not use", number, node));
  }

  void check_origins() {
    std::set<int> covered;
    for (const Kernel& kernel : program_.kernels) covered.insert(kernel.origins.begin(), kernel.origins.end());
    Walk walk;
    for (const GraphOutput& output : graph_.outputs)
      if (output.alias_input < 0 && output.node >= 0) visit(output.node, true, walk);
    for (const WriteBack& write_back : graph_.write_backs) visit(write_back.node, true, walk);
    for (const int visited : walk.visited) {
      const PrimNode& node = graph_.nodes[visited / 2];
      const bool demanded = visited % 2 != 0;
      if (!demanded || node.prim == Prim::input || node.origin < 0 || covered.count(node.origin)) continue;
      findings_.add("origins", fmt::format("prim %{} of {}", visited / 2, program_.origins[node.origin]),
                    "an output needs it and no kernel accounts for it");
    }
  }

  const PrimGraph& graph_;
  const KernelProgram& program_;
  FuseFindings& findings_;
  std::vector<int> numbers_;
  std::vector<int> producer_;
};

void check_sizes(const PrimGraph& graph, const KernelProgram& program, FuseFindings& findings) {
  const auto compare = [&](const Buffer& buffer, DType dtype, const Sizes& sizes, const std::string& what) {
    if (buffer.dtype == dtype && buffer.sizes == kept_sizes(sizes)) return;
    findings.add("sizes", "buffer " + buffer.name,
                 fmt::format("is {} when {} is {}", to_text(contiguous_type(buffer.dtype, buffer.sizes)), what,
                             to_text(contiguous_type(dtype, kept_sizes(sizes)))));
  };
  for (const Buffer& buffer : program.buffers) {
    if (buffer.prim_node < 0) continue;
    const PrimNode& node = graph.nodes[buffer.prim_node];
    compare(buffer, node.dtype, node.sizes, fmt::format("prim %{}", buffer.prim_node));
  }
  for (size_t i = 0; i < program.inputs.size(); ++i)
    compare(program.buffers[program.inputs[i]], graph.inputs[i].type.dtype, graph.inputs[i].type.sizes,
            "input " + graph.inputs[i].name);
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const Kernel& kernel = program.kernels[k];
    const Sizes parallel(kernel.extents.begin(), kernel.extents.begin() + kernel.parallel);
    for (const KernelStore& store : kernel.stores) {
      const Buffer& buffer = program.buffers[store.buffer];
      if (buffer.sizes != parallel)
        findings.add("sizes", kernel_place(program, k),
                     fmt::format("covers {} when buffer {} is {}", to_text(contiguous_type(buffer.dtype, parallel)),
                                 buffer.name, to_text(contiguous_type(buffer.dtype, buffer.sizes))));
    }
  }
}

void check_order(const KernelProgram& program, FuseFindings& findings) {
  std::vector<int> stores(program.buffers.size(), 0);
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const Kernel& kernel = program.kernels[k];
    for (size_t n = 0; n < kernel.nodes.size(); ++n) {
      if (kernel.nodes[n].kind != ScalarNode::Kind::load) continue;
      const int buffer = kernel.nodes[n].access.buffer;
      if (program.buffers[buffer].role != BufferRole::input && stores[buffer] == 0)
        findings.add("order", kernel_place(program, k, static_cast<int>(n)),
                     fmt::format("loads buffer {}, which no earlier kernel stores", program.buffers[buffer].name));
    }
    for (const KernelStore& store : kernel.stores) ++stores[store.buffer];
  }
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    const int expected = program.buffers[b].role == BufferRole::input ? 0 : 1;
    if (stores[b] != expected)
      findings.add("produced", "buffer " + program.buffers[b].name,
                   fmt::format("is stored by {} kernels when it should be {}", stores[b], expected));
  }
}

}  // namespace

void check_buffers(const PrimGraph& graph, const KernelProgram& program, FuseFindings& findings) {
  check_order(program, findings);
  check_sizes(graph, program, findings);
  const std::vector<int> numbers = value_numbers(graph);
  const auto holds = [&](const std::string& place, int buffer, int node) {
    const Buffer* found = buffer < 0 ? nullptr : &program.buffers[buffer];
    if (found && found->role == BufferRole::output && found->prim_node >= 0 &&
        numbers[found->prim_node] == numbers[node])
      return;
    findings.add("produced", place,
                 fmt::format("should be an output buffer with prim %{} and is {}", node, found ? found->name : "none"));
  };
  for (size_t o = 0; o < graph.outputs.size(); ++o) {
    const GraphOutput& output = graph.outputs[o];
    if (output.alias_input < 0 && output.node >= 0) holds(fmt::format("output {}", o), program.outputs[o], output.node);
  }
  for (size_t w = 0; w < graph.write_backs.size(); ++w)
    holds(fmt::format("write-back {}", w), program.write_backs[w], graph.write_backs[w].node);
  for (size_t i = 0; i < program.inputs.size(); ++i)
    if (program.buffers[program.inputs[i]].role != BufferRole::input)
      findings.add("produced", fmt::format("input {}", i), "is no input buffer");
}

void check_uses(const PrimGraph& graph, const KernelProgram& program, FuseFindings& findings) {
  UseCheck(graph, program, findings).run();
}

std::vector<Finding> verify_fuse(const PrimGraph& graph, const KernelProgram& program) {
  FuseFindings findings;
  bool sound = check_program_shape(graph, program, findings);
  for (size_t k = 0; k < program.kernels.size(); ++k) sound = check_kernel_shape(program, k, findings) && sound;
  if (!sound) return findings.take();
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    check_kernel_types(program, k, findings);
    check_kernel_reads(program, k, findings);
  }
  check_buffers(graph, program, findings);
  check_uses(graph, program, findings);
  return findings.take();
}

}  // namespace faultline
