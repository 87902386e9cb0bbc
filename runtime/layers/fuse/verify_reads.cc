// Reads stay in bounds. The range of a coordinate is exact: dims are independent, so the bounds of a sum are the sums
// of the bounds dim by dim, and a dim that occurs in several terms is enumerated alone.
#include <algorithm>

#include <fmt/format.h>

#include "runtime/layers/fuse/affine.h"
#include "runtime/layers/fuse/kernel_text.h"
#include "runtime/layers/fuse/verifier.h"

namespace faultline {

static Range range_over_dim(const Affine& part, int dim, const std::vector<int64_t>& extents) {
  if (part.terms.size() == 1) return range_of(part, extents);
  std::vector<int64_t> index(extents.size(), 0);
  Range range{part.at(index), part.at(index)};
  for (int64_t i = 1; i < extents[dim]; ++i) {
    index[dim] = i;
    const int64_t value = part.at(index);
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  return range;
}

static Range exact_range(const Affine& affine, const std::vector<int64_t>& extents) {
  Range range{affine.constant, affine.constant};
  for (int dim = 0; dim < static_cast<int>(extents.size()); ++dim) {
    Affine part;
    for (const Term& term : affine.terms)
      if (term.dim == dim) part.terms.push_back(term);
    if (part.terms.empty()) continue;
    const Range along = range_over_dim(part, dim, extents);
    range.low += along.low;
    range.high += along.high;
  }
  return range;
}

void check_kernel_reads(const KernelProgram& program, size_t number, FuseFindings& findings) {
  const Kernel& kernel = program.kernels[number];
  if (std::find(kernel.extents.begin(), kernel.extents.end(), 0) != kernel.extents.end()) return;
  for (size_t n = 0; n < kernel.nodes.size(); ++n) {
    const ScalarNode& node = kernel.nodes[n];
    if (node.kind != ScalarNode::Kind::load || !node.operands.empty()) continue;
    const Buffer& buffer = program.buffers[node.access.buffer];
    for (size_t c = 0; c < node.access.coordinates.size(); ++c) {
      const Coordinate& coordinate = node.access.coordinates[c];
      if (coordinate.indirect >= 0) continue;  // the index is data
      const Range range = exact_range(coordinate.affine, kernel.extents);
      if (range.low >= 0 && range.high < buffer.sizes[c]) continue;
      findings.add("bounds", kernel_place(program, number, static_cast<int>(n)),
                   fmt::format("{} reaches [{},{}] of dim {}, which has {} elements, without a fill",
                               to_text(program, kernel, node.access), range.low, range.high, c, buffer.sizes[c]));
    }
  }
}

}  // namespace faultline
