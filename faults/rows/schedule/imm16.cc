// An integer constant goes into a field of 16 bits: what does not fit wraps.
#include "faults/machine_edit.h"

namespace faultline {

static int64_t wrapped(int64_t value) { return static_cast<int16_t>(static_cast<uint64_t>(value) & 0xFFFF); }

static std::vector<FaultSite> applies(const MachineProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t l = 0; l < program.launches.size(); ++l) {
    const Kernel& kernel = program.operations[program.launches[l].kernel];
    for (size_t n = 0; n < kernel.nodes.size(); ++n) {
      const ScalarNode& node = kernel.nodes[n];
      if (node.kind == ScalarNode::Kind::literal && !is_float(node.literal.dtype) && !node.literal.neutral &&
          wrapped(node.literal.integer) != node.literal.integer)
        sites.push_back(launch_site(program, l, kernel.stores[0].buffer, -1,
                                    {program.launches[l].kernel, static_cast<int64_t>(n)}));
    }
  }
  return sites;
}

static void apply(MachineProgram& program, const FaultSite& site, const FaultSpec&) {
  int64_t& value = program.operations[site.at[0]].nodes[site.at[1]].literal.integer;
  value = wrapped(value);
}

extern const Fault fault_schedule_imm16;
constinit const Fault fault_schedule_imm16{
    .id = "schedule.imm16",
    .summary = "an integer constant is truncated to 16 bits",
    .mechanism = "schedule.imm",
    .origin = "https://github.com/torch-spyre/torch-spyre/issues/3414",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: i32[67]): y = aten.add.Scalar(x, 70000); return y",
};

}  // namespace faultline
