// Devices that misbehave at random, and programs that ask for the impossible: whatever happens is data. Races are real:
// a wait taken away changes values, and the schedule's verifier and the device agree on which waits matter.
#include <gtest/gtest.h>

#include "runtime/device/chrome_trace.h"
#include "runtime/device/verify_transfer.h"
#include "runtime/exact/exact_domain.h"
#include "tests/device_trial.h"

namespace faultline {
namespace {

using End = DeviceReport::End;

class RandomGate final : public Gate {
 public:
  RandomGate(uint64_t seed, uint32_t one_in) : stream_(seed, "random gate"), one_in_(one_in) {}
  void artefact(Layer, std::string_view, void*) override {}
  const Arithmetic& arithmetic(const Arithmetic& base) override { return base; }
  TransferAnswer transfer(const TransferSite&) override {
    TransferAnswer answer;
    if (stream_.below(one_in_) != 0) return answer;
    ++answered;
    answer.drop = coin();
    answer.duplicate = coin();
    answer.no_completion = stream_.below(32) == 0;
    answer.early_completion = coin();
    if (coin()) answer.keep_bytes = stream_.below(400);
    if (coin()) answer.address_offset = 64 * (static_cast<int64_t>(stream_.below(64)) - 32);
    if (coin()) answer.delay = stream_.below(3000);
    if (stream_.below(32) == 0) answer.error_code = 0x7b1b;
    answer.stale_arguments = coin();
    if (coin()) answer.flip_mask = static_cast<uint8_t>(1 + stream_.below(255));
    answer.flip_offset = stream_.below(300);
    return answer;
  }
  int answered = 0;

