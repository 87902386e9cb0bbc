// Random damage: whatever makes a machine program give another result, in order or at any pace of its engines, is
// found by the verifier.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "runtime/layers/schedule/machine_text.h"
#include "runtime/layers/schedule/run_machine.h"
#include "tests/layout_random.h"
#include "tests/schedule_trial.h"

namespace faultline {
namespace {

// One random change of what a program moves, computes or places.
class RandomDamage {
 public:
  RandomDamage(uint64_t seed, MachineProgram& program)
      : stream_(seed, "machine damage"), program_(program), launch_(program.launches[below(program.launches.size())]) {}

  std::string apply() {
    switch (below(9)) {
      case 0: return change(launch_.descriptors, &RandomDamage::change_descriptor, "descriptor");
      case 1: return change(launch_.computes, &RandomDamage::change_compute, "compute");
      case 2:
      case 3: return change(launch_.computes, &RandomDamage::change_operand, "operand");
      case 4: return change(launch_.streams, &RandomDamage::drop_instruction, "dropped instruction");
      case 5: return change(launch_.streams, &RandomDamage::exchange_sequences, "sequence");
      case 6: return change(program_.operations, &RandomDamage::change_operation, "operation");
      case 7: return change(program_.allocations, &RandomDamage::change_allocation, "allocation");
      default: break;
    }
    program_.launches.erase(program_.launches.begin() + below(program_.launches.size()));
    return "dropped launch";
  }

 private:
  int below(size_t count) { return static_cast<int>(stream_.below(static_cast<uint32_t>(count))); }
  int64_t step() {
    static constexpr int64_t kSteps[] = {1, -1, 2, 64, -64, 128, -128, 256};
    return kSteps[below(8)];
  }
  template <class T>
  std::string change(std::vector<T>& list, void (RandomDamage::*one)(T&), const char* what) {
    if (!list.empty()) (this->*one)(list[below(list.size())]);
    return what;
  }

  void change_descriptor(Descriptor& descriptor) {
    switch (below(5)) {
      case 0: descriptor.source.offset += step(); return;
      case 1: descriptor.target.offset += step(); return;
      case 2: descriptor.bytes = std::max<int64_t>(0, descriptor.bytes + step()); return;
      default: break;
    }
    if (descriptor.nest.empty()) return;
    Nest& nest = descriptor.nest[below(descriptor.nest.size())];
    int64_t* fields[] = {&nest.count, &nest.source_stride, &nest.target_stride};
    *fields[below(3)] += below(2) == 0 ? 1 : -1;
  }
  void change_compute(Compute& compute) {
    const int dim = below(compute.box.begin.size());
    switch (below(5)) {
      case 0: compute.box.begin[dim] += compute.box.begin[dim] < compute.box.end[dim] ? 1 : 0; return;
      case 1: compute.box.end[dim] -= compute.box.begin[dim] < compute.box.end[dim] ? 1 : 0; return;
      case 2: compute.valid[dim] -= compute.valid[dim] > 0 ? 1 : 0; return;
      case 3: compute.first = !compute.first; return;
      default: compute.last = !compute.last && compute.operands.back().store >= 0; return;
    }
  }
  void change_operand(Compute& compute) {
    OperandAddress& operand = compute.operands[below(compute.operands.size())];
    if (operand.dims.empty() || below(4) == 0) {
      operand.base += step();
      return;
    }
    if (below(8) == 0) {
      operand.group = operand.group == 1 ? 2 : operand.group / 2;
      return;
    }
    AddressDim& dim = operand.dims[below(operand.dims.size())];
    switch (below(4)) {
      case 0: dim.step = std::max<int64_t>(1, dim.step + step()); return;
      case 1: dim.modulus = std::max<int64_t>(0, dim.modulus + step()); return;
      case 2: dim.origin += step(); return;
      default: dim.stride_bytes += step(); return;
    }
  }
  void drop_instruction(Stream& stream) {
    if (stream.instructions.empty()) return;
    stream.instructions.erase(stream.instructions.begin() + below(stream.instructions.size()));
  }
  void exchange_sequences(Stream& stream) {
    if (stream.instructions.empty()) return;
    std::swap(stream.instructions[below(stream.instructions.size())].sequence,
              stream.instructions[below(stream.instructions.size())].sequence);
  }
  void change_operation(Kernel& kernel) {
    ScalarNode& node = kernel.nodes[below(kernel.nodes.size())];
    if (node.function == Function::sub)
      node.function = Function::add;
    else if (node.kind == ScalarNode::Kind::load)
      node.access.coordinates[0].affine.constant += below(2) == 0 ? 1 : -1;
  }
  void change_allocation(Allocation& allocation) {
    switch (below(4)) {
      case 0: allocation.offset += step() * 128; return;
      case 1: allocation.first += below(3) - 1; return;
      case 2: allocation.last += below(3) - 1; return;
      default: allocation.bytes = std::max<int64_t>(0, allocation.bytes + step()); return;
    }
  }

  PhiloxStream stream_;
  MachineProgram& program_;
  Launch& launch_;
};

// One random change of how the streams of a launch wait for each other.
class RandomRace {
 public:
  RandomRace(uint64_t seed, MachineProgram& program)
      : stream_(seed, "machine race"), launch_(program.launches[below(program.launches.size())]) {}

