// Compute instructions and the ring against what the tile program asks for: boxes, masks, addresses, operations, whose
// partial sums are joined. Worked out again from loops and layouts; nothing here calls the emitter.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "runtime/layers/layout/lane_access.h"
#include "runtime/layers/schedule/schedule_policy.h"
#include "runtime/layers/schedule/verify_order.h"

namespace faultline {

namespace {

class EmissionCheck {
 public:
  EmissionCheck(const TileProgram& tiles, const MachineProgram& program, int launch)
      : program_(program),
        tiles_(tiles),
        launch_(program.launches[launch]),
        k_(launch_.kernel),
        tiling_(tiles.kernels[k_]),
        kernel_(tiles.layout.program.kernels[k_]),
        layout_(tiles.layout.kernels[k_]) {}

  std::vector<Finding> run() {
    for (int core = 0; core < core_count(tiling_); ++core) check_core(core);
    if (tiling_.reduction_core_loop >= 0) check_ring();
    if (!(program_.operations[k_] == kernel_)) report_operations();
    return std::move(findings_);
  }

 private:
  void add(std::string_view promise, const std::string& place, std::string text) {
    findings_.push_back({"schedule", std::string(promise), launch_.name + ", " + place, std::move(text)});
  }

  // Instructions of a core that `wanted` accepts, in the order in which they were asked for.
  template <class Wanted>
  std::vector<const Instruction*> of_core(int core, Wanted wanted) const {
    std::vector<const Instruction*> found;
    for (const Stream& stream : launch_.streams)
      for (const Instruction& instruction : stream.instructions)
        if (stream.core == core && wanted(instruction.opcode)) found.push_back(&instruction);
    std::stable_sort(found.begin(), found.end(),
                     [](const Instruction* a, const Instruction* b) { return a->sequence < b->sequence; });
    return found;
  }

  int64_t members() const {
    return tiling_.reduction_core_loop < 0 ? 1 : tiling_.loops[tiling_.reduction_core_loop].extent;
  }
  // Whether every reduction loop that runs in time stands at its first, or last, trip.
  bool at_edge(const LoopPoint& point, bool last) const {
    for (size_t l = 0; l < tiling_.loops.size(); ++l) {
      const Loop& loop = tiling_.loops[l];
      if (loop.kind == LoopKind::sequential && loop.dim >= kernel_.parallel && point[l] != (last ? loop.extent - 1 : 0))
        return false;
    }
    return true;
  }

  // One tile's compute instruction, as it should be.
  struct Turn {
    LoopPoint point;
    int64_t load = 0, store = 0;  // how many tiles the core has loaded and stored before
    bool first = true, last = true, finishing = false;
  };

  std::vector<Turn> turns_of(int core) const {
    std::vector<Turn> turns;
    int64_t stores = 0;
    const bool joined = tiling_.reduction_core_loop >= 0;
    for (const LoopPoint& point : tiles_of_core(tiling_, core)) {
      const bool last = at_edge(point, true) && !joined;
      turns.push_back({point, static_cast<int64_t>(turns.size()), stores, at_edge(point, false), last, false});
      stores += last ? 1 : 0;
    }
    if (joined && !turns.empty() && turns[0].point[tiling_.reduction_core_loop] == members() - 1)
      turns.push_back({turns.back().point, turns.back().load, 0, false, true, true});
    return turns;
  }

  void check_core(int core) {
    const std::vector<Turn> turns = turns_of(core);
    const std::vector<const Instruction*> computes =
        of_core(core, [](Opcode opcode) { return opcode == Opcode::compute; });
    if (computes.size() != turns.size())
      return add("transfer", fmt::format("core {}", core),
                 fmt::format("computes {} tiles of {}", computes.size(), turns.size()));
    for (size_t n = 0; n < turns.size(); ++n)
      check_compute(fmt::format("core {}, compute {}", core, n), turns[n], launch_.computes[computes[n]->compute]);
  }

  void check_compute(const std::string& place, const Turn& turn, const Compute& compute) {
    if (compute.operations != k_) return add("operation", place, "carries out another kernel's operations");
    if (compute.unit != unit_of(kernel_))
      add("operation", place,
          fmt::format("runs on the {} unit, the kernel needs {}", name(compute.unit), name(unit_of(kernel_))));
    if (compute.first != turn.first)
      add("operation", place,
          compute.first ? "clears the sum of the tiles before" : "adds to what the accumulators held before");
    if (compute.last != turn.last)
      add("operation", place, compute.last ? "finishes a sum that goes on" : "does not finish its sum");
    check_masks(place, turn, compute);
    for (const OperandTile& tile : tiling_.operands) {
      if (tile.store >= 0 && !turn.last) continue;
      const auto found =
          std::find_if(compute.operands.begin(), compute.operands.end(),
                       [&](const OperandAddress& each) { return each.node == tile.node && each.store == tile.store; });
      const std::string& buffer = program_.buffers[tile.buffer].name;
      if (found == compute.operands.end()) {
        add("address", place, "has no address of " + buffer);
        continue;
      }
      check_address(place, turn, tile, *found);
      const int64_t group = lane_group(tiles_.layout, k_, operand_access(kernel_, tile));
      if (found->group != group)
        add("address", place, fmt::format("takes {} lanes of {} at a time, not {}", found->group, buffer, group));
    }
  }

