// Every promise of the machine program broken by hand: the finding, under the right promise, and where the in-order
// interpreter can show it, the elements that go wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "runtime/layers/schedule/machine_text.h"
#include "runtime/layers/schedule/run_machine.h"
#include "tests/schedule_trial.h"

namespace faultline {
namespace {

class ScheduleBroken : public ::testing::Test {
 protected:
  // Four tiles of [8,65] on one core, one scratch buffer an operand: k0 makes t = x * row, k1 makes y = t + column.
  void make_pointwise() { make(pointwise_sample(8, 65), Trial({1, false, false}, 2048)); }
  // Three tiles a core in two buffers: one is loaded while the other is worked on.
  void make_doubled() {
    Trial policy({2, false, true}, 1536);
    policy.splits = {2, 1};
    make(pointwise_sample(6, 65), policy);
    ASSERT_EQ(made_.tiles.kernels[0].operands[0].buffers, 2);
  }
  // K divided over four cores: their sums hop along the ring to core 3.
  void make_ring() {
    Trial policy({4, false, false}, spyre::kLxUsableBytes);
    policy.splits = {1, 1, 1, 4};
    make(batched_matmul_sample(1, 3, 256, 65), policy);
  }
  void make(const KernelProgram& kernels, const TilePolicy& policy) {
    kernels_ = kernels;
    made_ = scheduled(kernels, policy);
    ASSERT_EQ(findings(), "");
    ASSERT_EQ(wrong(kernels_.buffers[kernels_.outputs[0]].name), std::vector<int64_t>());
  }

  MachineProgram& machine() { return made_.machine; }
  Launch& launch(int number = 0) { return made_.machine.launches[number]; }
  std::vector<Instruction>& stream(int core, Engine engine, int number = 0) {
    for (Stream& stream : launch(number).streams)
      if (stream.core == core && stream.engine == engine) return stream.instructions;
    throw UserError("no such stream");
  }
  void erase(int core, Engine engine, int at) {
    std::vector<Instruction>& instructions = stream(core, engine);
    instructions.erase(instructions.begin() + at);
  }

  std::string findings() const { return text_of(verify_schedule(made_.tiles, made_.machine)); }
  // Flat indices of the output's elements that differ from dense arrays.
  std::vector<int64_t> wrong(std::string_view buffer) const {
    FingerprintDomain domain(stick_arithmetic());
    const DenseBuffers<FingerprintDomain> inputs = sample_inputs(kernels_, domain, 3);
    const MemoryRun<FingerprintDomain> run = run_machine(made_.machine, domain, inputs, 1);
    return wrong_elements(kernels_, domain, inputs, run.buffers)[buffer_named(kernels_, buffer)];
  }
  static std::vector<int64_t> box(int64_t row, int64_t rows, int64_t column, int64_t columns, int64_t width) {
    std::vector<int64_t> flat;
    for (int64_t r = row; r < row + rows; ++r)
      for (int64_t c = column; c < column + columns; ++c) flat.push_back(r * width + c);
    return flat;
  }
  void expect_first(std::string_view text) const {
    const std::string found = findings();
    EXPECT_EQ(found.substr(0, found.find('\n')), text) << found;
  }

