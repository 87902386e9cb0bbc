// All promises of a machine program: each launch, their order, then the plan of device memory. What was emitted is
// looked at before its order, because a wrong address also shows as a race.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/layers/schedule/machine_state.h"
#include "runtime/layers/schedule/schedule.h"
#include "runtime/layers/schedule/verify_order.h"

namespace faultline {

namespace {

class ProgramCheck {
 public:
  ProgramCheck(const TileProgram& tiles, const MachineProgram& program)
      : tiles_(tiles), kernels_(tiles.layout.program), program_(program) {}

  std::vector<Finding> run() {
    for (int launch = 0; launch < static_cast<int>(program_.launches.size()); ++launch) {
      for (auto* verify : {&verify_copies, &verify_emission, &verify_order}) {
        std::vector<Finding> found = (*verify)(tiles_, program_, launch);
        findings_.insert(findings_.end(), found.begin(), found.end());
      }
    }
    check_launches();
    check_host_side();
    for (size_t b = 0; b < kernels_.buffers.size(); ++b) check_allocation(static_cast<int>(b));
    for (size_t i = 0; i < program_.allocations.size(); ++i)
      for (size_t j = 0; j < i; ++j) check_apart(program_.allocations[i], program_.allocations[j]);
    return std::move(findings_);
  }

 private:
  void add(std::string_view promise, const std::string& place, std::string text) {
    findings_.push_back({"schedule", std::string(promise), place, std::move(text)});
  }
  std::string allocation_of(int buffer) const { return "allocation of " + kernels_.buffers[buffer].name; }

  static bool loads(const Kernel& kernel, int buffer) {
    return std::any_of(kernel.nodes.begin(), kernel.nodes.end(), [&](const ScalarNode& node) {
      return node.kind == ScalarNode::Kind::load && node.access.buffer == buffer;
    });
  }
  static bool stores(const Kernel& kernel, int buffer) {
    return std::any_of(kernel.stores.begin(), kernel.stores.end(),
                       [&](const KernelStore& store) { return store.buffer == buffer; });
  }

  // Every kernel is launched once, after those whose results it loads.
  void check_launches() {
    for (int k = 0; k < static_cast<int>(kernels_.kernels.size()); ++k) {
      const auto count = std::count_if(program_.launches.begin(), program_.launches.end(),
                                       [&](const Launch& launch) { return launch.kernel == k; });
      if (count != 1)
        add("operation", "kernel " + kernels_.kernels[k].name, fmt::format("is launched {} times, not once", count));
    }
    for (auto early = program_.launches.begin(); early != program_.launches.end(); ++early)
      for (auto late = early + 1; late != program_.launches.end(); ++late)
        for (const KernelStore& store : kernels_.kernels[late->kernel].stores)
          if (loads(kernels_.kernels[early->kernel], store.buffer))
            add("happens_before", early->name,
                fmt::format("loads {} before {} stores it", kernels_.buffers[store.buffer].name, late->name));
  }

  // What host transfers go by.
  void check_host_side() {
    if (!(program_.buffers == kernels_.buffers && program_.inputs == kernels_.inputs &&
          program_.outputs == kernels_.outputs && program_.write_backs == kernels_.write_backs))
      add("transfer", "host", "buffers, inputs or outputs are not those of the tile program");
    for (size_t b = 0; b < kernels_.buffers.size(); ++b)
      if (b >= program_.layouts.size() || !(program_.layouts[b] == tiles_.layout.layouts[b]))
        add("address", "host, " + kernels_.buffers[b].name, "the layout is not that of the tile program");
  }

  void check_allocation(int buffer) {
    const auto& all = program_.allocations;
    const auto is_mine = [&](const Allocation& each) { return each.buffer == buffer; };
    const auto found = std::find_if(all.begin(), all.end(), is_mine);
    if (found == all.end() || std::count_if(all.begin(), all.end(), is_mine) > 1)
      return add("allocation", allocation_of(buffer), "has no place, or several");
    const int64_t needed = tiles_.layout.layouts[buffer].bytes();
    if (found->bytes < needed)
      add("allocation", allocation_of(buffer),
          fmt::format("holds {} of the {} bytes of its layout", found->bytes, needed));
    if (found->offset < 0 || found->offset + found->bytes > int64_t{1} << kSegmentShift)
      add("allocation", allocation_of(buffer), fmt::format("begins at byte {} of its segment", found->offset));
    check_life(*found);
  }

  void check_life(const Allocation& allocation) {
    const int launches = static_cast<int>(program_.launches.size());
    const auto need = [&](int launch, std::string_view what) {
      if (launch < allocation.first || launch > allocation.last)
        add("allocation", allocation_of(allocation.buffer),
            fmt::format("lives from launch {} to {}, and {} uses it in launch {}", allocation.first, allocation.last,
                        what, launch));
    };
    const BufferRole role = kernels_.buffers[allocation.buffer].role;
    if (role == BufferRole::input) need(-1, "the host");
    for (int l = 0; l < launches; ++l) {
      const Kernel& kernel = kernels_.kernels[program_.launches[l].kernel];
      if (loads(kernel, allocation.buffer) || stores(kernel, allocation.buffer)) need(l, kernel.name);
    }
    if (role == BufferRole::output) need(launches, "the host");
  }

  // Live at the same time, two allocations have a guard zone between them, which is forgotten with either.
  void check_apart(const Allocation& mine, const Allocation& other) {
    const bool together = mine.first <= other.last && other.first <= mine.last;
    if (!together || mine.segment != other.segment || mine.bytes <= 0 || other.bytes <= 0) return;
    const int64_t apart = std::max(mine.offset - other.offset - other.bytes, other.offset - mine.offset - mine.bytes);
    if (apart >= kGuardBytes) return;
    const std::string& name = kernels_.buffers[other.buffer].name;
    add("allocation", allocation_of(mine.buffer),
        apart < 0 ? fmt::format("shares bytes with {}, and both are live", name)
                  : fmt::format("leaves {} bytes to {}, and both are live", apart, name));
  }

  const TileProgram& tiles_;
  const KernelProgram& kernels_;
  const MachineProgram& program_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> verify_schedule(const TileProgram& tiles, const MachineProgram& program) {
  return ProgramCheck(tiles, program).run();
}

}  // namespace faultline