  void check_masks(const std::string& place, const Turn& turn, const Compute& compute) {
    Box box = tile_box(tiling_, layout_, turn.point);
    if (turn.finishing)
      for (size_t d = kernel_.parallel; d < box.end.size(); ++d) box.end[d] = box.begin[d];
    if (!(compute.box == box))
      add("mask", place,
          fmt::format("the box is [{}] to [{}], the tile's [{}] to [{}]", fmt::join(compute.box.begin, ","),
                      fmt::join(compute.box.end, ","), fmt::join(box.begin, ","), fmt::join(box.end, ",")));
    if (compute.lane_dim != layout_.lane_dim)
      add("mask", place, fmt::format("lanes run along dim {}, the layout's {}", compute.lane_dim, layout_.lane_dim));
    for (size_t d = 0; d < layout_.valid.size() && d < compute.valid.size(); ++d)
      if (compute.valid[d] != layout_.valid[d])
        add("mask", place,
            fmt::format("dim {} is masked from {} on, the layout says {}", d, compute.valid[d], layout_.valid[d]));
  }

  // The layout's side of an address: where a tile holds an element. One for many elements.
  struct Place {
    const OperandTile& tile;
    DeviceBox touched;
    std::vector<CoordinateTerm> terms;
    std::vector<int64_t> strides;  // bytes, of the tile

    Place(const OperandTile& operand, const DeviceLayout& layout, DeviceBox box)
        : tile(operand), touched(std::move(box)), terms(layout.terms()), strides(terms.size(), layout.element_bytes) {
      for (size_t j = terms.size(); j-- > 1;) strides[j - 1] = strides[j] * tile.extents[j];
    }
    // The indices of a host dim beyond which the tile holds none: what its outermost coordinate spans.
    std::pair<int64_t, int64_t> range(int dim, int64_t size) const {
      for (size_t j = 0; j < terms.size(); ++j)
        if (terms[j].host_dim == dim && terms[j].modulus == 0)
          return {std::max<int64_t>(0, touched.begin[j] * terms[j].step),
                  std::min(size, (touched.begin[j] + touched.extent[j]) * terms[j].step)};
      return {0, size};
    }
    // What the coordinates along one host dim add to the byte offset; -1 where the tile does not hold the index.
    int64_t offset(int dim, int64_t index) const {
      int64_t sum = 0;
      for (size_t j = 0; j < terms.size(); ++j) {
        if (terms[j].host_dim != dim) continue;
        const int64_t at = terms[j].at(index) - touched.begin[j];
        if (at < 0 || at >= touched.extent[j]) return -1;
        sum += at * strides[j];
      }
      return sum;
    }
  };

  static int64_t offset_by_instruction(const OperandAddress& operand, int dim, int64_t index) {
    int64_t offset = 0;
    for (const AddressDim& term : operand.dims) {
      if (term.host_dim != dim) continue;
      const int64_t place = index / term.step;
      offset += ((term.modulus == 0 ? place : place % term.modulus) - term.origin) * term.stride_bytes;
    }
    return offset;
  }

  // Both addresses add up contributions of the host dims, so that it takes every index of each dim alone to compare
  // them. `start` is the first index that the tile holds; `departs` the first at which the instruction has gone another
  // way from there than the layout, or -1.
  struct DimCheck {
    int64_t start = 0, departs = -1;
  };

  static DimCheck check_dim(const Place& where, const OperandAddress& operand, int dim, int64_t size) {
    DimCheck check{-1, -1};
    int64_t apart = 0;
    const auto [begin, end] = where.range(dim, size);
    for (int64_t index = begin; index < end; ++index) {
      const int64_t here = where.offset(dim, index);
      if (here < 0) continue;
      const int64_t difference = offset_by_instruction(operand, dim, index) - here;
      if (check.start < 0) {
        check.start = index;
        apart = difference;
      } else if (difference != apart) {
        check.departs = index;
        break;
      }
    }
    return check;
  }

