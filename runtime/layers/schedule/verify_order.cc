// Abstract execution: streams advance as far as tokens allow, carrying vector clocks. What is left when nothing moves
// is a deadlock; what the clocks do not order, or order against the sequence, is a race.
#include "runtime/layers/schedule/verify_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace faultline {

namespace {

// How many instructions of each stream have certainly taken effect.
using Clock = std::vector<int>;

void join(Clock& into, const Clock& other) {
  for (size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], other[i]);
}

struct Access {
  int stream = 0, position = 0;
  int64_t sequence = 0;
  int64_t begin = 0, end = 0;
  bool write = false;
  Clock before;  // what had certainly taken effect when it began
};

class OrderCheck {
 public:
  OrderCheck(const TileProgram& tiles, const MachineProgram& program, int launch)
      : tiles_(tiles.kernels[program.launches[launch].kernel]), program_(program), launch_(program.launches[launch]) {}

  std::vector<Finding> run() {
    find_producers();
    execute();
    report_stuck();
    for (auto& [core, accesses] : scratch_) report_races(accesses, fmt::format("core {} scratch", core), "bytes");
    for (auto& [core, accesses] : sums_) report_races(accesses, fmt::format("core {} accumulators", core), "sums");
    for (auto& [buffer, accesses] : device_)
      report_races(accesses, "device memory of " + program_.buffers[buffer].name, "bytes");
    return std::move(findings_);
  }

 private:
  std::string stream_name(int stream) const {
    return fmt::format("core {} {}", launch_.streams[stream].core, name(launch_.streams[stream].engine));
  }
  void add(std::string_view promise, const std::string& place, std::string text) {
    findings_.push_back({"schedule", std::string(promise), launch_.name + ", " + place, std::move(text)});
  }

  bool exists(int token) const { return token >= 0 && token < launch_.tokens; }

  // A token that several streams signal orders nothing for certain.
  void find_producers() {
    producers_.assign(launch_.tokens, -1);
    for (size_t s = 0; s < launch_.streams.size(); ++s)
      for (const Instruction& instruction : launch_.streams[s].instructions)
        if (instruction.opcode == Opcode::signal && exists(instruction.token)) {
          int& producer = producers_[instruction.token];
          producer = producer == -1 || producer == static_cast<int>(s) ? static_cast<int>(s) : -2;
        }
  }

