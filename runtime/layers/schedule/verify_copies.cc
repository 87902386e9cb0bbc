// Copies against the footprints of tiles, worked out again from layouts; nothing here calls the emitter. Which bytes of
// a buffer a core moves comes first; then copies are matched with tiles in the order in which they were asked for, row
// by row of the innermost device dim, which shows a byte that goes to the wrong place.
#include <fmt/format.h>

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

// Contiguous bytes and where they lie on both sides.
struct Piece {
  int64_t device = 0, scratch = 0, bytes = 0;
};

std::vector<Piece> pieces_of(const Descriptor& descriptor, bool load) {
  const int64_t device = load ? descriptor.source.offset : descriptor.target.offset;
  const int64_t scratch = load ? descriptor.target.offset : descriptor.source.offset;
  std::vector<Piece> pieces = {{device, scratch, descriptor.bytes}};
  for (const Nest& nest : descriptor.nest) {
    const int64_t device_stride = load ? nest.source_stride : nest.target_stride;
    const int64_t scratch_stride = load ? nest.target_stride : nest.source_stride;
    std::vector<Piece> next;
    for (const Piece& piece : pieces)
      for (int64_t i = 0; i < nest.count; ++i)
        next.push_back({piece.device + i * device_stride, piece.scratch + i * scratch_stride, piece.bytes});
    pieces = std::move(next);
  }
  return pieces;
}

// Rows of the innermost device dim of a box, with its tile at `scratch`.
std::vector<Piece> rows_of(const DeviceLayout& layout, const DeviceBox& box, const std::vector<int64_t>& extents,
                           int64_t scratch) {
  std::vector<Piece> rows;
  if (box.elements() == 0) return rows;
  const std::vector<int64_t> strides = layout.strides();
  std::vector<int64_t> at(box.extent.size(), 0);
  for (bool more = true; more;) {
    int64_t device = 0, tile = 0;
    for (size_t j = 0; j < at.size(); ++j) {
      device += (box.begin[j] + at[j]) * strides[j];
      tile = tile * extents[j] + at[j];
    }
    const int64_t bytes = layout.element_bytes;
    rows.push_back({device * bytes, scratch + tile * bytes, box.extent.back() * bytes});
    size_t j = at.size() - 1;
    while (j > 0 && ++at[j - 1] == box.extent[j - 1]) at[--j] = 0;
    more = j > 0;
  }
  return rows;
}

// What one tile of a core copies, by place in scratch.
struct Row {
  int buffer = 0;
  Piece piece;
  int64_t moved = 0;
};
using Rows = std::map<int64_t, Row>;

class CopyCheck {
 public:
  CopyCheck(const TileProgram& tiles, const MachineProgram& program, int launch)
      : tiles_(tiles),
        launch_(program.launches[launch]),
        k_(launch_.kernel),
        tiling_(tiles.kernels[k_]),
        buffers_(tiles.layout.program.buffers) {}

  std::vector<Finding> run() {
    Copies copies;
    for (int64_t core = 0; core < core_count(tiling_); ++core)
      for (const bool load : {true, false}) copies[{static_cast<int>(core), load}] = {};
    for (const Stream& stream : launch_.streams)
      for (const Instruction& instruction : stream.instructions)
        if (instruction.opcode == Opcode::copy)
          copies[{stream.core, descriptor_of(instruction).source.space == Space::device}].push_back(&instruction);
    for (auto& [key, instructions] : copies) {
      std::stable_sort(instructions.begin(), instructions.end(),
                       [](const Instruction* a, const Instruction* b) { return a->sequence < b->sequence; });
      check(key.first, key.second, instructions);
    }
    for (const Shortage& shortage : shortages_) say_in_all(shortage, copies);
    return std::move(findings_);
  }

 private:
  using Copies = std::map<std::pair<int, bool>, std::vector<const Instruction*>>;  // by core, and whether they load

  const Descriptor& descriptor_of(const Instruction& instruction) const {
    return launch_.descriptors[instruction.descriptor];
  }
  static int buffer_of(const Descriptor& descriptor, bool load) {
    return load ? descriptor.source.buffer : descriptor.target.buffer;
  }
  void add(std::string_view promise, int core, bool load, int buffer, std::string text) {
    findings_.push_back({"schedule", std::string(promise),
                         fmt::format("{}, core {}, {} of {}", launch_.name, core, load ? "load" : "store",
                                     buffer < 0 ? "nothing" : buffers_[buffer].name),
                         std::move(text)});
  }

