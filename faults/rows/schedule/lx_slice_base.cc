// Two slices of one buffer are operands of an instruction, and the second is looked for where the first lies: the
// slice's offset is missing from its scratch base.
#include "faults/machine_edit.h"

namespace faultline {

// Addressed alike within their tiles, which begin at different places of the buffer.
static bool are_slices(const std::vector<AddressDim>& a, const std::vector<AddressDim>& b) {
  if (a.size() != b.size()) return false;
  bool apart = false;
  for (size_t d = 0; d < a.size(); ++d) {
    AddressDim moved = b[d];
    moved.origin = a[d].origin;
    if (!(moved == a[d])) return false;
    apart = apart || b[d].origin != a[d].origin;
  }
  return apart;
}

static std::vector<FaultSite> applies(const MachineProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t l = 0; l < program.launches.size(); ++l) {
    const Launch& launch = program.launches[l];
    const std::vector<ScalarNode>& nodes = program.operations[launch.kernel].nodes;
    for (size_t c = 0; c < launch.computes.size(); ++c) {
      const std::vector<OperandAddress>& operands = launch.computes[c].operands;
      for (size_t b = 1; b < operands.size(); ++b) {
        for (size_t a = 0; a < b; ++a) {
          if (operands[a].node < 0 || operands[b].node < 0 || operands[a].base == operands[b].base) continue;
          const int buffer = nodes[operands[a].node].access.buffer;
          if (nodes[operands[b].node].access.buffer != buffer) continue;
          if (!are_slices(operands[a].dims, operands[b].dims)) continue;
          sites.push_back(launch_site(
              program, l, buffer, -1,
              {static_cast<int64_t>(l), static_cast<int64_t>(c), static_cast<int64_t>(a), static_cast<int64_t>(b)}));
          break;
        }
      }
    }
  }
  return sites;
}

static void apply(MachineProgram& program, const FaultSite& site, const FaultSpec&) {
  std::vector<OperandAddress>& operands = program.launches[site.at[0]].computes[site.at[1]].operands;
  operands[site.at[3]].base = operands[site.at[2]].base;
}

extern const Fault fault_schedule_lx_slice_base;
constinit const Fault fault_schedule_lx_slice_base{
    .id = "schedule.lx_slice_base",
    .summary = "the second of two slices of a buffer is read at the scratch base of the first",
    .mechanism = "schedule.addr",
    .origin = "https://github.com/torch-spyre/torch-spyre/pull/2683",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example =
        "def f(x: f16[5,128]): a = aten.slice.Tensor(x, 1, 0, 64); b = aten.slice.Tensor(x, 1, 64, 128); "
        "y = aten.add.Tensor(a, b); return y",
};

}  // namespace faultline
