// The machine artefact's text: it reads as intended, reads back to an equal structure, and damage is refused.
#include <gtest/gtest.h>

#include "runtime/layers/schedule/machine_text.h"
#include "tests/layout_random.h"
#include "tests/schedule_trial.h"

namespace faultline {
namespace {

// Two sticks on two cores, worked out by hand from the layout {0,64,2}{0,1,64} and the protocol of schedule.h.
constexpr std::string_view kClone = R"(machine clone cores 2 scratch 1625344:
  buffer x {0,64,2}{0,1,64} x2B undefined
  buffer y {0,64,2}{0,1,64} x2B undefined
  place x segment 0 at 128 bytes 256 live -1 to 0
  place y segment 0 at 512 bytes 256 live 0 to 1
  launch k0_clone of kernel 0 tokens 10:
    copy 0: 128 bytes from device x at 0 to scratch at 0
    copy 1: 128 bytes from scratch at 128 to device y at 0
    copy 2: 128 bytes from device x at 128 to scratch at 0
    copy 3: 128 bytes from scratch at 128 to device y at 128
    compute 0: move 0 over [0] to [64] valid [65] lanes 0 first last
      load 0 at 0 + c0 / 64 * 128 + c0 % 64 * 2
      store 0 at 128 + c0 / 64 * 128 + c0 % 64 * 2
    compute 1: move 0 over [64] to [128] valid [65] lanes 0 first last
      load 0 at 0 + (c0 / 64 - 1) * 128 + c0 % 64 * 2
      store 0 at 128 + (c0 / 64 - 1) * 128 + c0 % 64 * 2
    core 0 load:
      0: copy 0
      1: signal 0
    core 0 store:
      5: wait 1 x 1
      6: copy 1
      7: signal 2
    core 0 compute:
      2: wait 0 x 1
      3: compute 0
      4: signal 1
    core 1 load:
      8: copy 2
      9: signal 5
    core 1 store:
      13: wait 6 x 1
      14: copy 3
      15: signal 7
    core 1 compute:
      10: wait 5 x 1
      11: compute 1
      12: signal 6
kernels clone:
  input x: f16[65]
  output y: f16[65]
  takes x
  k0_clone movement (i0 < 65):
    %0: f16 = load x[i0]
    y = %0
  return y
)";

MachineProgram clone_machine() { return scheduled(clone_sample(65), Trial({2, false, false}, 1625344)).machine; }

void expect_round_trip(const MachineProgram& program) {
  const std::string text = to_text(program);
  const MachineProgram back = parse_machine_program(text);
  EXPECT_TRUE(back == program) << text;
  EXPECT_EQ(to_text(back), text);
}

TEST(ScheduleText, Clone65OnTwoCores) {
  EXPECT_EQ(to_text(clone_machine()), kClone);
  EXPECT_EQ(parse_machine_program(kClone), clone_machine());
}

TEST(ScheduleText, SamplesReadBack) {
  for (const auto& [name, kernels] : named_samples()) {
    SCOPED_TRACE(name);
    expect_round_trip(scheduled(kernels, Trial({3, true, true}, 40960)).machine);
    if (HasFailure()) break;
  }
}

// The ring's sends and receives.
TEST(ScheduleText, SumsDividedOverCoresReadBack) {
  Trial policy({4, false, false}, spyre::kLxUsableBytes);
  policy.splits = {1, 1, 4};
  const MachineProgram program = scheduled(matmul_sample(3, 256, 65, false), policy).machine;
  const std::string text = to_text(program);
  EXPECT_NE(text.find("receive"), std::string::npos);
  expect_round_trip(program);
}

TEST(ScheduleText, RandomKernelsReadBack) {
  int read = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    try {
      expect_round_trip(scheduled(RandomKernels(seed).take(), random_policy(seed)).machine);
      ++read;
    } catch (const Rejected&) {
    }
    if (HasFailure()) break;
  }
  EXPECT_GT(read, 70);
}

// A program whose every field is drawn, as faults may leave it: out of order, negative, too large.
class RandomFields {
 public:
  explicit RandomFields(uint64_t seed) : stream_(seed, "machine fields") {}

  MachineProgram take() {
    MachineProgram program = clone_machine();
    program.name = below(2) ? "plain" : "a name, with \"signs\"";
    program.buffers[0].name = below(2) ? "scratch" : "layers.0.weight";
    program.cores = 1 + below(40);
    program.scratch_bytes = below(1 << 20);
    program.allocations.clear();
    for (int i = below(4); i > 0; --i)
      program.allocations.push_back({below(2), below(7), number(), number(), small(), small()});
    program.launches.clear();
    for (int i = below(3); i > 0; --i) program.launches.push_back(launch(program));
    return program;
  }

