// The artefact of `tile`: for every kernel the division of its iteration space over cores and time, and where each
// operand's tile lies in a core's scratch memory.
//
// The iteration index of dim d at a point of the loops is the sum of step * counter over the loops of d. One (core,
// sequential) setting of the counters is a *tile*: the box spanned by d's vector loops, clipped to `padded` of the
// layout.
//
// What `tile` promises and verify_tile checks (the word in brackets is Finding::promise):
//   [coverage]   along every dim the tiles of all cores reach the end of the layout's extent
//   [gap]        no core's share is left out
//   [once]       no two tiles hold the same point; for a reduction dim these three say that each term is summed once
//   [joined]     the parts of a sum divided over cores are joined; each is one tile of the parallel dims
//   [whole]      a tile begins at a whole stick of the lane dim
//   [footprint]  every tile of an operand fits its scratch extents, and its bytes hold the extents
//   [overlap]    scratch ranges that live in the same kernel are disjoint
//   [capacity]   they end within the scratch memory
//   [alignment]  and begin at multiples of its alignment
//   [span]       what one core touches of a buffer lies within the machine's span
//   [residency]  a buffer stays in scratch only for kernels that work in one tile, from its store to its last load
//   [shares]     and every user on a core works on the same part of it
#pragma once

#include <string>
#include <string_view>

#include "runtime/layers/layout/layout_program.h"

namespace faultline {

enum class LoopKind : uint8_t { core, sequential, vector };
std::string_view name(LoopKind kind);

struct Loop {
  int dim = 0;         // iteration dim of the kernel
  int64_t extent = 1;  // trip count
  int64_t step = 1;    // iteration indices a trip
  LoopKind kind = LoopKind::vector;
  bool operator==(const Loop&) const = default;
};

// Scratch space of one operand of a kernel, the same address on every core.
struct OperandTile {
  int node = -1;   // load node of the kernel, or -1
  int store = -1;  // store number of the kernel, or -1
  int buffer = 0;
  std::vector<int64_t> extents;  // largest tile, in device dims of the buffer's layout
  int64_t address = 0;           // bytes in scratch
  int64_t bytes = 0;
  int buffers = 1;  // 2: double buffered: tile t of a core lies at address + t % buffers * bytes
  bool operator==(const OperandTile&) const = default;
};

struct TileKernel {
  std::vector<Loop> loops;  // outermost first
  std::vector<OperandTile> operands;
  // A reduction dim split over cores: partial results meet by hops between the cores that differ only in that loop.
  int reduction_core_loop = -1;  // index in `loops`, or -1
  bool operator==(const TileKernel&) const = default;
};

// A buffer that stays in scratch between kernels instead of going through device memory.
struct Residency {
  int buffer = 0;
  int64_t address = 0;
  int64_t bytes = 0;
  int first = 0, last = 0;  // kernels, inclusive: the one that stores it and the last that loads it
  bool operator==(const Residency&) const = default;
};

struct TileProgram {
  LayoutProgram layout;
  std::vector<TileKernel> kernels;
  std::vector<Residency> residencies;
  int cores = 1;
  int64_t scratch_bytes = 0;  // capacity a core
  int64_t scratch_alignment = 1;
  bool operator==(const TileProgram&) const = default;
};

// Counters of the core and sequential loops, by loop (0 for vector loops).
using LoopPoint = std::vector<int64_t>;
int64_t core_count(const TileKernel& kernel);
// The core that owns a point: the core loops' counters as mixed-radix digits, outermost loop most significant.
int64_t core_of(const TileKernel& kernel, const LoopPoint& point);
// All tiles of one core in execution order (sequential loops, outermost slowest).
std::vector<LoopPoint> tiles_of_core(const TileKernel& kernel, int64_t core);
// The iteration box of a tile, clipped to `padded`. May be empty in a dim (end <= begin).
Box tile_box(const TileKernel& kernel, const KernelLayout& layout, const LoopPoint& point);
// The device box that an access touches over an iteration box clipped to `valid`: whole sticks; the whole extent of
// every device dim whose host coordinate is indirect or wraps within the box. Never less than what is touched; extents
// of 0 when nothing is.
DeviceBox footprint(const Access& access, const DeviceLayout& layout, const Sizes& sizes, const Box& box);
// The operand's access in its kernel, and its footprint for one tile.
Access operand_access(const Kernel& kernel, const OperandTile& operand);
DeviceBox operand_footprint(const TileProgram& program, int kernel, const OperandTile& operand, const LoopPoint& point);
// Bytes from the first to behind the last element of a box within its buffer.
int64_t span_bytes(const DeviceBox& box, const DeviceLayout& layout);
// The residency of a buffer, or null.
const Residency* residency_of(const TileProgram& program, int buffer);

std::string to_text(const TileProgram& program);
// Throws UserError.
TileProgram parse_tile_program(std::string_view text);

}  // namespace faultline
