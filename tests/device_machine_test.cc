// A clean device gives what the in-order interpreter of schedule gives, bit for bit, whatever the program.
#include <gtest/gtest.h>

#include "runtime/layers/fuse/fuse.h"
#include "tests/device_trial.h"
#include "tests/fuse_random.h"

namespace faultline {
namespace {

template <class D>
void expect_equal(const KernelProgram& kernels, const MachineProgram& program) {
  D domain(stick_arithmetic());
  Device<D> device(DeviceParameters{}, domain, Gate::never(), 1);
  for (int call = 0; call < 3; ++call) {
    const DenseBuffers<D> inputs = call_inputs(kernels, domain, call);
    EXPECT_EQ(difference(program, domain, inputs, device, call), "") << "call " << call;
  }
}

TEST(DeviceMachine, NamedSamples) {
  for (const auto& [name, kernels] : named_samples()) {
    SCOPED_TRACE(name);
    for (const int cores : {1, 3, 32}) expect_equal<NativeDomain>(kernels, machine_of(kernels, cores));
    expect_equal<FingerprintDomain>(kernels, machine_of(kernels, 32));
    if (HasFailure()) break;
  }
}

TEST(DeviceMachine, DoubleBuffersInSmallScratch) {
  for (const auto& [name, kernels] : named_samples()) {
    SCOPED_TRACE(name);
    for (const bool twice : {false, true}) {
      try {
        expect_equal<NativeDomain>(kernels, machine_of(kernels, Trial({4, true, twice}, 8192)));
      } catch (const Rejected& rejected) {
        EXPECT_EQ(rejected.subject(), "capacity");
      }
    }
    if (HasFailure()) break;
  }
}

TEST(DeviceMachine, SumsDividedOverCores) {
  const KernelProgram kernels = matmul_sample(3, 256, 65, false);
  Trial policy({4, false, false}, spyre::kLxUsableBytes);
  for (const std::vector<int64_t>& splits : {std::vector<int64_t>{1, 1, 4}, std::vector<int64_t>{1, 2, 2}}) {
    policy.splits = splits;
    expect_equal<NativeDomain>(kernels, machine_of(kernels, policy));
    expect_equal<FingerprintDomain>(kernels, machine_of(kernels, policy));
  }
}

TEST(DeviceMachine, RandomKernels) {
  int refused = 0;
  for (uint64_t seed = 1; seed <= 60 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const KernelProgram kernels = RandomKernels(seed).take();
    PhiloxStream stream(seed, "device options");
    static constexpr int kCores[] = {1, 2, 3, 8, 32};
    static constexpr int64_t kBytes[] = {2048, 8192, 65536, spyre::kLxUsableBytes};
    const spyre::TileOptions options{kCores[stream.below(5)], stream.below(2) == 1, stream.below(2) == 1};
    try {
      const MachineProgram program = machine_of(kernels, Trial(options, kBytes[stream.below(4)]));
      expect_equal<NativeDomain>(kernels, program);
      expect_equal<FingerprintDomain>(kernels, program);
    } catch (const Rejected& rejected) {
      EXPECT_EQ(rejected.subject(), "capacity");
      ++refused;
    }
  }
  EXPECT_LT(refused, 15);
}

TEST(DeviceMachine, RandomGraphs) {
  int refused = 0;
  for (uint64_t seed = 1; seed <= 60 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    SeededChoices choices(seed, "random graph");
    const KernelProgram kernels = fuse(fuse_test::RandomGraph(choices).make(), FuseOptions{});
    try {
      const MachineProgram program = machine_of(kernels, 1 + static_cast<int>(seed % 4));
      expect_equal<NativeDomain>(kernels, program);
      expect_equal<FingerprintDomain>(kernels, program);
    } catch (const Rejected&) {
      ++refused;
    }
  }
  EXPECT_LT(refused, 40);
}

// Programs that an earlier layer broke: what they read and write beside their buffers is the same too.
TEST(DeviceMachine, BrokenProgramsBreakAlike) {
  const KernelProgram kernels = pointwise_sample(3, 129);
  const std::function<void(MachineProgram&)> breaks[] = {
      [](MachineProgram& p) { p.launches[0].descriptors.back().bytes -= 128; },
      [](MachineProgram& p) { p.launches[0].descriptors[0].bytes += 512; },
      [](MachineProgram& p) { p.launches[1].descriptors.back().target.offset += 128; },
      [](MachineProgram& p) { p.allocations[static_cast<size_t>(p.outputs[0])].bytes -= 128; },
      [](MachineProgram& p) { p.launches[0].computes[0].valid.back() = 64; },
  };
  int recorded = 0;
  for (const auto& break_it : breaks) {
    for (const int cores : {1, 3}) {
      MachineProgram program = machine_of(kernels, spyre::SpyreTilePolicy({cores, false, false}));
      break_it(program);
      expect_equal<NativeDomain>(kernels, program);
      expect_equal<FingerprintDomain>(kernels, program);
      NativeDomain domain(stick_arithmetic());
      recorded += run_machine(program, domain, sample_inputs(kernels, domain, 3)).events.empty() ? 0 : 1;
    }
  }
  EXPECT_GE(recorded, 6);
}

}  // namespace
}  // namespace faultline
