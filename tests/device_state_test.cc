// What a card keeps and what it shows: memory states, arenas, determinism, times, the trace.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "runtime/device/chrome_trace.h"
#include "runtime/device/verify_transfer.h"
#include "tests/device_trial.h"

namespace faultline {
namespace {

using End = DeviceReport::End;

// A copy that forgets everything behind element 63 of 65.
MachineProgram short_clone() {
  MachineProgram program = machine_of(clone_sample(65), 1);
  for (Descriptor& descriptor : program.launches[0].descriptors)
    if (descriptor.target.space == Space::device) descriptor.bytes -= 128;
  return program;
}

DenseBuffers<NativeDomain> numbers(int64_t count, double first) {
  DenseBuffers<NativeDomain> inputs(1);
  for (int64_t i = 0; i < count; ++i) {
    inputs[0].emplace_back();
    inputs[0].back().real = first + static_cast<double>(i);
  }
  return inputs;
}

double last_of_short_clone(MemoryState memory, int runs, int first_poison = 0) {
  const MachineProgram program = short_clone();
  NativeDomain domain(stick_arithmetic());
  Device<NativeDomain> device(DeviceParameters{}, domain, Gate::never(), first_poison, {false, memory});
  double last = 0;
  for (int run = 0; run < runs; ++run)
    last = device.run(program, plan_job(program), numbers(65, 1 + 100 * run)).buffers[program.outputs[0]][64].real;
  return last;
}

TEST(DeviceState, FreshMemoryIsPoison) {
  NativeDomain domain(stick_arithmetic());
  const MachineProgram program = short_clone();
  for (const int poison : {0, 1}) {
    const double want = run_machine(program, domain, numbers(65, 1), poison).buffers[program.outputs[0]][64].real;
    const double have = last_of_short_clone(MemoryState::fresh, 2, poison);
    EXPECT_TRUE(have == want || (std::isnan(have) && std::isnan(want))) << have << " " << want;
  }
}

TEST(DeviceState, ZeroedMemoryIsZero) { EXPECT_EQ(last_of_short_clone(MemoryState::zeroed, 2), 0); }

// The output of the run before would have been right there, so a program that wrote it shows.
TEST(DeviceState, StaleMemoryHoldsWhatWasLeft) {
  const MachineProgram whole = machine_of(clone_sample(65), 1), cut = short_clone();
  NativeDomain domain(stick_arithmetic());
  Device<NativeDomain> device(DeviceParameters{}, domain, Gate::never(), 0, {false, MemoryState::stale});
  device.run(whole, plan_job(whole), numbers(65, 1));
  const DeviceRun<NativeDomain> run = device.run(cut, plan_job(cut), numbers(65, 500));
  EXPECT_EQ(run.buffers[cut.outputs[0]][63].real, 563);
  EXPECT_EQ(run.buffers[cut.outputs[0]][64].real, 65);
}

TEST(DeviceState, ScratchIsStaleToo) {
  MachineProgram program = machine_of(clone_sample(65), 1);
  NativeDomain domain(stick_arithmetic());
  for (const bool stale : {false, true}) {
    Device<NativeDomain> device(DeviceParameters{}, domain, Gate::never(), 0,
                                {false, stale ? MemoryState::stale : MemoryState::fresh});
    device.run(program, plan_job(program), numbers(65, 1));
    MachineProgram lazy = program;
    for (Descriptor& descriptor : lazy.launches[0].descriptors)
      if (descriptor.source.space == Space::device) descriptor.bytes = 128;
    const double last = device.run(lazy, plan_job(lazy), numbers(65, 500)).buffers[program.outputs[0]][64].real;
    EXPECT_EQ(last == 65, stale) << last;
  }
}

TEST(DeviceState, CallsAlternateBetweenTwoArenas) {
  const MachineProgram program = machine_of(clone_sample(65), 1);
  NativeDomain domain(stick_arithmetic());
  Device<NativeDomain> device(DeviceParameters{}, domain, Gate::never());
  std::vector<int64_t> arenas, addresses;
  for (int call = 0; call < 4; ++call) {
    const DeviceReport report = device.run(program, plan_job(program), numbers(65, 1), call).report;
    arenas.push_back(report.arena);
    addresses.push_back(report.requests[0].address);
  }
  const int64_t other = int64_t{8} << 30;
  EXPECT_EQ(arenas, (std::vector<int64_t>{0, other, 0, other}));
  EXPECT_EQ(addresses, (std::vector<int64_t>{128, 128 + other, 128, 128 + other}));
}

std::string words_of(const DeviceReport& report) {
  std::string text = to_chrome_trace(report);
  for (const DeviceRequest& r : report.requests)
    text += fmt::format("{} {} {} {} {} {} {} {} {} {} {} {:x} {:x}\n", static_cast<int>(r.kind), r.launch, r.core,
                        r.engine, r.item, r.begin, r.end, r.replied, r.read, r.written, r.address, r.checksum_read,
                        r.checksum_written);
  for (const std::string& event : report.memory_events) text += event + "\n";
  return text;
}

TEST(DeviceState, TheSameJobTwiceIsTheSameToTheByte) {
  for (uint64_t seed : {3, 5, 8}) {
    const KernelProgram kernels = RandomKernels(seed).take();
    const MachineProgram program = machine_of(kernels, 8);
    std::string first;
    for (int time = 0; time < 2; ++time) {
      NativeDomain domain(stick_arithmetic());
      Device<NativeDomain> device(DeviceParameters{}, domain, Gate::never(), 0, {true, MemoryState::fresh});
      const std::string words =
          words_of(device.run(program, plan_job(program), sample_inputs(kernels, domain, 3)).report);
      if (time == 0) first = words;
      EXPECT_EQ(words, first);
    }
  }
}

// clone of f16[65]: one stick of 128 bytes and one of two in, 256 bytes through scratch on one core.
TEST(DeviceState, TimesFollowTheCosts) {
  const MachineProgram program = machine_of(clone_sample(65), 1);
  NativeDomain domain(stick_arithmetic());
  Device<NativeDomain> device(DeviceParameters{}, domain, Gate::never());
  const DeviceReport report = device.run(program, plan_job(program), numbers(65, 1)).report;
  const int64_t in = 20 + 3;     // 130 bytes at 60 a tick
  const int64_t patch = 20 + 1;  // two addresses
  const int64_t copy = 20 + 2;   // 256 bytes at 150 a tick
  const int64_t compute = 2;     // 128 elements at 96 a tick
  EXPECT_EQ(report.ticks, in + patch + 1000 + copy + compute + copy + in);
  EXPECT_EQ(report.kernel_ticks, 1000 + copy + compute + copy);
  EXPECT_EQ(report.transfer_ticks, in + patch + in);
  EXPECT_EQ(report.bytes_moved, 130 + 256 + 256 + 130);
  EXPECT_EQ(report.memory, (std::vector<MemorySample>{{0, 256}, {in + patch, 512}}));
  EXPECT_TRUE(report.trace.empty());
}

// All cores' copies share the memory's bandwidth, whatever their number.
TEST(DeviceState, CoresShareTheBandwidth) {
  const KernelProgram kernels = clone_sample(64 * 512);
  NativeDomain domain(stick_arithmetic());
  for (const int cores : {4, 32}) {
    const MachineProgram program = machine_of(kernels, cores);
    Device<NativeDomain> device(DeviceParameters{}, domain, Gate::never());
    const DeviceReport report = device.run(program, plan_job(program), numbers(64 * 512, 1)).report;
    const int64_t bytes = 2 * 2 * 64 * 512;
    EXPECT_GE(report.kernel_ticks - 1000, bytes / 150);
    EXPECT_LE(report.kernel_ticks - 1000, bytes / 150 + 200) << cores;
  }
}

TEST(DeviceState, TheTraceIsReadable) {
  const MachineProgram program = machine_of(clone_sample(129), 2);
  NativeDomain domain(stick_arithmetic());
  Device<NativeDomain> device(DeviceParameters{}, domain, Gate::never(), 0, {true, MemoryState::fresh});
  const DeviceReport report = device.run(program, plan_job(program), numbers(129, 1)).report;
  const nlohmann::json json = nlohmann::json::parse(to_chrome_trace(report));
  std::map<std::string, int> phases;
  std::vector<std::string> tracks, host;
  for (const nlohmann::json& event : json["traceEvents"]) {
    ++phases[event["ph"].get<std::string>()];
    if (event["name"] == "thread_name") tracks.push_back(event["args"]["name"]);
    if (event["ph"] == "X" && event["pid"] == 0) host.push_back(event["name"]);
  }
  EXPECT_EQ(phases["C"], static_cast<int>(report.memory.size()));
  EXPECT_EQ(phases["X"], static_cast<int>(report.requests.size() + report.pauses.size()));
  EXPECT_GT(phases["i"], 0);
  EXPECT_EQ(tracks[0], "host");
  EXPECT_NE(std::find(tracks.begin(), tracks.end(), "core 0 load"), tracks.end());
  EXPECT_EQ(host, (std::vector<std::string>{"H2D x", "patch k0_clone", "launch k0_clone", "D2H y"}));
  EXPECT_TRUE(std::is_sorted(report.trace.begin(), report.trace.end(),
                             [](const TraceEvent& a, const TraceEvent& b) { return a.begin < b.begin; }));
}

TEST(DeviceState, ATraceOfAHangShowsWhatIsOpen) {
  const MachineProgram program = machine_of(clone_sample(65), 1);
  NativeDomain domain(stick_arithmetic());
  TransferAnswer lost;
  lost.no_completion = true;
  HandGate gate(kind_is(TransferSite::Kind::descriptor), lost);
  Device<NativeDomain> device(DeviceParameters{}, domain, gate, 0, {true, MemoryState::fresh});
  const DeviceReport report = device.run(program, plan_job(program), numbers(65, 1)).report;
  int open = 0;
  for (const TraceEvent& event : report.trace) open += event.kind == TraceEvent::Kind::request ? 1 : 0;
  EXPECT_EQ(open, 2);  // the launch and its copy
  EXPECT_NE(to_chrome_trace(report).find("\"completed\": false"), std::string::npos);
}

}  // namespace
}  // namespace faultline
