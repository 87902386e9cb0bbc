// What the layout artefact can say about itself.
#include "runtime/layers/layout/layout_program.h"

#include <algorithm>

namespace faultline {

bool is_movement(const LayoutProgram& program, int kernel) {
  return program.kernels[kernel].relayout || program.program.kernels[kernel].kernel_class == KernelClass::movement;
}

// Whether host dim h of the access runs over the whole buffer with index[dim], no more and no less.
static bool runs_over(const LayoutProgram& program, const Kernel& kernel, const Access& access, size_t h, int dim) {
  const Coordinate& coordinate = access.coordinates[h];
  return coordinate.indirect < 0 && coordinate.affine == Affine{0, {Term{dim, 1, 1, 0}}} &&
         program.program.buffers[access.buffer].sizes[h] == kernel.extents[dim];
}

std::vector<int64_t> padded_extents(const LayoutProgram& program, int kernel) {
  const Kernel& source = program.program.kernels[kernel];
  std::vector<int64_t> padded(source.extents.size(), 0);
  for (const KernelStore& store : source.stores) {
    for (int d = 0; d < source.parallel; ++d)
      padded[d] = std::max(padded[d], held_extent(program.layouts[store.buffer], d));
  }
  for (const ScalarNode& node : source.nodes) {
    if (node.kind != ScalarNode::Kind::load) continue;
    for (size_t h = 0; h < node.access.coordinates.size(); ++h) {
      for (int d = source.parallel; d < static_cast<int>(padded.size()); ++d) {
        if (!runs_over(program, source, node.access, h, d)) continue;
        padded[d] = std::max(padded[d], held_extent(program.layouts[node.access.buffer], static_cast<int>(h)));
      }
    }
  }
  for (size_t d = 0; d < padded.size(); ++d) {
    if (padded[d] == 0) padded[d] = source.extents[d];
  }
  return padded;
}

}  // namespace faultline
