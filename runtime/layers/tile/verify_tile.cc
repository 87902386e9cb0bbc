// Coverage is checked dim by dim, which is exact because loops of different dims are independent; footprints, spans and
// residencies by walking every tile of every core.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/layers/tile/scratch_plan.h"
#include "runtime/layers/tile/tile.h"

namespace faultline {

namespace {

class Verifier {
 public:
  Verifier(const TileProgram& program, const TilePolicy& policy) : program_(program), policy_(policy) {}

  std::vector<Finding> take() {
    if (program_.scratch_bytes > policy_.scratch_bytes() || program_.cores > policy_.cores()) {
      add("capacity", "program",
          fmt::format("plans for {} cores of {} bytes, there are {} of {}", program_.cores, program_.scratch_bytes,
                      policy_.cores(), policy_.scratch_bytes()));
    }
    for (kernel_ = 0; kernel_ < static_cast<int>(program_.kernels.size()); ++kernel_) {
      check_loops();
      check_operand_list();
      check_tiles();
      check_scratch();
    }
    for (const Residency& residency : program_.residencies) check_residency(residency);
    return std::move(findings_);
  }

 private:
  const Kernel& source() const { return program_.layout.program.kernels[kernel_]; }
  const KernelLayout& layout() const { return program_.layout.kernels[kernel_]; }
  const TileKernel& tiles() const { return program_.kernels[kernel_]; }
  const std::string& buffer_name(int buffer) const { return program_.layout.program.buffers[buffer].name; }
  std::string place() const { return fmt::format("kernel {} {}", kernel_, source().name); }
  std::string place(const OperandTile& operand) const {
    return operand.node >= 0 ? fmt::format("{}, load {} of {}", place(), operand.node, buffer_name(operand.buffer))
                             : fmt::format("{}, store {} of {}", place(), operand.store, buffer_name(operand.buffer));
  }
  void add(std::string promise, std::string place, std::string text) {
    findings_.push_back({"tile", std::move(promise), std::move(place), std::move(text)});
  }

  void check_loops() {
    int divided = -1;
    for (size_t l = 0; l < tiles().loops.size(); ++l) {
      const Loop& loop = tiles().loops[l];
      if (loop.kind != LoopKind::core || loop.dim < source().parallel || loop.extent == 1) continue;
      if (divided >= 0)
        add("coverage", place(), fmt::format("loops {} and {} both divide a sum over cores", divided, l));
      divided = static_cast<int>(l);
    }
    if (divided != tiles().reduction_core_loop) {
      add("joined", place(),
          fmt::format("the sum is joined over loop {}, and divided over loop {}", tiles().reduction_core_loop,
                      divided));
    }
    for (const Loop& loop : tiles().loops) {
      if (divided < 0 || loop.kind != LoopKind::sequential || loop.dim >= source().parallel || loop.extent == 1)
        continue;
      add("joined", fmt::format("{}, dim {}", place(), loop.dim),
          fmt::format("{} tiles a core, while loop {} divides the sum over cores", loop.extent, divided));
    }
    if (core_count(tiles()) > program_.cores) {
      add("coverage", place(), fmt::format("works on {} cores of {}", core_count(tiles()), program_.cores));
    }
    for (int d = 0; d < static_cast<int>(layout().padded.size()); ++d) check_dim(d);
    for (const Loop& loop : tiles().loops) {
      if (loop.kind == LoopKind::vector || loop.dim != layout().lane_dim || loop.step % layout().lanes == 0) continue;
      add("whole", fmt::format("{}, dim {}", place(), loop.dim),
          fmt::format("{} loop advances by {} of sticks of {}", name(loop.kind), loop.step, layout().lanes));
    }
  }

  // Points that one tile holds along a dim, by its vector loops, which must count 0, 1, 2, ... without gap or
  // repetition.
  int64_t tile_span(int dim) {
    std::vector<const Loop*> loops;
    for (const Loop& loop : tiles().loops) {
      if (loop.kind == LoopKind::vector && loop.dim == dim) loops.push_back(&loop);
    }
    std::stable_sort(loops.begin(), loops.end(), [](const Loop* a, const Loop* b) { return a->step < b->step; });
    int64_t span = 1;
    for (const Loop* loop : loops) {
      if (loop->extent != 1 && loop->step != span) {
        add("coverage", fmt::format("{}, dim {}", place(), dim),
            fmt::format("vector loop advances by {} over tiles of {}", loop->step, span));
      }
      span *= loop->extent;
    }
    return span;
  }

