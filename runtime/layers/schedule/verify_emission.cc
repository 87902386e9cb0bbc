// What was emitted against what the tile program asks for: bytes moved, addresses, masks, operations. Worked out again
// from footprints and layouts; nothing here calls the emitter.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "runtime/layers/schedule/verify_order.h"

namespace faultline {

namespace {

using Interval = std::pair<int64_t, int64_t>;

std::vector<Interval> merged(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end());
  std::vector<Interval> result;
  for (const Interval& interval : intervals) {
    if (interval.second <= interval.first) continue;
    if (!result.empty() && interval.first <= result.back().second)
      result.back().second = std::max(result.back().second, interval.second);
    else
      result.push_back(interval);
  }
  return result;
}

int64_t total(const std::vector<Interval>& intervals) {
  int64_t bytes = 0;
  for (const Interval& interval : intervals) bytes += interval.second - interval.first;
  return bytes;
}

// Device bytes of a box, one interval a row of the innermost dim.
void add_box(const DeviceLayout& layout, const DeviceBox& box, std::vector<Interval>& intervals) {
  if (box.elements() == 0) return;
  const std::vector<int64_t> strides = layout.strides();
  std::vector<int64_t> at(box.extent.size(), 0);
  for (bool more = true; more;) {
    int64_t offset = 0;
    for (size_t j = 0; j < at.size(); ++j) offset += (box.begin[j] + at[j]) * strides[j];
    intervals.emplace_back(offset * layout.element_bytes, (offset + box.extent.back()) * layout.element_bytes);
    size_t j = at.size() - 1;
    while (j > 0 && ++at[j - 1] == box.extent[j - 1]) at[--j] = 0;
    more = j > 0;
  }
}

void add_descriptor(const Descriptor& descriptor, bool load, std::vector<Interval>& intervals) {
  std::vector<int64_t> pieces = {load ? descriptor.source.offset : descriptor.target.offset};
  for (const Nest& nest : descriptor.nest) {
    std::vector<int64_t> next;
    for (const int64_t piece : pieces)
      for (int64_t i = 0; i < nest.count; ++i)
        next.push_back(piece + i * (load ? nest.source_stride : nest.target_stride));
    pieces = std::move(next);
  }
  for (const int64_t piece : pieces) intervals.emplace_back(piece, piece + descriptor.bytes);
}

class EmissionCheck {
 public:
  EmissionCheck(const TileProgram& tiles, const MachineProgram& program, int launch)
      : program_(program), tiles_(tiles), launch_(program.launches[launch]), k_(launch_.kernel) {}

  std::vector<Finding> run() {
    check_transfers();
    check_computes();
    if (!(program_.operations[k_] == kernel())) report_operations();
    return std::move(findings_);
  }

 private:
  const Kernel& kernel() const { return tiles_.layout.program.kernels[k_]; }
  void add(std::string_view promise, const std::string& place, std::string text) {
    findings_.push_back({"schedule", std::string(promise), launch_.name + ", " + place, std::move(text)});
  }

  // By (core, buffer, direction): the bytes the tiles' footprints need, and those the descriptors move.
  struct Moved {
    std::vector<Interval> wanted, moved;
  };
  using MoveKey = std::tuple<int, int, bool>;

  void check_transfers() {
    std::map<MoveKey, Moved> moves;
    const TileKernel& tiling = tiles_.kernels[k_];
    const int64_t cores = core_count(tiling);
    const int64_t members = tiling.reduction_core_loop < 0 ? 1 : tiling.loops[tiling.reduction_core_loop].extent;
    for (int64_t core = 0; core < cores; ++core)
      for (const LoopPoint& point : tiles_of_core(tiling, core)) {
        const bool storing = members == 1 || point[tiling.reduction_core_loop] == members - 1;
        for (const OperandTile& operand : tiling.operands) {
          if (residency_of(tiles_, operand.buffer) != nullptr || (operand.store >= 0 && !storing)) continue;
          add_box(program_.layouts[operand.buffer], operand_footprint(tiles_, k_, operand, point),
                  moves[{static_cast<int>(core), operand.buffer, operand.node >= 0}].wanted);
        }
      }
    for (const Stream& stream : launch_.streams)
      for (const Instruction& instruction : stream.instructions) {
        if (instruction.opcode != Opcode::copy) continue;
        const Descriptor& descriptor = launch_.descriptors[instruction.descriptor];
        const bool load = descriptor.source.space == Space::device;
        add_descriptor(descriptor, load,
                       moves[{stream.core, load ? descriptor.source.buffer : descriptor.target.buffer, load}].moved);
      }
    for (auto& [key, move] : moves) compare(key, merged(move.wanted), merged(move.moved));
  }

  void compare(const MoveKey& key, const std::vector<Interval>& wanted, const std::vector<Interval>& moved) {
    if (wanted == moved) return;
    const auto& [core, buffer, load] = key;
    const DeviceLayout& layout = program_.layouts[buffer];
    const int64_t stick = layout.dims.back().extent * layout.element_bytes;
    std::vector<Interval> both = wanted;
    both.insert(both.end(), moved.begin(), moved.end());
    const int64_t outside = total(merged(both)) - total(wanted);
    const std::string place =
        fmt::format("core {}, {} of {}", core, load ? "load" : "store", program_.buffers[buffer].name);
    if (outside == 0) {
      add("transfer", place,
          fmt::format("descriptors move {} of {} sticks ({} of {} bytes)", total(moved) / stick, total(wanted) / stick,
                      total(moved), total(wanted)));
    } else {
      add("transfer", place,
          fmt::format("descriptors move {} bytes outside the {} that the tiles need", outside, total(wanted)));
    }
  }

