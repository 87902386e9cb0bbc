// A copy of a tile steps through device memory by the strides of the tile instead of those of the whole buffer: sticks
// are read too close to each other.
#include "faults/machine_edit.h"

#include <algorithm>

namespace faultline {

static std::vector<FaultSite> applies(const MachineProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t l = 0; l < program.launches.size(); ++l) {
    for (const Stream& stream : program.launches[l].streams) {
      for (const Instruction& instruction : stream.instructions) {
        if (instruction.opcode != Opcode::copy) continue;
        const Descriptor& descriptor = program.launches[l].descriptors[instruction.descriptor];
        const bool apart = std::any_of(descriptor.nest.begin(), descriptor.nest.end(), [](const Nest& nest) {
          return nest.count > 1 && nest.source_stride > nest.target_stride;
        });
        if (is_load(descriptor) && apart)
          sites.push_back(launch_site(program, l, descriptor.source.buffer, stream.core,
                                      {static_cast<int64_t>(l), instruction.descriptor}));
      }
    }
  }
  return sites;
}

static void apply(MachineProgram& program, const FaultSite& site, const FaultSpec&) {
  for (Nest& nest : program.launches[site.at[0]].descriptors[site.at[1]].nest)
    nest.source_stride = std::min(nest.source_stride, nest.target_stride);
}

extern const Fault fault_schedule_tile_stride;
constinit const Fault fault_schedule_tile_stride{
    .id = "schedule.tile_stride",
    .summary = "a copy advances in device memory by the strides of the tile",
    .mechanism = "schedule.addr",
    .origin = "https://github.com/torch-spyre/torch-spyre/pull/2861",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[70,67]): y = aten.sum.dim_IntList(x, [1]); return y",
};

}  // namespace faultline
