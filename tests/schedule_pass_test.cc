// The schedule pass and its in-order interpreter: machine programs give what tiles give, bit for bit, and the verifier
// has nothing to say.
#include <gtest/gtest.h>

#include "runtime/layers/decompose/decompose.h"
#include "runtime/layers/fuse/fuse.h"
#include "runtime/layers/schedule/allocate.h"
#include "runtime/layers/schedule/run_machine.h"
#include "tests/decompose_samples.h"
#include "tests/fuse_random.h"
#include "tests/layout_random.h"
#include "tests/schedule_trial.h"

namespace faultline {
namespace {

template <class D>
void expect_tiles_and_machine_agree(const KernelProgram& kernels, const Scheduled& made) {
  D domain(stick_arithmetic());
  const DenseBuffers<D> inputs = sample_inputs(kernels, domain, 3);
  const MemoryRun<D> tiles = run_tiles(made.tiles, domain, inputs, 1);
  const MemoryRun<D> machine = run_machine(made.machine, domain, inputs, 1);
  EXPECT_EQ(machine.events, std::vector<std::string>());
  int compared = 0;
  for (size_t b = 0; b < kernels.buffers.size(); ++b) {
    if (kernels.buffers[b].role != BufferRole::output) continue;
    ASSERT_EQ(machine.buffers[b].size(), tiles.buffers[b].size());
    std::vector<size_t> wrong;
    for (size_t i = 0; i < tiles.buffers[b].size(); ++i)
      if (!same(kernels.buffers[b].dtype, machine.buffers[b][i], tiles.buffers[b][i])) wrong.push_back(i);
    EXPECT_EQ(wrong, std::vector<size_t>()) << kernels.buffers[b].name << "\n" << to_text(made.tiles);
    ++compared;
  }
  EXPECT_GE(compared, std::min<int>(1, static_cast<int>(kernels.outputs.size())));
}

void check(const KernelProgram& kernels, const Scheduled& made) {
  EXPECT_EQ(text_of(verify_schedule(made.tiles, made.machine)), "");
  expect_tiles_and_machine_agree<NativeDomain>(kernels, made);
  expect_tiles_and_machine_agree<FingerprintDomain>(kernels, made);
}

// True unless the program was refused: for want of scratch, or because Spyre turns no sticks of f32.
bool check(const KernelProgram& kernels, const TilePolicy& policy, const SchedulePolicy& schedules = {}) {
  SCOPED_TRACE(fmt::format("{} cores, scratch {}, residency {}, double buffer {}", policy.cores(),
                           policy.scratch_bytes(), policy.residency(), policy.double_buffer()));
  Scheduled made;
  try {
    made = scheduled(kernels, policy, schedules);
  } catch (const Rejected& rejected) {
    EXPECT_TRUE(rejected.subject() == "capacity" || rejected.subject() == "f32") << rejected.subject();
    return false;
  }
  check(kernels, made);
  return true;
}

TEST(SchedulePass, SamplesEqualTiles) {
  for (const auto& [name, kernels] : named_samples()) {
    SCOPED_TRACE(name);
    for (const int cores : {1, 2, 32}) {
      EXPECT_TRUE(check(kernels, spyre::SpyreTilePolicy({cores, true, false})));
      EXPECT_TRUE(check(kernels, Trial({cores, false, true}, 40960)));
    }
    check(kernels, Trial({2, false, true}, 1024));
    if (HasFailure()) break;
  }
}

TEST(SchedulePass, RandomKernelsEqualTiles) {
  int refused = 0;
  for (uint64_t seed = 2000; seed < 2100; ++seed) {
    SCOPED_TRACE(seed);
    if (!check(RandomKernels(seed).take(), random_policy(seed))) ++refused;
    if (HasFailure()) break;
  }
  EXPECT_LT(refused, 20);
}

// Two scratch buffers for every operand, in scratch memory of twice the size.
void double_every_buffer(TileProgram& tiles) {
  int64_t most = 0;
  for (TileKernel& kernel : tiles.kernels) {
    int64_t end = 0;
    for (OperandTile& operand : kernel.operands) {
      operand.address = end;
      operand.buffers = 2;
      end += 2 * operand.bytes;
    }
    most = std::max(most, end);
  }
  tiles.scratch_bytes = most;
}

TEST(SchedulePass, TwoBuffersEqualTiles) {
  size_t tiles = 0;
  for (uint64_t seed = 3000; seed < 3040; ++seed) {
    SCOPED_TRACE(seed);
    const KernelProgram kernels = RandomKernels(seed).take();
    try {
      Scheduled made = scheduled(kernels, Trial({2, false, false}, 2048));
      double_every_buffer(made.tiles);
      made.machine = schedule(made.tiles, {});
      check(kernels, made);
      for (const Launch& launch : made.machine.launches) tiles = std::max(tiles, launch.computes.size());
    } catch (const Rejected&) {
    }
    if (HasFailure()) break;
  }
  EXPECT_GT(tiles, 16u);
}

// From random prim graphs on, fused or one prim a kernel.
TEST(SchedulePass, RandomGraphsEqualTiles) {
  int refused = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    SeededChoices choices(seed, "schedule graphs");
    FuseOptions options;
    options.fusion = seed % 2 == 0;
    if (!check(fuse(fuse_test::RandomGraph(choices).make(), options), random_policy(seed))) ++refused;
    if (HasFailure()) break;
  }
  EXPECT_LT(refused, 20);
}

// From ATen calls on.
TEST(SchedulePass, ProgramsEqualTiles) {
  for (const char* text : {
           "def f(x: f16[65]): y = aten.clone(x); return y",
           "def f(x: f16[5,67], w: f16[67,70], b: f16[70]): y = aten.addmm(b, x, w); z = aten.relu(y); return z",
           "def f(x: f16[3,130]): y = aten.softmax.int(x, 1); return y",
           "def f(x: f16[4,96]): y = aten.var.correction(x, [1], correction=1); return y",
           "def f(x: f16[7,33], y: f16[33,7]): t = aten.t(y); z = aten.mul.Tensor(x, t); return z",
       }) {
    SCOPED_TRACE(text);
    const KernelProgram kernels = fuse(decompose(testing::segment_of(text)));
    for (const int cores : {1, 3, 32}) EXPECT_TRUE(check(kernels, spyre::SpyreTilePolicy({cores, true, true})));
  }
}

// Partial sums hop along the ring: K alone over four cores, and over two with N over two more.
TEST(SchedulePass, SumsDividedOverCores) {
  const KernelProgram kernels = matmul_sample(3, 256, 65, false);
  for (const std::vector<int64_t>& splits : {std::vector<int64_t>{1, 1, 4}, {1, 2, 2}, {3, 1, 4}}) {
    Trial policy({12, false, false}, spyre::kLxUsableBytes);
    policy.splits = splits;
    EXPECT_TRUE(check(kernels, policy));
    const MachineProgram machine = scheduled(kernels, policy).machine;
    int64_t hops = 0;
    for (const Stream& stream : machine.launches[0].streams)
      hops += std::count_if(stream.instructions.begin(), stream.instructions.end(),
                            [](const Instruction& each) { return each.opcode == Opcode::send; });
    EXPECT_EQ(hops, splits[0] * splits[1] * (splits[2] - 1));
  }
}

// x -> t -> y, each one stick of 128 bytes: y begins to live after x has died.
KernelProgram chain_sample() {
  return parse_kernel_program(R"(kernels chain:
  input x: f16[64]
  intermediate t: f16[64]
  output y: f16[64]
  takes x
  k0 pointwise (i0 < 64):
    %0: f16 = load x[i0]
    %1: f16 = neg(%0)
    t = %1
  k1 pointwise (i0 < 64):
    %0: f16 = load t[i0]
    %1: f16 = neg(%0)
    y = %1
  return y
)");
}

// Guards of 128 bytes stand before, between and behind.
TEST(SchedulePass, DeviceMemoryIsPlannedByLiveRange) {
  const spyre::SpyreTilePolicy policy({1, false, false});
  SchedulePolicy schedules;
  EXPECT_EQ(scheduled(chain_sample(), policy, schedules).machine.allocations,
            (std::vector<Allocation>{{0, 0, 128, 128, -1, 0}, {1, 0, 384, 128, 0, 1}, {2, 0, 128, 128, 1, 2}}));
  schedules.reuse_memory = false;
  EXPECT_EQ(scheduled(chain_sample(), policy, schedules).machine.allocations[2], (Allocation{2, 0, 640, 128, 1, 2}));
  EXPECT_TRUE(check(chain_sample(), policy, schedules));
  schedules.segments = 2;
  schedules.segment_bytes = 768;
  EXPECT_EQ(scheduled(chain_sample(), policy, schedules).machine.allocations[2], (Allocation{2, 1, 128, 128, 1, 2}));
  EXPECT_TRUE(check(chain_sample(), policy, schedules));
  schedules.segments = 1;
  try {
    scheduled(chain_sample(), policy, schedules);
    FAIL();
  } catch (const Rejected& rejected) {
    EXPECT_EQ(rejected.subject(), "device memory");
    EXPECT_STREQ(rejected.what(), "buffer y of 128 bytes fits in none of 1 segments of 768 bytes");
  }
}

}  // namespace
}  // namespace faultline