  void check_computes() {
    std::map<int, size_t> next;
    for (const Stream& stream : launch_.streams) {
      if (stream.engine != Engine::compute) continue;
      const std::vector<LoopPoint> points = tiles_of_core(tiles_.kernels[k_], stream.core);
      size_t n = 0;
      for (const Instruction& instruction : stream.instructions) {
        if (instruction.opcode != Opcode::compute) continue;
        const Compute& compute = launch_.computes[instruction.compute];
        const bool finishing = n == points.size() && !points.empty() && !compute.first;
        if (n >= points.size() && !finishing) {
          add("transfer", fmt::format("core {}", stream.core), "computes more tiles than it has");
          break;
        }
        check_compute(stream.core, finishing ? points.back() : points[n], compute, finishing);
        ++n;
      }
      if (n < points.size())
        add("mask", fmt::format("core {}", stream.core), fmt::format("computes {} of {} tiles", n, points.size()));
    }
  }

  void check_compute(int core, const LoopPoint& point, const Compute& compute, bool finishing) {
    const KernelLayout& layout = tiles_.layout.kernels[k_];
    const std::string place = fmt::format("core {}, compute", core);
    Box box = tile_box(tiles_.kernels[k_], layout, point);
    if (finishing)
      for (size_t d = kernel().parallel; d < box.end.size(); ++d) box.end[d] = box.begin[d];
    if (!(compute.box == box)) add("mask", place, "the instruction's box is not the tile's");
    if (compute.lane_dim != layout.lane_dim) add("mask", place, "lanes run along another dim than the layout's");
    for (size_t d = 0; d < compute.valid.size(); ++d)
      if (compute.valid[d] != layout.valid[d])
        add("mask", place,
            fmt::format("dim {} is masked from {} on, the layout says {}", d, compute.valid[d], layout.valid[d]));
    for (const OperandAddress& operand : compute.operands) check_address(core, point, box, operand);
  }

  // The address of the box's corners, by the layout and by the instruction.
  void check_address(int core, const LoopPoint& point, const Box& box, const OperandAddress& operand) {
    const OperandTile* tile = nullptr;
    for (const OperandTile& candidate : tiles_.kernels[k_].operands)
      if (candidate.node == operand.node && candidate.store == operand.store) tile = &candidate;
    if (tile == nullptr)
      return add("address", fmt::format("core {}", core), "an operand that the tile program does not have");
    const Access access = operand_access(kernel(), *tile);
    for (const Coordinate& coordinate : access.coordinates)
      if (coordinate.indirect >= 0) return;
    const DeviceBox touched = operand_footprint(tiles_, k_, *tile, point);
    if (touched.elements() == 0) return;
    const bool slot_known = operand.base >= tile->address &&
                            operand.base < tile->address + tile->bytes * tile->buffers &&
                            (operand.base - tile->address) % std::max<int64_t>(1, tile->bytes) == 0;
    for (int corner = 0; corner < (1 << std::min<size_t>(6, box.begin.size())); ++corner) {
      std::vector<int64_t> index;
      for (size_t d = 0; d < box.begin.size(); ++d) {
        const int64_t end = std::min(box.end[d], tiles_.layout.kernels[k_].valid[d]);
        index.push_back((corner >> std::min<size_t>(5, d)) & 1 ? std::max(box.begin[d], end - 1) : box.begin[d]);
      }
      std::vector<int64_t> host;
      bool inside = true;
      for (size_t c = 0; c < access.coordinates.size(); ++c) {
        host.push_back(access.coordinates[c].affine.at(index));
        inside = inside && host.back() >= 0 && host.back() < program_.buffers[tile->buffer].sizes[c];
      }
      if (!inside) continue;
      if (slot_known && offset_by_layout(*tile, touched, host) == offset_by_instruction(operand, host)) continue;
      return add("address", fmt::format("core {}, {}", core, program_.buffers[tile->buffer].name),
                 fmt::format("the instruction finds element ({}) at byte {} of scratch, its tile holds it at byte {}",
                             fmt::join(host, ","), operand.base + offset_by_instruction(operand, host),
                             tile->address + offset_by_layout(*tile, touched, host)));
    }
  }

  int64_t offset_by_layout(const OperandTile& tile, const DeviceBox& touched, const std::vector<int64_t>& host) const {
    const DeviceLayout& layout = program_.layouts[tile.buffer];
    const std::vector<int64_t> at = layout.coordinates(host);
    int64_t offset = 0;
    for (size_t j = 0; j < at.size(); ++j) offset = offset * tile.extents[j] + (at[j] - touched.begin[j]);
    return offset * layout.element_bytes;
  }

  static int64_t offset_by_instruction(const OperandAddress& operand, const std::vector<int64_t>& host) {
    int64_t offset = 0;
    for (const AddressDim& dim : operand.dims) {
      int64_t place = host[dim.host_dim] / dim.step;
      if (dim.modulus != 0) place %= dim.modulus;
      offset += (place - dim.origin) * dim.stride_bytes;
    }
    return offset;
  }

  void report_operations() {
    const Kernel& emitted = program_.operations[k_];
    const size_t common = std::min(emitted.nodes.size(), kernel().nodes.size());
    for (size_t n = 0; n < common; ++n)
      if (!(emitted.nodes[n] == kernel().nodes[n]))
        return add("operation", fmt::format("operation {}", n), "the emitted operation is not the kernel's");
    add("operation", "operations", "the emitted operations are not the kernel's");
  }

  const MachineProgram& program_;
  const TileProgram& tiles_;
  const Launch& launch_;
  int k_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> verify_emission(const TileProgram& tiles, const MachineProgram& program, int launch) {
  return EmissionCheck(tiles, program, launch).run();
}

}  // namespace faultline