  KernelProgram kernels_;
  Scheduled made_;
};

TEST_F(ScheduleBroken, DroppedSignalStopsEveryEngine) {
  make_pointwise();
  erase(0, Engine::load, 2);
  EXPECT_EQ(findings(),
            "signal | k0, core 0 compute | waits for token 0 to be signalled 1 times, and it is signalled 0 times\n"
            "deadlock | k0, core 0 load | waits for token 1 to be signalled 1 times, and it is signalled 0 times\n"
            "deadlock | k0, core 0 store | waits for token 1 to be signalled 1 times, and it is signalled 0 times\n");
}

TEST_F(ScheduleBroken, CircularWait) {
  make_pointwise();
  std::vector<Instruction>& loads = stream(0, Engine::load);
  loads.insert(loads.begin(), Instruction{.opcode = Opcode::wait, .token = 1, .count = 1, .sequence = 0});
  expect_first("deadlock | k0, core 0 load | waits for token 1 to be signalled 1 times, and it is signalled 0 times");
}

TEST_F(ScheduleBroken, TokensThatNobodyHas) {
  for (const int token : {-1, 5, 1000}) {
    make_pointwise();
    stream(0, Engine::load)[2].token = token;
    stream(0, Engine::store)[0].token = token;
    EXPECT_TRUE(findings().starts_with("signal | k0, core 0 ")) << findings();
  }
}

TEST_F(ScheduleBroken, PartialSumThatNeverComes) {
  make_ring();
  ASSERT_EQ(stream(2, Engine::ring)[2].opcode, Opcode::send);
  stream(2, Engine::ring)[2].peer = 1;
  const std::string found = findings();
  EXPECT_NE(found.find("deadlock | k0_bmm, core 3 ring | waits for a partial result of core 2 that never comes\n"),
            std::string::npos)
      << found;
}

// Compute no longer waits for its operands.
TEST_F(ScheduleBroken, DroppedWaitForOperands) {
  make_pointwise();
  erase(0, Engine::compute, 0);
  EXPECT_EQ(findings(),
            "happens_before | k0, core 0 scratch | core 0 load instruction 1 writes bytes [0,128) that core 0 compute "
            "instruction 0 reads, and nothing orders them\n"
            "happens_before | k0, core 0 scratch | core 0 load instruction 0 writes bytes [640,1152) that core 0 "
            "compute instruction 0 reads, and nothing orders them\n");
  EXPECT_EQ(wrong("y"), std::vector<int64_t>());  // in order all is well
}

// A load no longer waits until the tile before it has been used.
TEST_F(ScheduleBroken, DroppedWaitForFreeScratch) {
  make_pointwise();
  erase(0, Engine::load, 3);
  EXPECT_EQ(findings(),
            "happens_before | k0, core 0 scratch | core 0 load instruction 4 writes bytes [0,128) that core 0 compute "
            "instruction 1 reads, and nothing orders them\n"
            "happens_before | k0, core 0 scratch | core 0 load instruction 3 writes bytes [640,1152) that core 0 "
            "compute instruction 1 reads, and nothing orders them\n");
}

// With two buffers the first wait stands before the third tile; one count less and the buffer is reused too early.
TEST_F(ScheduleBroken, CountOneTooSmall) {
  make_doubled();
  std::vector<Instruction>& loads = stream(0, Engine::load);
  const auto wait =
      std::find_if(loads.begin(), loads.end(), [](const Instruction& each) { return each.opcode == Opcode::wait; });
  ASSERT_NE(wait, loads.end());
  EXPECT_EQ(std::count_if(loads.begin(), wait, [](const Instruction& each) { return each.opcode == Opcode::signal; }),
            2);
  EXPECT_EQ(wait->count, 1);
  wait->count = 0;
  EXPECT_EQ(promises_of(verify_schedule(made_.tiles, made_.machine)), std::vector<std::string>{"happens_before"});
}

TEST_F(ScheduleBroken, StoreBeforeItsCompute) {
  make_pointwise();
  std::vector<Instruction>& stores = stream(0, Engine::store);
  std::swap(stores[0], stores[1]);
  expect_first(
      "happens_before | k0, core 0 scratch | core 0 compute instruction 1 writes bytes [128,640) that core 0 store "
      "instruction 0 reads, and nothing orders them");
}

TEST_F(ScheduleBroken, SignalBeforeItsCopies) {
  make_pointwise();
  std::vector<Instruction>& loads = stream(0, Engine::load);
  std::rotate(loads.begin(), loads.begin() + 2, loads.begin() + 3);
  ASSERT_EQ(loads[0].opcode, Opcode::signal);
  EXPECT_EQ(promises_of(verify_schedule(made_.tiles, made_.machine)), std::vector<std::string>{"happens_before"});
}

// Every pair is ordered, and the wrong way round: tile 1's copy comes first.
TEST_F(ScheduleBroken, CopiesInTheWrongOrder) {
  make_pointwise();
  std::vector<Instruction>& loads = stream(0, Engine::load);
  ASSERT_EQ(loads[4].descriptor, 3);
  std::swap(loads[0], loads[4]);
  const std::string start = "happens_before | k0, core 0 scratch | core 0 load instruction ",
                    end = ", and they stand in the wrong order\n";
  EXPECT_EQ(findings(), start + "0 writes bytes [640,1152) that core 0 compute instruction 1 reads" + end + start +
                            "4 writes bytes [640,1152) that core 0 load instruction 0 writes" + end + start +
                            "4 writes bytes [640,1152) that core 0 compute instruction 1 reads" + end);
}

TEST_F(ScheduleBroken, FinishBeforeTheRing) {
  make_ring();
  std::vector<Instruction>& computes = stream(3, Engine::compute);
  ASSERT_EQ(computes[3].opcode, Opcode::wait);
  erase(3, Engine::compute, 3);
  EXPECT_EQ(
      findings(),
      "happens_before | k0_bmm, core 3 accumulators | core 3 ring instruction 1 writes sums [0,1) that core 3 compute "
      "instruction 3 writes, and nothing orders them\n");
}

TEST_F(ScheduleBroken, RingBeforeTheCompute) {
  make_ring();
  erase(0, Engine::ring, 0);
  EXPECT_EQ(findings(),
            "happens_before | k0_bmm, core 0 accumulators | core 0 compute instruction 1 writes sums [0,1) that core 0 "
            "ring instruction 0 reads, and nothing orders them\n");
}

TEST_F(ScheduleBroken, LaunchesSwapped) {
  make_pointwise();
  std::swap(launch(0), launch(1));
  const std::string found = findings();
  EXPECT_NE(found.find("happens_before | k1 | loads t before k0 stores it\n"), std::string::npos) << found;
}

// The piece list of the last stick.
TEST_F(ScheduleBroken, FlooredPieces) {
  make(clone_sample(65), spyre::SpyreTilePolicy({1, false, false}));
  ASSERT_EQ(launch().descriptors[1].bytes, 256);
  launch().descriptors[1].bytes = 128;
  EXPECT_EQ(findings(),
            "transfer | k0_clone, core 0, store of y | descriptors move 1 of 2 sticks (128 of 256 bytes)\n");
  EXPECT_EQ(wrong("y"), std::vector<int64_t>{64});
}

// A short tensor has no whole stick: the list is empty.
TEST_F(ScheduleBroken, NoPieces) {
  make(clone_sample(5), spyre::SpyreTilePolicy({1, false, false}));
  launch().descriptors[1].nest = {{0, 0, 0}};
  EXPECT_EQ(findings(), "transfer | k0_clone, core 0, store of y | descriptors move 0 of 1 sticks (0 of 128 bytes)\n");
  EXPECT_EQ(wrong("y"), box(0, 1, 0, 5, 5));
}

TEST_F(ScheduleBroken, BytesBeyondTheTile) {
  make(clone_sample(65), spyre::SpyreTilePolicy({2, false, false}));
  launch().descriptors[0].bytes = 256;
  EXPECT_EQ(findings().substr(0, findings().find('\n')),
            "transfer | k0_clone, core 0, load of x | descriptors move 128 bytes outside the 128 that the tiles need");
}

// Every byte of `row` is still moved, by the tiles before: tile 2 works with what tile 1 left.
TEST_F(ScheduleBroken, OperandNotLoadedAgain) {
  make_pointwise();
  ASSERT_EQ(launch().descriptors[stream(0, Engine::load)[9].descriptor].source.buffer, buffer_named(kernels_, "row"));
  erase(0, Engine::load, 9);
  EXPECT_EQ(findings(), "transfer | k0, core 0, load of x | tile 2 copies byte 1536, which it has no use for\n");
  EXPECT_EQ(wrong("y"), box(4, 4, 0, 64, 65));
}

TEST_F(ScheduleBroken, LastOperandNotLoadedAgain) {
  make_pointwise();
  erase(0, Engine::load, 13);
  EXPECT_EQ(findings(), "transfer | k0, core 0, load of row | tile 3 lacks 128 bytes from byte 128 on\n");
  EXPECT_EQ(wrong("y"), box(4, 4, 64, 1, 65));
}

TEST_F(ScheduleBroken, TilesExchanged) {
  make_pointwise();
  std::swap(launch().descriptors[1].source, launch().descriptors[4].source);
  EXPECT_EQ(findings(), "transfer | k0, core 0, load of row | tile 0 copies byte 128, which it has no use for\n");
  EXPECT_EQ(wrong("y"), box(0, 4, 0, 65, 65));
}

TEST_F(ScheduleBroken, ComputeDropped) {
  make_pointwise();
  erase(0, Engine::compute, 13);
  EXPECT_EQ(findings(), "transfer | k0, core 0 | computes 3 tiles of 4\n");
}

// Core 3 joins nothing to its own sum: three quarters of K are lost.
TEST_F(ScheduleBroken, HopLeftOut) {
  make_ring();
  erase(2, Engine::ring, 2);
  erase(3, Engine::ring, 1);
  EXPECT_EQ(
      findings(),
      "transfer | k0_bmm, core 3, ring | joins the partial sums of cores 3, the loop is divided over 0, 1, 2, 3\n");
  EXPECT_EQ(wrong("out"), box(0, 3, 0, 65, 65));
}

TEST_F(ScheduleBroken, ScratchAddressOfACopy) {
  make_pointwise();
  launch().descriptors[3].target.offset += 128;
  expect_first(
      "address | k0, core 0, load of x | tile 1: byte 1024 of the buffer is at byte 640 of scratch, the descriptor has "
      "it at byte 768");
  EXPECT_EQ(wrong("y"), box(0, 4, 64, 1, 65));
}

TEST_F(ScheduleBroken, ScratchStrideOfACopy) {
  make_pointwise();
  ASSERT_EQ(launch(1).descriptors[2].nest[0], (Nest{2, 256, 1024}));
  launch(1).descriptors[2].nest[0].source_stride = 128;
  expect_first(
      "address | k1, core 0, store of y | tile 0: byte 1024 of the buffer is at byte 896 of scratch, the descriptor "
      "has "
      "it at byte 768");
  EXPECT_EQ(wrong("y"), box(0, 2, 64, 1, 65));
}

// One change of an operand's address generator; where compute 0 of k0 then finds an element of x.
TEST_F(ScheduleBroken, AddressGenerators) {
  const std::tuple<std::function<void(OperandAddress&)>, std::string, int64_t, int64_t> kCases[] = {
      {[](OperandAddress& x) { x.base -= 512; }, "(0,0)", 128, 640},
      {[](OperandAddress& x) { x.dims[0].step = 32; }, "(0,32)", 640 + 512 + 64, 640 + 64},
      {[](OperandAddress& x) { x.dims[0].origin = 1; }, "(0,0)", 128, 640},
      {[](OperandAddress& x) { x.dims[1].stride_bytes = 256; }, "(1,0)", 640 + 256, 640 + 128},
      {[](OperandAddress& x) { x.dims[1].host_dim = 1; }, "(1,0)", 640, 640 + 128},
      {[](OperandAddress& x) { x.dims[2].modulus = 16; }, "(0,16)", 640, 640 + 32},
      {[](OperandAddress& x) { x.dims.pop_back(); }, "(0,1)", 640, 640 + 2},
  };
  for (const auto& [change, element, have, want] : kCases) {
    make_pointwise();
    change(launch().computes[0].operands[0]);
    EXPECT_EQ(findings(),
              fmt::format("address | k0, core 0, compute 0, x | the instruction finds element {} at byte {} "
                          "of scratch, its tile holds it at byte {}\n",
                          element, have, want));
  }
}

TEST_F(ScheduleBroken, OtherBuffer) {
  make_doubled();
  const OperandTile& x = made_.tiles.kernels[0].operands[0];
  launch().computes[1].operands[0].base = x.address;
  expect_first(
      fmt::format("address | k0, core 0, compute 1, x | the instruction finds element (1,0) at byte {} of "
                  "scratch, its tile holds it at byte {}",
                  x.address, x.address + x.bytes));
}

TEST_F(ScheduleBroken, MissingAddress) {
  make_pointwise();
  std::vector<OperandAddress>& operands = launch().computes[0].operands;
  operands.erase(operands.begin() + 1);
  EXPECT_EQ(findings(), "address | k0, core 0, compute 0 | has no address of row\n");
}

TEST_F(ScheduleBroken, HostLayout) {
  make_pointwise();
  std::swap(machine().layouts[0].dims[0], machine().layouts[0].dims[1]);
  EXPECT_EQ(findings(), "address | host, x | the layout is not that of the tile program\n");
}

TEST_F(ScheduleBroken, Masks) {
  make_pointwise();
  launch().computes[1].valid[1] = 128;
  EXPECT_EQ(findings(), "mask | k0, core 0, compute 1 | dim 1 is masked from 128 on, the layout says 65\n");
  make_pointwise();
  launch().computes[1].box.end[1] = 64;
  EXPECT_EQ(findings(), "mask | k0, core 0, compute 1 | the box is [0,64] to [4,64], the tile's [0,64] to [4,128]\n");
  EXPECT_EQ(wrong("y"), box(0, 4, 64, 1, 65));
  make_pointwise();
  launch().computes[1].lane_dim = 0;
  EXPECT_EQ(findings(), "mask | k0, core 0, compute 1 | lanes run along dim 0, the layout's 1\n");
}

TEST_F(ScheduleBroken, Operations) {
  make_pointwise();
  machine().operations[0].nodes[2].function = Function::sub;
  EXPECT_EQ(findings(), "operation | k0, operation 2 | the emitted operation is not the kernel's\n");
  EXPECT_EQ(wrong("y"), box(0, 8, 0, 65, 65));
  make_pointwise();
  machine().operations[0].stores[0].node = 0;
  EXPECT_EQ(findings(), "operation | k0, operations | the emitted operations are not the kernel's\n");
  make_pointwise();
  launch().computes[3].unit = Unit::move;
  EXPECT_EQ(findings(), "operation | k0, core 0, compute 3 | runs on the move unit, the kernel needs vector\n");
  make_pointwise();
  launch().computes[3].operations = 1;
  EXPECT_EQ(findings(), "operation | k0, core 0, compute 3 | carries out another kernel's operations\n");
  make_pointwise();
  machine().launches.pop_back();
  expect_first("operation | kernel k1 | is launched 0 times, not once");
}

TEST_F(ScheduleBroken, Accumulators) {
  make_ring();
  launch().computes[1].first = false;
  EXPECT_EQ(findings(), "operation | k0_bmm, core 1, compute 0 | adds to what the accumulators held before\n");
  make_ring();
  launch().computes[4].first = true;
  EXPECT_EQ(findings().substr(0, findings().find('\n')),
            "operation | k0_bmm, core 3, compute 1 | clears the sum of the tiles before");
  EXPECT_EQ(wrong("out"), box(0, 3, 0, 65, 65));
  make_ring();
  launch().computes[4].last = false;
  EXPECT_EQ(findings(), "operation | k0_bmm, core 3, compute 1 | does not finish its sum\n");
}

TEST_F(ScheduleBroken, Allocations) {
  const int row = 1, t = 3;
  const std::pair<std::function<void(Allocation&)>, std::string> kCases[] = {
      {[](Allocation& place) { place.bytes = 1024; }, "t | holds 1024 of the 2048 bytes of its layout"},
      {[](Allocation& place) { place.offset = -128; }, "t | begins at byte -128 of its segment"},
      {[](Allocation& place) { place.offset = int64_t{1} << 34; }, "t | begins at byte 17179869184 of its segment"},
      {[](Allocation& place) { place.last = 0; }, "t | lives from launch 0 to 0, and k1 uses it in launch 1"},
      {[](Allocation& place) { place.offset = 768; }, "t | shares bytes with x, and both are live"},
      {[](Allocation& place) { place.offset = 2880; }, "t | leaves 64 bytes to x, and both are live"},
      {[](Allocation& place) { place.buffer = row; }, "row | has no place, or several"},
  };
  for (const auto& [change, text] : kCases) {
    make_pointwise();
    change(machine().allocations[t]);
    expect_first("allocation | allocation of " + text);
  }
  // y has taken the place of `row`, which is dead by then; kept alive, both would be there.
  make_pointwise();
  machine().allocations[row].last = 1;
  EXPECT_EQ(findings(), "allocation | allocation of y | shares bytes with row, and both are live\n");
}

}  // namespace
}  // namespace faultline
