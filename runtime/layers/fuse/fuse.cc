// The pass: rewrite, choose buffers, emit a kernel for each, then number buffers and kernels.
#include "runtime/layers/fuse/fuse.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "runtime/layers/fuse/emit.h"
#include "runtime/layers/fuse/grouping.h"

namespace faultline {

namespace {

// Kernels by root. Asks for more buffers until every kernel can be written; each request names a new node, so it ends.
std::map<int, Emission> emit_all(const FuseGraph& graph, std::vector<uint8_t> buffers) {
  std::map<int, Emission> done;
  std::vector<int> work;
  for (size_t n = 0; n < buffers.size(); ++n)
    if (buffers[n]) work.push_back(static_cast<int>(n));
  while (!work.empty()) {
    const int root = work.back();
    if (done.count(root)) {
      work.pop_back();
      continue;
    }
    Emission emission = emit_kernel(graph, buffers, root);
    if (emission.needs_buffer >= 0) {
      buffers[emission.needs_buffer] = 1;
      work.push_back(emission.needs_buffer);
    } else {
      done.emplace(root, std::move(emission));
      work.pop_back();
    }
  }
  return done;
}

// A kernel whose buffer nobody loads: all its users were written some other way.
void drop_unloaded(const FuseGraph& graph, std::map<int, Emission>& kernels) {
  std::set<int> loaded;
  for (auto it = kernels.rbegin(); it != kernels.rend();) {
    if (!graph.kept[it->first] && !loaded.count(it->first)) {
      it = std::make_reverse_iterator(kernels.erase(std::next(it).base()));
      continue;
    }
    for (const ScalarNode& node : it->second.kernel.nodes)
      if (node.kind == ScalarNode::Kind::load) loaded.insert(node.access.buffer);
    ++it;
  }
}

// "aten.native_layer_norm.default" is "native_layer_norm".
std::string short_name(std::string_view origin) {
  if (const size_t dot = origin.find('.'); dot != std::string_view::npos) origin.remove_prefix(dot + 1);
  origin = origin.substr(0, origin.find('.'));
  std::string name;
  for (const char c : origin) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

class Assembler {
 public:
  Assembler(const PrimGraph& prims, const FuseGraph& graph)
      : prims_(prims), graph_(graph), buffer_(graph.nodes.size(), -1) {
    program_.name = prims.name;
    program_.origins = prims.origins;
  }

  KernelProgram run(std::map<int, Emission> kernels) {
    add_inputs();
    for (auto& [root, emission] : kernels) add_kernel(root, std::move(emission));
    for (const int node : graph_.outputs) program_.outputs.push_back(node < 0 ? -1 : buffer_[node]);
    for (const int node : graph_.write_backs) program_.write_backs.push_back(buffer_[node]);
    return std::move(program_);
  }

 private:
  int add_buffer(std::string name, DType dtype, Sizes sizes, BufferRole role, int prim_node) {
    if (sizes.empty()) sizes = {1};
    const std::string stem = name;
    for (int n = 1; !names_.insert(name).second; ++n) name = fmt::format("{}_{}", stem, n);
    program_.buffers.push_back({std::move(name), dtype, std::move(sizes), role, prim_node});
    return static_cast<int>(program_.buffers.size()) - 1;
  }

  void add_inputs() {
    for (const GraphInput& input : prims_.inputs)
      program_.inputs.push_back(add_buffer(input.name, input.type.dtype, input.type.sizes, BufferRole::input, -1));
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const FuseNode& node = graph_.nodes[n];
      if (node.prim.prim != Prim::input) continue;
      buffer_[n] = program_.inputs[node.prim.index];
      program_.buffers[buffer_[n]].prim_node = node.held;
    }
  }

  std::string output_name(int node) const {
    for (size_t o = 0; o < graph_.outputs.size(); ++o)
      if (graph_.outputs[o] == node)
        return prims_.outputs[o].name.empty() ? fmt::format("out{}", o) : prims_.outputs[o].name;
    for (size_t w = 0; w < graph_.write_backs.size(); ++w)
      if (graph_.write_backs[w] == node) return prims_.inputs[prims_.write_backs[w].input].name + "_new";
    return fmt::format("t{}", node);
  }

  std::string kernel_name(const FuseNode& node) const {
    const PrimNode& root = node.prim;
    std::string what(root.prim == Prim::pointwise ? name(root.function) : name(root.prim));
    if (root.origin >= 0)
      what = short_name(prims_.origins[root.origin]);
    else if (node.held >= 0 && prims_.nodes[node.held].prim == Prim::input)
      what = "copy";
    return fmt::format("k{}_{}", program_.kernels.size(), what);
  }

  void add_kernel(int root, Emission emission) {
    const FuseNode& node = graph_.nodes[root];
    const BufferRole role = graph_.kept[root] ? BufferRole::output : BufferRole::intermediate;
    buffer_[root] = add_buffer(output_name(root), node.prim.dtype, node.prim.sizes, role, node.held);
    Kernel& kernel = emission.kernel;
    kernel.name = kernel_name(node);
    for (ScalarNode& scalar : kernel.nodes)
      if (scalar.kind == ScalarNode::Kind::load) scalar.access.buffer = buffer_[scalar.access.buffer];
    for (KernelStore& store : kernel.stores) store.buffer = buffer_[store.buffer];
    std::set<int> origins;
    for (const int written : emission.nodes)
      origins.insert(graph_.nodes[written].origins.begin(), graph_.nodes[written].origins.end());
    kernel.origins.assign(origins.begin(), origins.end());
    program_.kernels.push_back(std::move(kernel));
  }

  const PrimGraph& prims_;
  const FuseGraph& graph_;
  KernelProgram program_;
  std::vector<int> buffer_;  // by FuseGraph node
  std::set<std::string> names_;
};

}  // namespace

KernelProgram fuse(const PrimGraph& prims, const FuseOptions& options) {
  const FuseGraph graph = rewrite(prims, options);
  std::map<int, Emission> kernels = emit_all(graph, choose_buffers(graph, options));
  if (options.dce) drop_unloaded(graph, kernels);
  return Assembler(prims, graph).run(std::move(kernels));
}

}  // namespace faultline
