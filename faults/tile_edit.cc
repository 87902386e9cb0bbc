// Loops and operands of a tiled kernel.
#include "faults/tile_edit.h"

#include <algorithm>

namespace faultline {

FaultSite loop_site(const TileProgram& program, size_t kernel, std::vector<int64_t> at) {
  const KernelProgram& kernels = program.layout.program;
  return kernel_site(kernels, kernel, kernels.kernels[kernel].stores[0].buffer, std::move(at));
}

std::vector<size_t> parallel_loops(const TileProgram& program, size_t kernel, LoopKind kind) {
  std::vector<size_t> found;
  const std::vector<Loop>& loops = program.kernels[kernel].loops;
  for (size_t l = 0; l < loops.size(); ++l)
    if (loops[l].kind == kind && loops[l].extent > 1 && loops[l].dim < program.layout.program.kernels[kernel].parallel)
      found.push_back(l);
  return found;
}

std::vector<FaultSite> loop_sites(const TileProgram& program, LoopKind kind) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k < program.kernels.size(); ++k)
    for (const size_t l : parallel_loops(program, k, kind))
      sites.push_back(loop_site(program, k, {static_cast<int64_t>(k), static_cast<int64_t>(l)}));
  return sites;
}

std::optional<FaultSite> core_pair(const TileProgram& program, size_t kernel) {
  const std::vector<size_t> loops = parallel_loops(program, kernel, LoopKind::core);
  if (loops.size() < 2) return std::nullopt;
  return loop_site(program, kernel,
                   {static_cast<int64_t>(kernel), static_cast<int64_t>(loops[0]), static_cast<int64_t>(loops[1])});
}

void swap_core_pair(TileProgram& program, const FaultSite& pair, const FaultSpec&) {
  std::vector<Loop>& loops = program.kernels[pair.at[0]].loops;
  std::swap(loops[pair.at[1]], loops[pair.at[2]]);
}

std::vector<size_t> copied_loads(const TileProgram& program, size_t kernel) {
  std::vector<size_t> found;
  const std::vector<OperandTile>& operands = program.kernels[kernel].operands;
  for (size_t o = 0; o < operands.size(); ++o)
    if (operands[o].node >= 0 && residency_of(program, operands[o].buffer) == nullptr) found.push_back(o);
  return found;
}

bool uses_resident(const TileProgram& program, size_t kernel) {
  const std::vector<OperandTile>& operands = program.kernels[kernel].operands;
  return std::any_of(operands.begin(), operands.end(),
                     [&](const OperandTile& operand) { return residency_of(program, operand.buffer) != nullptr; });
}

}  // namespace faultline