  bool is_last_of_its_sum(const LoopPoint& point) const {
    for (size_t l = 0; l < tiling_.loops.size(); ++l) {
      const Loop& loop = tiling_.loops[l];
      const bool reduces = loop.dim >= tiles_.layout.program.kernels[k_].parallel;
      const bool in_time = loop.kind == LoopKind::sequential || static_cast<int>(l) == tiling_.reduction_core_loop;
      if (reduces && in_time && point[l] != loop.extent - 1) return false;
    }
    return true;
  }

  // The rows of every tile, in order. Where the tile program itself lets tiles share scratch, sound_ is false.
  std::vector<Rows> expected(int core, bool load) {
    std::vector<Rows> tiles;
    if (core >= core_count(tiling_)) return tiles;
    for (const LoopPoint& point : tiles_of_core(tiling_, core)) {
      if (!load && !is_last_of_its_sum(point)) continue;
      const auto number = static_cast<int64_t>(tiles.size());
      tiles.emplace_back();
      for (const OperandTile& operand : tiling_.operands) {
        if ((operand.node >= 0) != load || residency_of(tiles_, operand.buffer) != nullptr) continue;
        const DeviceBox box = operand_footprint(tiles_, k_, operand, point);
        for (size_t j = 0; j < box.extent.size(); ++j) sound_ = sound_ && box.extent[j] <= operand.extents[j];
        const int64_t scratch = operand.address + number % operand.buffers * operand.bytes;
        for (const Piece& row : rows_of(tiles_.layout.layouts[operand.buffer], box, operand.extents, scratch))
          sound_ = tiles.back().insert({row.scratch, {operand.buffer, row}}).second && sound_;
      }
    }
    return tiles;
  }

  void check(int core, bool load, const std::vector<const Instruction*>& copies) {
    sound_ = true;
    std::vector<Rows> tiles = expected(core, load);
    for (const Instruction* copy : copies)
      if (descriptor_of(*copy).source.space == descriptor_of(*copy).target.space)
        return add("transfer", core, load, buffer_of(descriptor_of(*copy), load),
                   "a descriptor copies within one memory");
    const std::map<int, Sides> sides = sides_of(load, copies, tiles);
    const size_t before = findings_.size();
    for (const auto& [buffer, side] : sides) compare(core, load, buffer, side, sides);
    if (findings_.size() == before && sound_) match(core, load, copies, tiles);
  }

  // Bytes of one buffer that the tiles want, and those that descriptors move, with repetitions.
  struct Sides {
    std::vector<Interval> wanted, moved;
    int64_t excess() const { return total(moved) - total(wanted); }
  };

  // By buffer.
  std::map<int, Sides> sides_of(bool load, const std::vector<const Instruction*>& copies,
                                const std::vector<Rows>& tiles) const {
    std::map<int, Sides> sides;
    for (const Rows& rows : tiles)
      for (const auto& [scratch, row] : rows)
        sides[row.buffer].wanted.emplace_back(row.piece.device, row.piece.device + row.piece.bytes);
    for (const Instruction* copy : copies)
      for (const Piece& piece : pieces_of(descriptor_of(*copy), load))
        sides[buffer_of(descriptor_of(*copy), load)].moved.emplace_back(piece.device, piece.device + piece.bytes);
    return sides;
  }

  // A finding that a core moves too little of a buffer.
  struct Shortage {
    size_t finding = 0;
    int buffer = 0;
    bool load = false;
  };

  // Beside the share of one core that of the whole buffer, where others have shares too.
  void say_in_all(const Shortage& shortage, const Copies& copies) {
    const auto [found, fresh] = in_all_.try_emplace({shortage.buffer, shortage.load});
    if (fresh) found->second = share_of_all(shortage, copies);
    findings_[shortage.finding].text += found->second;
  }

  std::string share_of_all(const Shortage& shortage, const Copies& copies) {
    Sides whole;
    int cores = 0;
    for (const auto& [key, instructions] : copies) {
      if (key.second != shortage.load) continue;
      std::map<int, Sides> sides = sides_of(shortage.load, instructions, expected(key.first, shortage.load));
      const Sides& mine = sides[shortage.buffer];
      cores += !mine.wanted.empty();
      whole.wanted.insert(whole.wanted.end(), mine.wanted.begin(), mine.wanted.end());
      whole.moved.insert(whole.moved.end(), mine.moved.begin(), mine.moved.end());
    }
    const int64_t stick = stick_bytes(shortage.buffer);
    if (cores < 2) return {};
    return fmt::format("; all cores together move {} of {} sticks", total(merged(whole.moved)) / stick,
                       total(merged(whole.wanted)) / stick);
  }

  int64_t stick_bytes(int buffer) const {
    if (buffer < 0) return 1;
    const DeviceLayout& layout = tiles_.layout.layouts[buffer];
    return layout.dims.back().extent * layout.element_bytes;
  }