  std::string apply() {
    std::vector<Instruction>& list = launch_.streams[below(launch_.streams.size())].instructions;
    const int at = below(list.size());
    Instruction& instruction = list[at];
    const bool waits = instruction.opcode == Opcode::wait;
    switch (below(4)) {
      case 0:
        if (!waits && instruction.opcode != Opcode::signal) return apply();
        list.erase(list.begin() + at);
        return "dropped";
      case 1:
        if (!waits) return apply();
        instruction.count += below(2) == 0 ? 1 : -1;
        return "count";
      case 2:
        if (instruction.token < 0) return apply();
        instruction.token = below(static_cast<size_t>(launch_.tokens));
        return "token";
      default: break;
    }
    const int other = below(list.size());
    std::rotate(list.begin() + std::min(at, other), list.begin() + std::min(at, other) + 1,
                list.begin() + std::max(at, other) + 1);
    return "moved";
  }

 private:
  int below(size_t count) { return static_cast<int>(stream_.below(static_cast<uint32_t>(count))); }

  PhiloxStream stream_;
  Launch& launch_;
};

// Numbers the instructions of a launch in an order that tokens and hops allow, streams moving at a random pace. False
// when they get stuck.
bool run_at_random_pace(Launch& launch, PhiloxStream& random) {
  std::vector<size_t> position(launch.streams.size(), 0);
  std::map<int, int64_t> signals;
  std::map<std::pair<int, int>, int64_t> flying;
  const auto ready = [&](size_t s) {
    const Stream& stream = launch.streams[s];
    if (position[s] == stream.instructions.size()) return false;
    const Instruction& next = stream.instructions[position[s]];
    if (next.opcode == Opcode::wait) return signals[next.token] >= next.count;
    return next.opcode != Opcode::receive || flying[{next.peer, stream.core}] > 0;
  };
  for (int64_t sequence = 0;; ++sequence) {
    std::vector<size_t> able;
    for (size_t s = 0; s < launch.streams.size(); ++s)
      if (ready(s)) able.push_back(s);
    if (able.empty()) break;
    // Most often the same stream goes on, so that engines get far ahead of each other.
    const size_t s = random.below(4) == 0 ? able[random.below(static_cast<uint32_t>(able.size()))] : able.back();
    Instruction& instruction = launch.streams[s].instructions[position[s]++];
    instruction.sequence = sequence;
    const int core = launch.streams[s].core;
    if (instruction.opcode == Opcode::signal) ++signals[instruction.token];
    if (instruction.opcode == Opcode::send) ++flying[{core, instruction.peer}];
    if (instruction.opcode == Opcode::receive) --flying[{instruction.peer, core}];
  }
  for (size_t s = 0; s < launch.streams.size(); ++s)
    if (position[s] < launch.streams[s].instructions.size()) return false;
  return true;
}

// A random program, its inputs and what its outputs should be.
class ScheduleDamage : public ::testing::Test {
 protected:
  // False when it was refused.
  bool make(uint64_t seed) {
    kernels_ = RandomKernels(seed / 4).take();
    try {
      made_ = scheduled(kernels_, random_policy(seed));
    } catch (const Rejected&) {
      return false;
    }
    domain_.emplace(stick_arithmetic());
    inputs_ = sample_inputs(kernels_, *domain_, 3);
    right_ = run_machine(made_.machine, *domain_, inputs_, 1).buffers;
    return true;
  }
  bool differs(const MachineProgram& machine) {
    const DenseBuffers<FingerprintDomain> have = run_machine(machine, *domain_, inputs_, 1).buffers;
    for (size_t b = 0; b < right_.size(); ++b)
      for (size_t i = 0; i < right_[b].size(); ++i)
        if (!same(kernels_.buffers[b].dtype, right_[b][i], have[b][i])) return true;
    return false;
  }
  // At three random paces.
  bool differs_at_some_pace(const MachineProgram& machine, uint64_t seed) {
    PhiloxStream random(seed, "pace");
    for (int pace = 0; pace < 3; ++pace) {
      MachineProgram paced = machine;
      for (Launch& launch : paced.launches)
        if (!run_at_random_pace(launch, random)) return true;
      if (differs(paced)) return true;
    }
    return false;
  }
  std::string findings() const { return text_of(verify_schedule(made_.tiles, made_.machine)); }

  KernelProgram kernels_;
  Scheduled made_;
  std::optional<FingerprintDomain> domain_;
  DenseBuffers<FingerprintDomain> inputs_, right_;
};

TEST_F(ScheduleDamage, NoWrongResultGoesUnseen) {
  int changed = 0;
  for (uint64_t seed = 0; seed < 140 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    if (!make(seed)) continue;
    const std::string what = RandomDamage(seed, made_.machine).apply();
    if (!differs(made_.machine)) continue;
    ++changed;
    EXPECT_NE(findings(), "") << what << "\n" << to_text(made_.machine);
  }
  EXPECT_GT(changed, 20);
}

// Tokens alone make the result right: at any pace.
TEST_F(ScheduleDamage, EveryPaceGivesTheSame) {
  for (uint64_t seed = 0; seed < 60 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    if (!make(seed)) continue;
    EXPECT_FALSE(differs_at_some_pace(made_.machine, seed)) << to_text(made_.machine);
  }
}

TEST_F(ScheduleDamage, NoRaceGoesUnseen) {
  int changed = 0;
  for (uint64_t seed = 0; seed < 140 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    if (!make(seed)) continue;
    const std::string what = RandomRace(seed, made_.machine).apply();
    if (!differs_at_some_pace(made_.machine, seed)) continue;
    ++changed;
    EXPECT_NE(findings(), "") << what << "\n" << to_text(made_.machine);
  }
  EXPECT_GT(changed, 20);
}

}  // namespace
}  // namespace faultline