 private:
  int below(uint32_t count) { return static_cast<int>(stream_.below(count)); }
  int small() { return below(9) - 2; }
  int64_t number() {
    static constexpr int64_t kNumbers[] = {0, 1, -1, 64, -128, INT64_MAX, INT64_MIN + 1, 65535};
    return kNumbers[below(8)];
  }
  Address address() {
    if (below(2)) return {Space::scratch, -1, number()};
    return {Space::device, below(2), number()};
  }
  OperandAddress operand(bool load) {
    OperandAddress made{load ? 0 : -1, load ? -1 : 0, number(), {}};
    for (int i = below(3); i > 0; --i) made.dims.push_back({0, 1 + below(3), below(3), number(), number()});
    return made;
  }
  Launch launch(const MachineProgram& program) {
    Launch made;
    made.name = below(2) ? "k0" : "k 0";
    made.tokens = 3;
    for (int i = 1 + below(3); i > 0; --i) {
      Descriptor descriptor{address(), address(), number(), {}};
      for (int n = below(3); n > 0; --n) descriptor.nest.push_back({number(), number(), number()});
      made.descriptors.push_back(descriptor);
      Compute compute{static_cast<Unit>(below(3)), 0, {{number()}, {number()}}, {number()}, 0, {}, false, false};
      compute.first = below(2) == 1;
      compute.last = below(2) == 1;
      compute.operands = {operand(false), operand(true)};
      made.computes.push_back(compute);
    }
    for (int s = below(4); s > 0; --s) {
      Stream stream{below(static_cast<uint32_t>(program.cores)), static_cast<Engine>(below(kEngineCount)), {}};
      for (int i = below(5); i > 0; --i) stream.instructions.push_back(instruction(made));
      made.streams.push_back(stream);
    }
    return made;
  }
  Instruction instruction(const Launch& launch) {
    Instruction made{.opcode = static_cast<Opcode>(below(6)), .sequence = number()};
    const int number_of = below(static_cast<uint32_t>(launch.computes.size()));
    switch (made.opcode) {
      case Opcode::copy: made.descriptor = number_of; break;
      case Opcode::send:
      case Opcode::receive: made.peer = small(); [[fallthrough]];
      case Opcode::compute: made.compute = number_of; break;
      case Opcode::wait: made.count = number(); [[fallthrough]];
      case Opcode::signal: made.token = small(); break;
    }
    return made;
  }

  PhiloxStream stream_;
};

TEST(ScheduleText, RandomFieldsReadBack) {
  for (uint64_t seed = 0; seed < 500 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    expect_round_trip(RandomFields(seed).take());
  }
}

TEST(ScheduleText, DamageIsRefused) {
  const std::string text(kClone);
  const auto replaced = [&text](std::string_view from, std::string_view to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return changed;
  };
  const std::pair<std::string, std::string> kCases[] = {
      {"", "machine: the text has no 'kernels ...:'"},
      {replaced("machine clone", "machine clone65"), "machine:1:9: another name than that of the kernels below"},
      {replaced("buffer x {0", "buffer x {1"), "machine:2:12: device dims that do not suit the 1 dims of x"},
      {replaced("buffer x", "buffer z"), "machine:2:10: buffer x is next"},
      {replaced("place y", "place yy"), "machine:5:9: unknown buffer 'yy', did you mean 'y'?"},
      {replaced("of kernel 0", "of kernel 1"), "machine:6:29: there are 1 kernels, 1 is none of them"},
      {replaced("copy 1:", "copy 2:"), "machine:8:10: number 1 is next"},
      {replaced("from scratch", "from host"), "machine:8:28: expected device or scratch, found 'host'"},
      {replaced("over [0]", "over [0,0]"), "machine:11:28: kernel k0_clone has 1 dims"},
      {replaced("load 0 at", "load 1 at"), "machine:12:12: there are 1 nodes, 1 is none of them"},
      {replaced("c0 / 64", "c1 / 64"), "machine:12:21: expected a coordinate below c1, found 'c1'"},
      {replaced("c0 / 64", "c0 / 0"), "machine:12:26: 0 should be from 1 to 9223372036854775807"},
      {replaced("      store 0 at 128 + c0 / 64 * 128 + c0 % 64 * 2\n", ""),
       "machine:11:13: store 0 of kernel k0_clone has no address"},
      {replaced("      load 0 at 0 + c0 / 64 * 128 + c0 % 64 * 2\n", ""),
       "machine:11:13: load 0 of kernel k0_clone has no address"},
      {replaced("core 1 load", "core 2 load"), "machine:28:10: there are 2 cores, 2 is none of them"},
      {replaced("core 1 load", "core 1 loads"), "machine:28:12: expected load, store, compute or ring, found 'loads'"},
      {replaced("8: copy 2", "8: copy 4"), "machine:29:15: there are 4 copies, 4 is none of them"},
      {replaced("9: signal", "9: sign"),
       "machine:30:10: expected copy, compute, send, receive, wait or signal, found "
       "'sign'"},
  };
  for (const auto& [bad, message] : kCases) {
    try {
      parse_machine_program(bad);
      ADD_FAILURE() << message;
    } catch (const UserError& error) {
      EXPECT_STREQ(error.what(), message.c_str());
    }
  }
}

}  // namespace
}  // namespace faultline