  void check_dim(int dim) {
    const int64_t span = tile_span(dim);
    const int64_t size = std::min(layout().padded[dim], layout().valid[dim]);
    std::vector<int64_t> begins = {0};
    for (const Loop& loop : tiles().loops) {
      if (loop.kind == LoopKind::vector || loop.dim != dim) continue;
      std::vector<int64_t> more;
      for (const int64_t begin : begins) {
        for (int64_t counter = 0; counter < loop.extent; ++counter) more.push_back(begin + counter * loop.step);
      }
      begins = std::move(more);
    }
    std::sort(begins.begin(), begins.end());
    int64_t covered = 0;  // [0, covered) is covered, and nothing beyond by the tiles looked at
    const std::string where = fmt::format("{}, dim {}", place(), dim);
    for (const int64_t begin : begins) {
      if (begin >= size || span == 0) continue;
      if (begin > covered) add("gap", where, fmt::format("no tile holds [{},{}) of {}", covered, begin, size));
      if (begin < covered) {
        add("once", where, fmt::format("two tiles hold [{},{}) of {}", begin, std::min(covered, begin + span), size));
      }
      covered = std::max(covered, std::min(begin + span, size));
    }
    if (covered < size)
      add(size - covered < core_share(dim) ? "coverage" : "gap", where,
          fmt::format("tiles cover [0,{}) of {}", covered, size));
  }

  // Points of a dim that one core works on; all where it is not divided over cores.
  int64_t core_share(int dim) const {
    int64_t share = layout().padded[dim] + 1;
    for (const Loop& loop : tiles().loops)
      if (loop.kind == LoopKind::core && loop.dim == dim && loop.step > 0) share = std::min(share, loop.step);
    return share;
  }

  void check_operand_list() {
    std::vector<int> loads(source().nodes.size(), 0), stores(source().stores.size(), 0);
    for (const OperandTile& operand : tiles().operands) {
      ++(operand.node >= 0 ? loads[operand.node] : stores[operand.store]);
      if (operand_access(source(), operand).buffer == operand.buffer) continue;
      add("footprint", place(operand),
          fmt::format("the access is to {}", buffer_name(operand_access(source(), operand).buffer)));
    }
    for (size_t n = 0; n < loads.size(); ++n) {
      const int wanted = source().nodes[n].kind == ScalarNode::Kind::load ? 1 : 0;
      if (loads[n] != wanted)
        add("footprint", place(), fmt::format("node {} has {} tiles and needs {}", n, loads[n], wanted));
    }
    for (size_t s = 0; s < stores.size(); ++s) {
      if (stores[s] != 1) add("footprint", place(), fmt::format("store {} has {} tiles and needs 1", s, stores[s]));
    }
  }

  void check_tiles() {
    for (const OperandTile& operand : tiles().operands) {
      int64_t bytes = program_.layout.layouts[operand.buffer].flat_element_bytes();
      for (const int64_t extent : operand.extents) bytes *= extent;
      if (bytes > operand.bytes) {
        add("footprint", place(operand), fmt::format("extents take {} bytes and have {}", bytes, operand.bytes));
      }
      check_footprints(operand);
    }
  }

  // One finding an operand: the first tile that does not fit, the first core that spans too much.
  void check_footprints(const OperandTile& operand) {
    bool fits = true, spans = true;
    for (int64_t core = 0; core < core_count(tiles()) && (fits || spans); ++core) {
      DeviceBox all;
      for (const LoopPoint& point : tiles_of_core(tiles(), core)) {
        const DeviceBox box = operand_footprint(program_, kernel_, operand, point);
        for (size_t j = 0; j < box.extent.size() && fits; ++j) {
          if (box.extent[j] <= operand.extents[j]) continue;
          add("footprint", place(operand),
              fmt::format("core {} touches {} positions of device dim {}, the tile holds {}", core, box.extent[j], j,
                          operand.extents[j]));
          fits = false;
        }
        enclose(all, box);
      }
      const int64_t span = all.extent.empty() ? 0 : span_bytes(all, program_.layout.layouts[operand.buffer]);
      if (!spans || policy_.span_limit() == 0 || span <= policy_.span_limit()) continue;
      add("span", place(operand),
          fmt::format("core {} spans {} bytes, the limit is {}", core, span, policy_.span_limit()));
      spans = false;
    }
  }

