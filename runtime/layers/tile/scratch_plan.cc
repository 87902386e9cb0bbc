// A buffer stays only if every core stores and loads exactly the same part of it in a single tile: then what one kernel
// left is what the next one would have fetched. Barred are graph inputs and outputs, movement kernels at either end
// (they exchange between cores) and sums divided over cores.
#include "runtime/layers/tile/scratch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "runtime/base/error.h"

namespace faultline {

namespace {

struct Use {
  int kernel = 0;
  size_t operand = 0;
};

std::vector<Use> uses_of(const TileProgram& program, int buffer) {
  std::vector<Use> uses;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    for (size_t o = 0; o < program.kernels[k].operands.size(); ++o) {
      if (program.kernels[k].operands[o].buffer == buffer) uses.push_back({static_cast<int>(k), o});
    }
  }
  return uses;
}

const OperandTile& operand_of(const TileProgram& program, const Use& use) {
  return program.kernels[use.kernel].operands[use.operand];
}

std::string user_problem(const TileProgram& program, const Use& use) {
  const TileKernel& kernel = program.kernels[use.kernel];
  const std::string& name = program.layout.program.kernels[use.kernel].name;
  if (is_movement(program.layout, use.kernel)) return fmt::format("{} is a movement kernel", name);
  if (kernel.reduction_core_loop >= 0) return fmt::format("{} divides its sum over cores", name);
  const size_t tiles = tiles_of_core(kernel, 0).size();
  return tiles == 1 ? "" : fmt::format("{} works in {} tiles a core", name, tiles);
}

struct Range {
  int64_t begin = 0, end = 0;
};

// The least aligned address at which `bytes` bytes overlap none of `taken`.
int64_t first_fit(std::vector<Range> taken, int64_t bytes, int64_t alignment) {
  std::sort(taken.begin(), taken.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  int64_t address = 0;
  for (const Range& range : taken) {
    if (address + bytes <= range.begin) break;
    address = std::max(address, (range.end + alignment - 1) / alignment * alignment);
  }
  return address;
}

bool live_in(const Residency& residency, int first, int last) {
  return residency.first <= last && first <= residency.last;
}

std::vector<Range> resident_ranges(const TileProgram& program, int first, int last) {
  std::vector<Range> ranges;
  for (const Residency& residency : program.residencies) {
    if (live_in(residency, first, last)) ranges.push_back({residency.address, residency.address + residency.bytes});
  }
  return ranges;
}

// Places the operands of one kernel around the residencies; false when they do not fit.
bool place_operands(TileProgram& program, int kernel) {
  std::vector<OperandTile*> order;
  for (OperandTile& operand : program.kernels[kernel].operands) order.push_back(&operand);
  const auto key = [&program](const OperandTile* operand) {
    return std::tuple(std::string_view(program.layout.program.buffers[operand->buffer].name), operand->store,
                      operand->node);
  };
  std::sort(order.begin(), order.end(), [&key](const OperandTile* a, const OperandTile* b) { return key(a) < key(b); });
  std::vector<Range> taken = resident_ranges(program, kernel, kernel);
  for (OperandTile* operand : order) {
    if (const Residency* residency = residency_of(program, operand->buffer)) {
      operand->address = residency->address;
      continue;
    }
    const int64_t bytes = operand->bytes * operand->buffers;
    operand->address = first_fit(taken, bytes, program.scratch_alignment);
    if (operand->address + bytes > program.scratch_bytes) return false;
    taken.push_back({operand->address, operand->address + bytes});
  }
  return true;
}

void keep_resident(TileProgram& program, int buffer) {
  Residency residency;
  residency.buffer = buffer;
  const std::vector<Use> uses = uses_of(program, buffer);
  residency.first = uses.front().kernel;
  residency.last = uses.back().kernel;
  residency.bytes = operand_of(program, uses.front()).bytes;
  residency.address =
      first_fit(resident_ranges(program, residency.first, residency.last), residency.bytes, program.scratch_alignment);
  program.residencies.push_back(residency);
  bool fits = residency.address + residency.bytes <= program.scratch_bytes;
  for (int k = residency.first; fits && k <= residency.last; ++k) fits = place_operands(program, k);
  if (!fits) program.residencies.pop_back();
}

}  // namespace

std::string residency_problem(const TileProgram& program, int buffer) {
  const KernelProgram& kernels = program.layout.program;
  if (kernels.buffers[buffer].role != BufferRole::intermediate) return "it is an input or an output";
  const std::vector<Use> uses = uses_of(program, buffer);
  if (uses.size() < 2 || operand_of(program, uses.front()).store < 0) return "it is not stored and then loaded";
  for (const Use& use : uses) {
    if (const std::string problem = user_problem(program, use); !problem.empty()) return problem;
  }
  return share_problem(program, buffer);
}

std::string share_problem(const TileProgram& program, int buffer) {
  const KernelProgram& kernels = program.layout.program;
  const std::vector<Use> uses = uses_of(program, buffer);
  if (uses.empty()) return "";
  const Use& producer = uses.front();
  const int64_t cores = core_count(program.kernels[producer.kernel]);
  for (const Use& use : uses) {
    const std::string& name = kernels.kernels[use.kernel].name;
    if (core_count(program.kernels[use.kernel]) != cores) {
      return fmt::format("{} works on {} cores, not {}", name, core_count(program.kernels[use.kernel]), cores);
    }
    for (int64_t core = 0; core < cores; ++core) {
      const DeviceBox stored = operand_footprint(program, producer.kernel, operand_of(program, producer),
                                                 tiles_of_core(program.kernels[producer.kernel], core).front());
      const DeviceBox used = operand_footprint(program, use.kernel, operand_of(program, use),
                                               tiles_of_core(program.kernels[use.kernel], core).front());
      if (stored != used) return fmt::format("{} works on another part of it on core {}", name, core);
    }
  }
  return "";
}

void plan_scratch(TileProgram& program, const TilePolicy& policy) {
  program.residencies.clear();
  if (policy.residency()) {
    std::vector<std::tuple<int, std::string, int>> candidates;
    for (int b = 0; b < static_cast<int>(program.layout.program.buffers.size()); ++b) {
      if (!residency_problem(program, b).empty()) continue;
      candidates.emplace_back(uses_of(program, b).front().kernel, program.layout.program.buffers[b].name, b);
    }
    std::sort(candidates.begin(), candidates.end());
    for (const auto& [kernel, name, buffer] : candidates) keep_resident(program, buffer);
  }
  for (int k = 0; k < static_cast<int>(program.kernels.size()); ++k) {
    FAULTLINE_CHECK(place_operands(program, k), program.layout.program.kernels[k].name);
  }
}

}  // namespace faultline