  void execute() {
    const size_t streams = launch_.streams.size();
    position_.assign(streams, 0);
    clocks_.assign(streams, Clock(streams, 0));
    signals_.resize(launch_.tokens);
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t s = 0; s < streams; ++s)
        while (position_[s] < static_cast<int>(launch_.streams[s].instructions.size()) && step(static_cast<int>(s)))
          moved = true;
    }
  }

  bool step(int s) {
    const Instruction& instruction = launch_.streams[s].instructions[position_[s]];
    const int core = launch_.streams[s].core;
    switch (instruction.opcode) {
      case Opcode::wait: {
        if (!exists(instruction.token)) return false;
        const std::vector<Clock>& signalled = signals_[instruction.token];
        if (static_cast<int64_t>(signalled.size()) < instruction.count) return false;
        if (producers_[instruction.token] >= 0 && instruction.count > 0)
          join(clocks_[s], signalled[instruction.count - 1]);
        break;
      }
      case Opcode::receive: {
        std::vector<Clock>& arrived = messages_[{instruction.peer, core}];
        if (arrived.empty()) return false;
        join(clocks_[s], arrived.front());
        arrived.erase(arrived.begin());
        note(sums_[core], s, 0, 1, true);
        break;
      }
      case Opcode::send: note(sums_[core], s, 0, 1, false); break;
      case Opcode::copy: note_copy(s, launch_.descriptors[instruction.descriptor]); break;
      case Opcode::compute: note_compute(s, launch_.computes[instruction.compute]); break;
      default: break;
    }
    clocks_[s][s] = ++position_[s];
    if (instruction.opcode == Opcode::signal && exists(instruction.token))
      signals_[instruction.token].push_back(clocks_[s]);
    if (instruction.opcode == Opcode::send) messages_[{core, instruction.peer}].push_back(clocks_[s]);
    return true;
  }

  void note(std::vector<Access>& accesses, int s, int64_t begin, int64_t end, bool write) {
    const int64_t sequence = launch_.streams[s].instructions[position_[s]].sequence;
    if (end > begin) accesses.push_back({s, position_[s], sequence, begin, end, write, clocks_[s]});
  }

  // Scratch as one range from first to last byte; device memory piece by piece.
  void note_copy(int s, const Descriptor& descriptor) {
    const bool load = descriptor.target.space == Space::scratch;
    const Address& scratch = load ? descriptor.target : descriptor.source;
    const Address& device = load ? descriptor.source : descriptor.target;
    int64_t span = descriptor.bytes;
    std::vector<int64_t> pieces = {device.offset};
    for (const Nest& nest : descriptor.nest) {
      span += std::max<int64_t>(0, nest.count - 1) * (load ? nest.target_stride : nest.source_stride);
      std::vector<int64_t> next;
      for (const int64_t piece : pieces)
        for (int64_t i = 0; i < nest.count; ++i)
          next.push_back(piece + i * (load ? nest.source_stride : nest.target_stride));
      pieces = std::move(next);
    }
    if (!pieces.empty()) note(scratch_[launch_.streams[s].core], s, scratch.offset, scratch.offset + span, load);
    for (const int64_t piece : pieces) note(device_[device.buffer], s, piece, piece + descriptor.bytes, !load);
  }

  // A sum over several tiles goes through the accumulators, which the ring reads and writes too; they are one place.
  void note_compute(int s, const Compute& compute) {
    if (!(compute.first && compute.last)) note(sums_[launch_.streams[s].core], s, 0, 1, true);
    for (const OperandAddress& operand : compute.operands) {
      for (const OperandTile& tile : tiles_.operands)
        if (tile.node == operand.node && tile.store == operand.store)
          note(scratch_[launch_.streams[s].core], s, operand.base, operand.base + tile.bytes, operand.store >= 0);
    }
  }

  // Whether a token would be signalled as often as anybody waits for, if every stream came to its end.
  bool is_given(int token) const {
    int64_t given = 0, needed = 0;
    for (const Stream& stream : launch_.streams) {
      for (const Instruction& instruction : stream.instructions) {
        if (instruction.token != token) continue;
        given += instruction.opcode == Opcode::signal;
        if (instruction.opcode == Opcode::wait) needed = std::max(needed, instruction.count);
      }
    }
    return exists(token) && given >= needed;
  }

  // Streams that stand still for a signal that nobody gives come before those that stand still because of them.
  void report_stuck() {
    std::vector<Finding> others;
    for (size_t s = 0; s < launch_.streams.size(); ++s) {
      const std::vector<Instruction>& instructions = launch_.streams[s].instructions;
      if (position_[s] == static_cast<int>(instructions.size())) continue;
      const Instruction& stuck = instructions[position_[s]];
      const std::string name = stream_name(static_cast<int>(s));
      if (stuck.opcode != Opcode::wait) {
        add("deadlock", name, fmt::format("waits for a partial result of core {} that never comes", stuck.peer));
      } else {
        const size_t have = exists(stuck.token) ? signals_[stuck.token].size() : 0;
        add(is_given(stuck.token) ? "deadlock" : "signal", name,
            fmt::format("waits for token {} to be signalled {} times, and it is signalled {} times", stuck.token,
                        stuck.count, have));
      }
      if (findings_.back().promise == "signal") continue;
      others.push_back(std::move(findings_.back()));
      findings_.pop_back();
    }
    std::move(others.begin(), others.end(), std::back_inserter(findings_));
  }

  // Whether `second` begins after `first` has taken effect, whatever the engines' pace.
  static bool ordered(const Access& first, const Access& second) {
    return first.stream == second.stream ? first.position < second.position
                                         : second.before[first.stream] > first.position;
  }

  // Sweeps over the accesses by address; those that still reach over the current one are compared with it.
  void report_races(std::vector<Access>& accesses, const std::string& place, std::string_view unit) {
    std::stable_sort(accesses.begin(), accesses.end(),
                     [](const Access& a, const Access& b) { return a.begin < b.begin; });
    std::vector<const Access*> open;
    for (const Access& access : accesses) {
      std::erase_if(open, [&](const Access* other) { return other->end <= access.begin; });
      for (const Access* other : open) {
        if (access.write || other->write) report_race(access, *other, place, unit);
        if (findings_.size() >= 16) return;
      }
      open.push_back(&access);
    }
  }

  void report_race(const Access& a, const Access& b, const std::string& place, std::string_view unit) {
    if (a.stream == b.stream && a.position == b.position) return;
    const Access& early = a.sequence < b.sequence ? a : b;
    const Access& late = a.sequence < b.sequence ? b : a;
    if (a.sequence == b.sequence ? ordered(a, b) || ordered(b, a) : ordered(early, late)) return;
    const Access& writer = a.write ? a : b;
    const Access& peer = a.write ? b : a;
    add("happens_before", place,
        fmt::format("{} instruction {} writes {} [{},{}) that {} instruction {} {}, and {}", stream_name(writer.stream),
                    writer.position, unit, std::max(a.begin, b.begin), std::min(a.end, b.end), stream_name(peer.stream),
                    peer.position, peer.write ? "writes" : "reads",
                    ordered(late, early) ? "they stand in the wrong order" : "nothing orders them"));
  }

  const TileKernel& tiles_;
  const MachineProgram& program_;
  const Launch& launch_;
  std::vector<int> producers_, position_;
  std::vector<Clock> clocks_;
  std::vector<std::vector<Clock>> signals_;
  std::map<std::pair<int, int>, std::vector<Clock>> messages_;
  std::map<int, std::vector<Access>> scratch_, sums_, device_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> verify_order(const TileProgram& tiles, const MachineProgram& program, int launch) {
  return OrderCheck(tiles, program, launch).run();
}

}  // namespace faultline
