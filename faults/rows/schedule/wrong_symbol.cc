// The copy of an operand carries the symbol of another buffer of the same shape, so x + y becomes x + x.
#include "faults/machine_edit.h"

namespace faultline {

// The first other buffer that the launch copies in and that is laid out alike, or -1.
static int twin_of(const MachineProgram& program, const Launch& launch, int buffer) {
  for (const Descriptor& descriptor : launch.descriptors) {
    const int other = descriptor.source.buffer;
    if (is_load(descriptor) && other != buffer && program.layouts[other] == program.layouts[buffer] &&
        program.buffers[other].sizes == program.buffers[buffer].sizes)
      return other;
  }
  return -1;
}

// The buffer that is copied in later takes the place of the other.
static std::vector<FaultSite> applies(const MachineProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t l = 0; l < program.launches.size(); ++l) {
    const Launch& launch = program.launches[l];
    for (const Stream& stream : launch.streams) {
      for (const Instruction& instruction : stream.instructions) {
        if (instruction.opcode != Opcode::copy) continue;
        const Descriptor& descriptor = launch.descriptors[instruction.descriptor];
        const int twin = is_load(descriptor) ? twin_of(program, launch, descriptor.source.buffer) : -1;
        if (twin >= 0 && twin < descriptor.source.buffer)
          sites.push_back(launch_site(program, l, descriptor.source.buffer, stream.core,
                                      {static_cast<int64_t>(l), instruction.descriptor, twin}));
      }
    }
  }
  return sites;
}

static void apply(MachineProgram& program, const FaultSite& site, const FaultSpec&) {
  program.launches[site.at[0]].descriptors[site.at[1]].source.buffer = static_cast<int>(site.at[2]);
}

extern const Fault fault_schedule_wrong_symbol;
constinit const Fault fault_schedule_wrong_symbol{
    .id = "schedule.wrong_symbol",
    .summary = "the copy of an operand names another buffer of the same shape",
    .mechanism = "schedule.reloc",
    .origin = "https://github.com/openxla/xla/issues/49119",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(a: f16[67], b: f16[67]): y = aten.add.Tensor(a, b); return y",
};

}  // namespace faultline