  static void enclose(DeviceBox& all, const DeviceBox& box) {
    if (box.elements() == 0) return;
    if (all.extent.empty()) {
      all = box;
      return;
    }
    for (size_t j = 0; j < box.extent.size(); ++j) {
      const int64_t end = std::max(all.begin[j] + all.extent[j], box.begin[j] + box.extent[j]);
      all.begin[j] = std::min(all.begin[j], box.begin[j]);
      all.extent[j] = end - all.begin[j];
    }
  }

  struct Range {
    std::string what;
    int64_t begin = 0, end = 0;
    int first = 0, last = 0;
  };

  void check_range(const Range& range, const std::string& where) {
    if (range.begin < 0 || range.end > program_.scratch_bytes) {
      add("capacity", where,
          fmt::format("{} takes bytes [{},{}) of {}", range.what, range.begin, range.end, program_.scratch_bytes));
    }
    if (range.begin % program_.scratch_alignment != 0) {
      add("alignment", where,
          fmt::format("{} begins at byte {}, no multiple of {}", range.what, range.begin, program_.scratch_alignment));
    }
  }

  void check_scratch() {
    std::vector<Range> ranges;
    for (const Residency& residency : program_.residencies) {
      if (residency.first > kernel_ || residency.last < kernel_) continue;
      ranges.push_back({buffer_name(residency.buffer) + " (resident)", residency.address,
                        residency.address + residency.bytes, residency.first, residency.last});
    }
    const size_t residents = ranges.size();
    for (const OperandTile& operand : tiles().operands) {
      if (residency_of(program_, operand.buffer)) continue;
      ranges.push_back({buffer_name(operand.buffer), operand.address, operand.address + operand.bytes * operand.buffers,
                        kernel_, kernel_});
      check_range(ranges.back(), place(operand));
    }
    for (size_t a = 0; a < ranges.size(); ++a) {
      for (size_t b = a + 1; b < ranges.size(); ++b) {
        const bool overlap = ranges[a].begin < ranges[b].end && ranges[b].begin < ranges[a].end;
        // Two residencies are reported once, by the first kernel in which both live.
        if (!overlap || (b < residents && kernel_ != std::max(ranges[a].first, ranges[b].first))) continue;
        add("overlap", place(),
            fmt::format("{} [{},{}) and {} [{},{}) share bytes", ranges[a].what, ranges[a].begin, ranges[a].end,
                        ranges[b].what, ranges[b].begin, ranges[b].end));
      }
    }
  }

  void check_residency(const Residency& residency) {
    const std::string where = fmt::format("resident {}", buffer_name(residency.buffer));
    check_range({buffer_name(residency.buffer), residency.address, residency.address + residency.bytes, 0, 0}, where);
    if (const std::string problem = residency_problem(program_, residency.buffer); !problem.empty()) {
      add(problem == share_problem(program_, residency.buffer) ? "shares" : "residency", where, problem);
      return;
    }
    for (int k = 0; k < static_cast<int>(program_.kernels.size()); ++k) {
      for (const OperandTile& operand : program_.kernels[k].operands) {
        if (operand.buffer != residency.buffer) continue;
        const std::string& user = program_.layout.program.kernels[k].name;
        if (k < residency.first || k > residency.last) {
          add("residency", where,
              fmt::format("{} uses it, outside its life from kernel {} to {}", user, residency.first, residency.last));
        } else if (operand.address != residency.address) {
          add("residency", where,
              fmt::format("{} looks for it at byte {}, it lies at {}", user, operand.address, residency.address));
        } else if (operand.bytes > residency.bytes) {
          add("residency", where, fmt::format("{} uses {} bytes of {}", user, operand.bytes, residency.bytes));
        }
      }
    }
  }

  const TileProgram& program_;
  const TilePolicy& policy_;
  std::vector<Finding> findings_;
  int kernel_ = 0;
};

}  // namespace

std::vector<Finding> verify_tile(const TileProgram& program, const TilePolicy& policy) {
  return Verifier(program, policy).take();
}

}  // namespace faultline
