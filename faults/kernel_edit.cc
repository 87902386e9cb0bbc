// Renumbering of scalar nodes.
#include "faults/kernel_edit.h"

#include <algorithm>
#include <cmath>

namespace faultline {

namespace {

template <class SomeKernel, class Visit>
void for_each_use(SomeKernel& kernel, Visit visit) {
  for (auto& node : kernel.nodes) {
    for (auto& operand : node.operands) visit(operand);
    for (auto& coordinate : node.access.coordinates)
      if (coordinate.indirect >= 0) visit(coordinate.indirect);
  }
  for (auto& store : kernel.stores) visit(store.node);
  if (kernel.reduction) visit(kernel.reduction->node);
}

}  // namespace

std::vector<int> use_counts(const Kernel& kernel) {
  std::vector<int> uses(kernel.nodes.size(), 0);
  for_each_use(kernel, [&](int node) { ++uses[node]; });
  return uses;
}

std::vector<uint8_t> epilogue_nodes(const Kernel& kernel) {
  std::vector<uint8_t> after(kernel.nodes.size(), 0);
  for (size_t n = 0; n < kernel.nodes.size(); ++n) {
    after[n] = kernel.nodes[n].kind == ScalarNode::Kind::reduced ? 1 : 0;
    for (const int operand : kernel.nodes[n].operands) after[n] |= after[operand];
  }
  return after;
}

void move_node(Kernel& kernel, int from, int to) {
  std::rotate(kernel.nodes.begin() + from, kernel.nodes.begin() + from + 1, kernel.nodes.begin() + to + 1);
  for_each_use(kernel, [=](int& node) {
    if (node == from)
      node = to;
    else if (node > from && node <= to)
      --node;
  });
}

void merge_into(Kernel& kernel, int from, int to) {
  kernel.nodes.erase(kernel.nodes.begin() + from);
  for_each_use(kernel, [=](int& node) {
    if (node == from)
      node = to;
    else if (node > from)
      --node;
  });
}

bool clearly_differ(const Literal& a, const Literal& b) {
  if (a.dtype != b.dtype) return false;
  if (!is_float(a.dtype)) return a.integer != b.integer;
  return std::abs(a.real - b.real) > 0.0625 * std::max(std::abs(a.real), std::abs(b.real));
}

}  // namespace faultline