  void check_address(const std::string& place, const Turn& turn, const OperandTile& tile,
                     const OperandAddress& operand) {
    const Place where(tile, tiles_.layout.layouts[tile.buffer], operand_footprint(tiles_, k_, tile, turn.point));
    if (where.touched.elements() == 0) return;
    const Sizes& sizes = tiles_.layout.program.buffers[tile.buffer].sizes;
    const int64_t number = tile.node >= 0 ? turn.load : turn.store;
    std::vector<int64_t> element;
    std::vector<DimCheck> checks;
    for (int dim = 0; dim < static_cast<int>(sizes.size()); ++dim) {
      checks.push_back(check_dim(where, operand, dim, sizes[dim]));
      element.push_back(checks.back().start);
    }
    const auto addresses = [&] {
      int64_t have = operand.base, want = tile.address + number % tile.buffers * tile.bytes;
      for (int dim = 0; dim < static_cast<int>(sizes.size()); ++dim) {
        have += offset_by_instruction(operand, dim, element[dim]);
        want += where.offset(dim, element[dim]);
      }
      return std::pair(have, want);
    };
    // Where the first element is found, one at which a dim departs is not.
    auto [have, want] = addresses();
    for (size_t dim = 0; dim < checks.size() && have == want; ++dim) {
      if (checks[dim].departs < 0) continue;
      element[dim] = checks[dim].departs;
      std::tie(have, want) = addresses();
    }
    if (have == want) return;
    add("address", fmt::format("{}, {}", place, program_.buffers[tile.buffer].name),
        fmt::format("the instruction finds element ({}) at byte {} of scratch, its tile holds it at byte {}",
                    fmt::join(element, ","), have, want));
  }

  // Cores that differ only in the loop that divides the sum, in its order.
  std::vector<std::vector<int>> groups() const {
    std::map<LoopPoint, std::vector<int>> by_place;
    for (int core = 0; core < core_count(tiling_); ++core) {
      const std::vector<LoopPoint> points = tiles_of_core(tiling_, core);
      if (points.empty()) continue;
      LoopPoint place = points[0];
      place[tiling_.reduction_core_loop] = 0;
      by_place[place].push_back(core);
    }
    std::vector<std::vector<int>> groups;
    for (auto& [place, cores] : by_place) groups.push_back(std::move(cores));
    return groups;
  }

  // Follows who has whose partial sums, in the order in which the hops were asked for.
  void check_ring() {
    struct Hop {
      int core;
      const Instruction* instruction;
    };
    std::vector<Hop> hops;
    std::map<int, std::vector<int>> parts;
    for (int core = 0; core < core_count(tiling_); ++core) {
      parts[core] = {core};
      for (const Instruction* hop :
           of_core(core, [](Opcode opcode) { return opcode == Opcode::send || opcode == Opcode::receive; }))
        hops.push_back({core, hop});
    }
    std::stable_sort(hops.begin(), hops.end(),
                     [](const Hop& a, const Hop& b) { return a.instruction->sequence < b.instruction->sequence; });
    std::map<std::pair<int, int>, std::vector<std::vector<int>>> flying;
    for (const auto& [core, hop] : hops) {
      check_hop(core, *hop);
      if (hop->opcode == Opcode::send) {
        flying[{core, hop->peer}].push_back(parts[core]);
        continue;
      }
      std::vector<std::vector<int>>& arriving = flying[{hop->peer, core}];
      if (arriving.empty()) continue;  // a deadlock
      parts[core].insert(parts[core].begin(), arriving[0].begin(), arriving[0].end());
      arriving.erase(arriving.begin());
    }
    for (const std::vector<int>& group : groups())
      if (parts[group.back()] != group)
        add("transfer", fmt::format("core {}, ring", group.back()),
            fmt::format("joins the partial sums of cores {}, the loop is divided over {}",
                        fmt::join(parts[group.back()], ", "), fmt::join(group, ", ")));
  }

  // A hop names a compute instruction of its own core: its partial sums are what hops.
  void check_hop(int core, const Instruction& hop) {
    const Box box = tile_box(tiling_, layout_, tiles_of_core(tiling_, core)[0]);
    const std::vector<int64_t>& begin = launch_.computes[hop.compute].box.begin;
    if (!std::equal(begin.begin(), begin.begin() + kernel_.parallel, box.begin.begin()))
      add("operation", fmt::format("core {}, ring", core),
          fmt::format("{}s the partial sums of another tile", name(hop.opcode)));
  }

  void report_operations() {
    const Kernel& emitted = program_.operations[k_];
    const size_t common = std::min(emitted.nodes.size(), kernel_.nodes.size());
    for (size_t n = 0; n < common; ++n) {
      ScalarNode node = emitted.nodes[n];
      if (node == kernel_.nodes[n]) continue;
      node.literal = kernel_.nodes[n].literal;
      if (!(node == kernel_.nodes[n]))
        return add("operation", fmt::format("operation {}", n), "the emitted operation is not the kernel's");
      return add("immediate", fmt::format("operation {}", n),
                 fmt::format("the emitted constant is {}, the kernel's {}", to_text(emitted.nodes[n].literal),
                             to_text(node.literal)));
    }
    add("operation", "operations", "the emitted operations are not the kernel's");
  }

  const MachineProgram& program_;
  const TileProgram& tiles_;
  const Launch& launch_;
  int k_;
  const TileKernel& tiling_;
  const Kernel& kernel_;
  const KernelLayout& layout_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> verify_emission(const TileProgram& tiles, const MachineProgram& program, int launch) {
  return EmissionCheck(tiles, program, launch).run();
}

}  // namespace faultline
