// The pass: one launch a kernel and a plan of device memory.
#include "runtime/layers/schedule/schedule.h"

#include "runtime/layers/schedule/allocate.h"
#include "runtime/layers/schedule/emit.h"

namespace faultline {

Unit unit_of(const Kernel& kernel) {
  switch (kernel.kernel_class) {
    case KernelClass::contraction: return Unit::matrix;
    case KernelClass::movement: return Unit::move;
    default: return Unit::vector;
  }
}

MachineProgram schedule(const TileProgram& tiles, const SchedulePolicy& policy) {
  const KernelProgram& kernels = tiles.layout.program;
  MachineProgram program;
  program.name = kernels.name;
  program.buffers = kernels.buffers;
  program.layouts = tiles.layout.layouts;
  program.inputs = kernels.inputs;
  program.outputs = kernels.outputs;
  program.write_backs = kernels.write_backs;
  program.allocations = plan_memory(tiles.layout, policy);
  program.operations = kernels.kernels;
  program.cores = tiles.cores;
  program.scratch_bytes = tiles.scratch_bytes;
  for (size_t k = 0; k < kernels.kernels.size(); ++k)
    program.launches.push_back(emit_launch(tiles, static_cast<int>(k)));
  return program;
}

}  // namespace faultline
