// What the tests of layer 3 ask of a fused program: its kernels from the text of a prim graph, verified, and short
// views of them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/layers/fuse/fuse.h"
#include "runtime/layers/fuse/kernel_text.h"

namespace faultline::fuse_test {

// `body` without the header; the first input is x, the second w.
inline PrimGraph graph_of(const std::string& body) { return parse_prim_graph("prims p" + body); }

inline KernelProgram kernels_of(const std::string& body, const FuseOptions& options = {}) {
  const PrimGraph graph = graph_of(body);
  const KernelProgram program = fuse(graph, options);
  for (const Finding& finding : verify_fuse(graph, program))
    ADD_FAILURE() << finding.promise << ": " << finding.place << ": " << finding.text << "\n" << to_text(program);
  return program;
}

// The loads of one kernel, in order: "x[i0 - 1, i1] else %0".
inline std::vector<std::string> loads(const KernelProgram& program, size_t kernel = 0) {
  std::vector<std::string> texts;
  for (const ScalarNode& node : program.kernels[kernel].nodes) {
    if (node.kind != ScalarNode::Kind::load) continue;
    texts.push_back(to_text(program, program.kernels[kernel], node.access));
    if (!node.operands.empty()) texts.back() += " else %" + std::to_string(node.operands[0]);
  }
  return texts;
}

using Texts = std::vector<std::string>;

inline std::vector<KernelClass> classes(const KernelProgram& program) {
  std::vector<KernelClass> list;
  for (const Kernel& kernel : program.kernels) list.push_back(kernel.kernel_class);
  return list;
}

inline int functions(const KernelProgram& program, Function function) {
  int count = 0;
  for (const Kernel& kernel : program.kernels)
    for (const ScalarNode& node : kernel.nodes)
      count += node.kind == ScalarNode::Kind::apply && node.function == function;
  return count;
}

}  // namespace faultline::fuse_test
