// All promises of a machine program: each launch, then the plan of device memory.
#include <fmt/format.h>

#include "runtime/layers/schedule/schedule.h"
#include "runtime/layers/schedule/verify_order.h"

namespace faultline {

static void verify_allocations(const TileProgram& tiles, const MachineProgram& program,
                               std::vector<Finding>& findings) {
  const auto add = [&](const Allocation& allocation, std::string text) {
    findings.push_back(
        {"schedule", "allocation", "allocation of " + program.buffers[allocation.buffer].name, std::move(text)});
  };
  for (size_t i = 0; i < program.allocations.size(); ++i) {
    const Allocation& mine = program.allocations[i];
    const int64_t needed = tiles.layout.layouts[mine.buffer].bytes();
    if (mine.bytes < needed) add(mine, fmt::format("holds {} of the {} bytes of its layout", mine.bytes, needed));
    for (size_t j = 0; j < i; ++j) {
      const Allocation& other = program.allocations[j];
      const bool together = mine.first <= other.last && other.first <= mine.last;
      const bool meet = mine.segment == other.segment && mine.offset < other.offset + other.bytes &&
                        other.offset < mine.offset + mine.bytes;
      if (together && meet && mine.bytes > 0 && other.bytes > 0)
        add(mine, fmt::format("shares bytes with {}, and both are live", program.buffers[other.buffer].name));
    }
  }
}

std::vector<Finding> verify_schedule(const TileProgram& tiles, const MachineProgram& program) {
  std::vector<Finding> findings;
  for (int launch = 0; launch < static_cast<int>(program.launches.size()); ++launch) {
    for (auto* verify : {&verify_order, &verify_emission}) {
      std::vector<Finding> found = (*verify)(tiles, program, launch);
      findings.insert(findings.end(), found.begin(), found.end());
    }
  }
  verify_allocations(tiles, program, findings);
  return findings;
}

}  // namespace faultline
