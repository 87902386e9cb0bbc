// What loops mean: cores, tiles, boxes, footprints.
#include <algorithm>

#include "runtime/base/error.h"
#include "runtime/layers/layout/lane_access.h"
#include "runtime/layers/tile/tile_program.h"

namespace faultline {

int64_t core_count(const TileKernel& kernel) {
  int64_t count = 1;
  for (const Loop& loop : kernel.loops) count *= loop.kind == LoopKind::core ? loop.extent : 1;
  return count;
}

int64_t core_of(const TileKernel& kernel, const LoopPoint& point) {
  int64_t core = 0;
  for (size_t l = 0; l < kernel.loops.size(); ++l) {
    if (kernel.loops[l].kind == LoopKind::core) core = core * kernel.loops[l].extent + point[l];
  }
  return core;
}

std::vector<LoopPoint> tiles_of_core(const TileKernel& kernel, int64_t core) {
  LoopPoint point(kernel.loops.size(), 0);
  int64_t tiles = 1;
  for (size_t l = kernel.loops.size(); l-- > 0;) {
    const Loop& loop = kernel.loops[l];
    if (loop.kind == LoopKind::core) {
      point[l] = core % loop.extent;
      core /= loop.extent;
    } else if (loop.kind == LoopKind::sequential) {
      tiles *= loop.extent;
    }
  }
  std::vector<LoopPoint> points;
  for (int64_t tile = 0; tile < tiles; ++tile) {
    int64_t rest = tile;
    for (size_t l = kernel.loops.size(); l-- > 0;) {
      if (kernel.loops[l].kind != LoopKind::sequential) continue;
      point[l] = rest % kernel.loops[l].extent;
      rest /= kernel.loops[l].extent;
    }
    points.push_back(point);
  }
  return points;
}

Box tile_box(const TileKernel& kernel, const KernelLayout& layout, const LoopPoint& point) {
  const size_t rank = layout.padded.size();
  Box box{std::vector<int64_t>(rank, 0), std::vector<int64_t>(rank, 1)};
  std::vector<uint8_t> none(rank, 0);
  for (size_t l = 0; l < kernel.loops.size(); ++l) {
    const Loop& loop = kernel.loops[l];
    if (loop.kind == LoopKind::vector) {
      box.end[loop.dim] += loop.step * (loop.extent - 1);
      none[loop.dim] |= loop.extent < 1;
    } else {
      box.begin[loop.dim] += loop.step * point[l];
    }
  }
  for (size_t d = 0; d < rank; ++d) {
    box.end[d] = none[d] ? box.begin[d] : std::min(box.begin[d] + box.end[d], layout.padded[d]);
  }
  return box;
}

namespace {

struct Interval {
  int64_t low = 0, high = 0;  // both included
};

int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

// Values of floor(i / divisor) mod modulus for i in the interval; every residue when the interval meets the end of a
// period.
Interval digit(Interval range, int64_t divisor, int64_t modulus) {
  const Interval whole{floor_divide(range.low, divisor), floor_divide(range.high, divisor)};
  if (modulus == 0) return whole;
  if (floor_divide(whole.low, modulus) != floor_divide(whole.high, modulus)) return {0, modulus - 1};
  const int64_t base = floor_divide(whole.low, modulus) * modulus;
  return {whole.low - base, whole.high - base};
}

Interval values(const Affine& affine, const Box& box) {
  Interval range{affine.constant, affine.constant};
  for (const Term& term : affine.terms) {
    const Interval part = digit({box.begin[term.dim], box.end[term.dim] - 1}, term.divisor, term.modulus);
    range.low += term.coefficient * (term.coefficient < 0 ? part.high : part.low);
    range.high += term.coefficient * (term.coefficient < 0 ? part.low : part.high);
  }
  return range;
}

}  // namespace

DeviceBox footprint(const Access& access, const DeviceLayout& layout, const Sizes& sizes, const Box& box) {
  DeviceBox touched{std::vector<int64_t>(layout.dims.size(), 0), std::vector<int64_t>(layout.dims.size(), 0)};
  for (size_t d = 0; d < box.begin.size(); ++d) {
    if (box.end[d] <= box.begin[d]) return touched;
  }
  std::vector<Interval> host(sizes.size());
  for (size_t h = 0; h < sizes.size(); ++h) {
    host[h] = values(access.coordinates[h].affine, box);
    if (access.coordinates[h].indirect >= 0) host[h] = {0, sizes[h] - 1};
    host[h] = {std::max<int64_t>(host[h].low, 0), std::min(host[h].high, sizes[h] - 1)};
    if (host[h].low > host[h].high) return touched;
  }
  const std::vector<CoordinateTerm> terms = layout.terms();
  for (size_t j = 0; j < terms.size(); ++j) {
    Interval range{0, layout.dims[j].extent - 1};
    const bool stick = j + 1 == terms.size() && (terms[j].host_dim < 0 || terms[j].modulus != 0);
    if (!stick && terms[j].host_dim >= 0) range = digit(host[terms[j].host_dim], terms[j].step, terms[j].modulus);
    touched.begin[j] = range.low;
    touched.extent[j] = range.high - range.low + 1;
  }
  return touched;
}

Access operand_access(const Kernel& kernel, const OperandTile& operand) {
  return operand.node >= 0 ? kernel.nodes[operand.node].access : store_access(kernel, operand.store);
}

DeviceBox operand_footprint(const TileProgram& program, int kernel, const OperandTile& operand,
                            const LoopPoint& point) {
  const KernelLayout& layout = program.layout.kernels[kernel];
  Box box = tile_box(program.kernels[kernel], layout, point);
  for (size_t d = 0; d < box.end.size(); ++d) box.end[d] = std::min(box.end[d], layout.valid[d]);
  // A dim on which the access does not depend cannot leave it without an element: an epilogue's operands are there even
  // when the last tile of a sum has no term left.
  const Kernel& source = program.layout.program.kernels[kernel];
  const Access access = operand_access(source, operand);
  for (size_t d = 0; d < box.end.size(); ++d) {
    if (box.end[d] > box.begin[d] || access_dims(source, access, node_dims(source))[d]) continue;
    box.begin[d] = 0;
    box.end[d] = 1;
  }
  return footprint(access, program.layout.layouts[operand.buffer], program.layout.program.buffers[operand.buffer].sizes,
                   box);
}

int64_t span_bytes(const DeviceBox& box, const DeviceLayout& layout) {
  if (box.elements() == 0) return 0;
  const std::vector<int64_t> strides = layout.flat_strides();
  int64_t span = layout.flat_element_bytes();
  for (size_t j = 0; j < strides.size(); ++j) span += strides[j] * (box.extent[j] - 1);
  return span;
}

const Residency* residency_of(const TileProgram& program, int buffer) {
  for (const Residency& residency : program.residencies) {
    if (residency.buffer == buffer) return &residency;
  }
  return nullptr;
}

}  // namespace faultline