  // What a buffer lacks altogether, another one has too much of: a descriptor names the wrong one.
  static bool is_exchanged(const Sides& side, const std::map<int, Sides>& all) {
    return side.moved.empty() && std::any_of(all.begin(), all.end(), [&](const auto& other) {
             return other.second.excess() == total(side.wanted);
           });
  }

  void compare(int core, bool load, int buffer, const Sides& side, const std::map<int, Sides>& all) {
    const std::vector<Interval> wanted = merged(side.wanted), moved = merged(side.moved);
    if (wanted == moved) return;
    const int64_t stick = stick_bytes(buffer);
    std::vector<Interval> both = wanted;
    both.insert(both.end(), moved.begin(), moved.end());
    const int64_t outside = total(merged(both)) - total(wanted);
    add(is_exchanged(side, all) ? "symbol"
        : side.excess() == 0    ? "address"
                                : "transfer",
        core, load, buffer,
        outside == 0
            ? fmt::format("descriptors move {} of {} sticks ({} of {} bytes)", total(moved) / stick,
                          total(wanted) / stick, total(moved), total(wanted))
            : fmt::format("descriptors move {} bytes outside the {} that the tiles need", outside, total(wanted)));
    if (outside == 0) shortages_.push_back({findings_.size() - 1, buffer, load});
  }

  // Uses up the rows of one tile after the other. Every byte that is moved has to be one that the tile at hand still
  // needs, between the two places where it belongs.
  void match(int core, bool load, const std::vector<const Instruction*>& copies, std::vector<Rows>& tiles) {
    size_t t = 0;
    int64_t left = 0;
    const auto turn = [&] {
      for (; left == 0 && t < tiles.size(); ++t)
        for (const auto& [scratch, row] : tiles[t]) left += row.piece.bytes;
      return left > 0;
    };
    for (const Instruction* copy : copies) {
      const Descriptor& descriptor = descriptor_of(*copy);
      const int buffer = buffer_of(descriptor, load);
      for (Piece piece : pieces_of(descriptor, load)) {
        while (piece.bytes > 0) {
          if (!turn()) return add("transfer", core, load, buffer, "more is copied than the tiles need");
          const int64_t done = take(core, load, buffer, piece, tiles[t - 1], t - 1);
          if (done == 0) return;
          piece = {piece.device + done, piece.scratch + done, piece.bytes - done};
          left -= done;
        }
      }
    }
    if (!turn()) return;
    for (const auto& [scratch, row] : tiles[t - 1])
      if (row.moved < row.piece.bytes)
        return add("transfer", core, load, row.buffer,
                   fmt::format("tile {} lacks {} bytes from byte {} on", t - 1, row.piece.bytes - row.moved,
                               row.piece.device));
  }

  // How many bytes at the start of the piece belong to one row; 0 after a finding.
  int64_t take(int core, bool load, int buffer, const Piece& piece, Rows& rows, size_t tile) {
    auto found = rows.upper_bound(piece.scratch);
    if (found != rows.begin()) {
      Row& row = (--found)->second;
      const int64_t into = piece.scratch - row.piece.scratch, bytes = std::min(piece.bytes, row.piece.bytes - into);
      if (bytes > 0 && row.buffer == buffer && row.piece.device + into == piece.device) {
        row.moved += bytes;
        if (row.moved <= row.piece.bytes) return bytes;
        add("transfer", core, load, buffer, fmt::format("tile {} copies byte {} twice", tile, piece.device));
        return 0;
      }
    }
    for (const auto& [scratch, row] : rows) {
      const int64_t into = piece.device - row.piece.device;
      if (row.buffer != buffer || into < 0 || into >= row.piece.bytes) continue;
      add("address", core, load, buffer,
          fmt::format("tile {}: byte {} of the buffer is at byte {} of scratch, the descriptor has it at byte {}", tile,
                      piece.device, row.piece.scratch + into, piece.scratch));
      return 0;
    }
    add("transfer", core, load, buffer,
        fmt::format("tile {} copies byte {}, which it has no use for", tile, piece.device));
    return 0;
  }

  const TileProgram& tiles_;
  const Launch& launch_;
  int k_;
  const TileKernel& tiling_;
  const std::vector<Buffer>& buffers_;
  bool sound_ = true;
  std::vector<Finding> findings_;
  std::vector<Shortage> shortages_;
  std::map<std::pair<int, bool>, std::string> in_all_;  // by buffer, and whether it is loaded
};

}  // namespace

std::vector<Finding> verify_copies(const TileProgram& tiles, const MachineProgram& program, int launch) {
  return CopyCheck(tiles, program, launch).run();
}

}  // namespace faultline