 private:
  bool coin() { return stream_.below(4) == 0; }
  PhiloxStream stream_;
  uint32_t one_in_;
};

// An engine does one piece of work at a time, however early it replies.
void expect_in_order(const DeviceReport& report) {
  std::map<std::pair<int, int>, int64_t> ends;
  for (const DeviceRequest& request : report.requests) {
    if (request.core < 0) continue;
    int64_t& end = ends[{request.core, request.engine}];
    EXPECT_GE(request.begin, end);
    EXPECT_LE(request.ready, request.begin);
    end = std::max(end, request.end);
  }
}

template <class D>
void misbehave(uint64_t seed, std::map<End, int>& ends, int& unnoticed) {
  const KernelProgram kernels = RandomKernels(seed).take();
  const MachineProgram program = machine_of(kernels, Trial({3, seed % 2 == 0, true}, spyre::kLxUsableBytes));
  const JobPlan plan = plan_job(program);
  D domain(stick_arithmetic());
  RandomGate gate(seed, 1 + static_cast<uint32_t>(seed % 40));
  Device<D> device(DeviceParameters{}, domain, gate, 1, {seed % 3 == 0, MemoryState::fresh});
  for (int call = 0; call < 3; ++call) {
    const int before = gate.answered;
    const DeviceRun<D> run = device.run(program, plan, call_inputs(kernels, domain, call), call);
    ++ends[run.report.end];
    const std::vector<Finding> findings = verify_transfer(program, plan, run.report);
    to_chrome_trace(run.report);
    expect_in_order(run.report);
    if (gate.answered == before && call == 0) {
      EXPECT_EQ(text_of(findings), "");
      EXPECT_EQ(run.report.end, End::completed);
    }
    if (run.report.end != End::completed && findings.empty()) ++unnoticed;
    EXPECT_EQ(run.report.end == End::hung, !run.report.oldest_request.empty());
  }
}

TEST(DeviceRandom, MisbehaviourIsData) {
  std::map<End, int> ends;
  int unnoticed = 0;
  for (uint64_t seed = 1; seed <= 200 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    misbehave<NativeDomain>(seed, ends, unnoticed);
    if (seed % 4 == 0) misbehave<FingerprintDomain>(seed, ends, unnoticed);
    if (seed % 16 == 0) misbehave<ExactDomain>(seed, ends, unnoticed);
  }
  for (const End end : {End::completed, End::error, End::hung}) EXPECT_GT(ends[end], 20) << static_cast<int>(end);
  EXPECT_EQ(unnoticed, 0);
}

// Changes of a machine program such as a broken compiler makes.
void distort(MachineProgram& program, PhiloxStream& stream) {
  if (program.launches.empty()) return;
  Launch& launch = program.launches[stream.below(static_cast<uint32_t>(program.launches.size()))];
  if (launch.streams.empty()) return;
  Stream& changed = launch.streams[stream.below(static_cast<uint32_t>(launch.streams.size()))];
  if (changed.instructions.empty()) return;
  const uint32_t at = stream.below(static_cast<uint32_t>(changed.instructions.size()));
  Instruction& instruction = changed.instructions[at];
  switch (stream.below(8)) {
    case 0: changed.instructions.erase(changed.instructions.begin() + at); break;
    case 1: changed.instructions.insert(changed.instructions.begin() + at, Instruction(instruction)); break;
    case 2: instruction.token += static_cast<int>(stream.below(9)) - 4; break;
    case 3: instruction.count += static_cast<int64_t>(stream.below(5)) - 2; break;
    case 4: std::swap(instruction, changed.instructions.front()); break;
    case 5:
      if (!launch.descriptors.empty()) {
        Descriptor& d = launch.descriptors[stream.below(static_cast<uint32_t>(launch.descriptors.size()))];
        d.bytes += 64 * (static_cast<int64_t>(stream.below(5)) - 2);
        d.source.offset += 64 * (static_cast<int64_t>(stream.below(5)) - 2);
        if (!d.nest.empty()) d.nest[0].count += static_cast<int64_t>(stream.below(3)) - 1;
      }
      break;
    case 6: instruction.peer = static_cast<int>(stream.below(4)); break;
    default: changed.engine = static_cast<Engine>(stream.below(kEngineCount)); break;
  }
}

TEST(DeviceRandom, ImpossibleProgramsEnd) {
  std::map<End, int> ends;
  for (uint64_t seed = 1; seed <= 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    PhiloxStream stream(seed, "distort");
    const bool ring = seed % 3 == 0;
    const KernelProgram kernels = ring ? matmul_sample(3, 256, 65, false) : RandomKernels(seed).take();
    Trial policy({4, seed % 2 == 0, seed % 5 == 0}, spyre::kLxUsableBytes);
    if (ring) policy.splits = {1, 1, 4};
    MachineProgram program = machine_of(kernels, policy);
    for (uint32_t n = 0, count = 1 + stream.below(3); n < count; ++n) distort(program, stream);
    NativeDomain domain(stick_arithmetic());
    Device<NativeDomain> device(DeviceParameters{}, domain, Gate::never(), 1, {true, MemoryState::fresh});
    const DeviceReport report = device.run(program, plan_job(program), sample_inputs(kernels, domain, 3)).report;
    ++ends[report.end];
    // Only the device itself is accused of something, and it does what it is told.
    for (const Finding& finding : verify_transfer(program, plan_job(program), report))
      EXPECT_EQ(finding.promise, "error") << finding.text;
  }
  EXPECT_GT(ends[End::completed], 100);
  EXPECT_GT(ends[End::hung], 20);
}

int count_wrong(const MachineProgram& program, const KernelProgram& kernels) {
  FingerprintDomain domain(stick_arithmetic());
  const DenseBuffers<FingerprintDomain> inputs = sample_inputs(kernels, domain, 3);
  Device<FingerprintDomain> device(DeviceParameters{}, domain, Gate::never());
  const DeviceRun<FingerprintDomain> run = device.run(program, plan_job(program), inputs);
  EXPECT_EQ(run.report.end, End::completed);
  const MemoryRun<FingerprintDomain> right = run_machine(program, domain, inputs);
  int wrong = 0;
  for (const int b : program.outputs)
    for (size_t i = 0; i < right.buffers[b].size(); ++i)
      wrong += FingerprintDomain::equal(program.buffers[b].dtype, right.buffers[b][i], run.buffers[b][i]) ? 0 : 1;
  return wrong;
}

// A consumer without its wait reads too early, on every core and for every producer.
TEST(DeviceRandom, AMissingWaitIsARealRace) {
  for (const Engine consumer : {Engine::compute, Engine::store}) {
    for (const auto& kernels : {clone_sample(129), pointwise_sample(3, 129), matmul_sample(7, 67, 150, false)}) {
      MachineProgram program = machine_of(kernels, spyre::SpyreTilePolicy({4, false, false}));
      EXPECT_EQ(count_wrong(program, kernels), 0);
      for (Launch& launch : program.launches)
        for (Stream& stream : launch.streams)
          if (stream.engine == consumer)
            std::erase_if(stream.instructions, [](const Instruction& i) { return i.opcode == Opcode::wait; });
      EXPECT_GT(count_wrong(program, kernels), 0) << kernels.name << " " << name(consumer);
    }
  }
}

TEST(DeviceRandom, AMissingWaitOnTheRingIsARealRace) {
  const KernelProgram kernels = matmul_sample(3, 256, 65, false);
  Trial policy({4, false, false}, spyre::kLxUsableBytes);
  policy.splits = {1, 1, 4};
  MachineProgram program = machine_of(kernels, policy);
  for (Stream& stream : program.launches[0].streams)
    if (stream.engine == Engine::ring)
      std::erase_if(stream.instructions, [](const Instruction& i) { return i.opcode == Opcode::wait; });
  EXPECT_GT(count_wrong(program, kernels), 0);
}

}  // namespace
}  // namespace faultline
