// The watchdog: what it calls the oldest request, who waits for whom, and the cycle.
#include <gtest/gtest.h>

#include "runtime/device/verify_transfer.h"
#include "tests/device_trial.h"

namespace faultline {
namespace {

using Kind = TransferSite::Kind;
using End = DeviceReport::End;

struct HungCard {
  HungCard(Gate& gate, int64_t n = 65, int cores = 1)
      : kernels(clone_sample(n)),
        program(machine_of(kernels, cores)),
        domain(stick_arithmetic()),
        device(DeviceParameters{}, domain, gate) {}
  DeviceReport run() {
    DeviceRun<NativeDomain> run = device.run(program, plan_job(program), sample_inputs(kernels, domain, 3));
    for (const auto& values : run.buffers) EXPECT_TRUE(values.empty() || run.report.end == End::completed);
    return run.report;
  }
  std::vector<Finding> findings(const DeviceReport& report) {
    return verify_transfer(program, plan_job(program), report);
  }

  KernelProgram kernels;
  MachineProgram program;
  NativeDomain domain;
  Device<NativeDomain> device;
};

TransferAnswer lost_reply() {
  TransferAnswer answer;
  answer.no_completion = true;
  return answer;
}

TEST(DeviceHang, NamesTheCopyThatNeverReplied) {
  HandGate gate([](const TransferSite& site) { return site.kind == Kind::descriptor && site.buffer == "x"; },
                lost_reply());
  HungCard card(gate);
  const DeviceReport report = card.run();
  ASSERT_EQ(report.end, End::hung);
  EXPECT_EQ(report.ticks, 1'000'000);
  const DeviceRequest& load = report.requests[3];
  EXPECT_EQ(report.oldest_request,
            fmt::format("k0_clone, core 0 load: 256 bytes of x (request 3, job step 2), {} ticks old",
                        1'000'000 - load.begin));
  EXPECT_EQ(
      report.waits,
      (std::vector<std::string>{
          "host waits for launch k0_clone (job step 2)", "k0_clone, core 0 load waits for request 3 to complete",
          "k0_clone, core 0 store waits for signal 1 of token 1 (0 so far), which k0_clone, core 0 compute is to give",
          "k0_clone, core 0 compute waits for signal 1 of token 0 (0 so far), which k0_clone, core 0 load is to "
          "give"}));
  EXPECT_EQ(report.cycle, std::vector<std::string>());
  const std::vector<Finding> findings = card.findings(report);
  ASSERT_EQ(findings.size(), 1u) << text_of(findings);
  EXPECT_EQ(findings[0].promise, "request");
  EXPECT_EQ(findings[0].place, "request 3, k0_clone, core 0 load: 256 bytes of x");
}

TEST(DeviceHang, EveryLostReplyHangsTheJob) {
  const std::pair<Kind, std::string> sites[] = {
      {Kind::host_to_device, "H2D x (request 0, job step 0), 1000000 ticks old"},
      {Kind::patch, "patch k0_clone (request 1, job step 1), "},
      {Kind::launch, "launch k0_clone (request 2, job step 2), "},
      {Kind::device_to_host, "D2H y (request 6, job step 3), "}};
  for (const auto& [kind, oldest] : sites) {
    HandGate gate(kind_is(kind), lost_reply());
    HungCard card(gate);
    const DeviceReport report = card.run();
    ASSERT_EQ(report.end, End::hung);
    EXPECT_EQ(report.oldest_request.substr(0, oldest.size()), oldest);
    EXPECT_EQ(promises_of(card.findings(report)), std::vector<std::string>{"request"});
  }
}

TEST(DeviceHang, ALostSignalLeavesNoRequestButAWait) {
  TransferAnswer drop;
  drop.drop = true;
  HandGate gate(
      [](const TransferSite& site) {
        return site.kind == Kind::signal && site.channel == static_cast<int>(Engine::compute);
      },
      drop);
  HungCard card(gate);
  const DeviceReport report = card.run();
  ASSERT_EQ(report.end, End::hung);
  EXPECT_EQ(report.oldest_request.substr(0, 15), "launch k0_clone");
  EXPECT_EQ(report.waits.back(),
            "k0_clone, core 0 store waits for signal 1 of token 1 (0 so far), which nothing gives any more");
  const std::vector<Finding> findings = card.findings(report);
  EXPECT_EQ(text_of(findings),
            "signal | k0_clone, core 0 store | waits for signal 1 of token 1, and core 0 compute has done what comes "
            "before it\n");
}

// Waits that form a cycle are the program's own fault: no promise of the transfer is broken.
TEST(DeviceHang, ShowsTheCycle) {
  HungCard card(Gate::never());
  for (Stream& stream : card.program.launches[0].streams)
    if (stream.engine == Engine::load)
      stream.instructions.insert(stream.instructions.begin(), {.opcode = Opcode::wait, .token = 1, .count = 1});
  const DeviceReport report = card.run();
  ASSERT_EQ(report.end, End::hung);
  EXPECT_EQ(
      report.cycle,
      (std::vector<std::string>{
          "k0_clone, core 0 load waits for signal 1 of token 1 (0 so far), which k0_clone, core 0 compute is to give",
          "k0_clone, core 0 compute waits for signal 1 of token 0 (0 so far), which k0_clone, core 0 load is to "
          "give"}));
  EXPECT_EQ(text_of(card.findings(report)), "");
}

TEST(DeviceHang, AWaitForNothingAndAReceiveFromNobody) {
  HungCard card(Gate::never());
  Launch& launch = card.program.launches[0];
  launch.streams.push_back({0, Engine::ring, {{.opcode = Opcode::receive, .compute = 0, .peer = 7}}});
  EXPECT_EQ(card.run().waits.back(),
            "k0_clone, core 0 ring waits for partial results of core 7, which nothing sends any more");
  launch.streams.back().instructions[0] = {.opcode = Opcode::wait, .token = 99, .count = 1};
  EXPECT_EQ(card.run().waits.back(),
            "k0_clone, core 0 ring waits for signal 1 of token 99 (0 so far), which nothing gives any more");
}

TEST(DeviceHang, LatenessBeyondTheLimitCounts) {
  TransferAnswer delay;
  delay.delay = 2'000'000;
  HandGate gate(kind_is(Kind::launch), delay);
  HungCard card(gate);
  const DeviceReport report = card.run();
  EXPECT_EQ(report.end, End::hung);
  EXPECT_EQ(report.oldest_request.substr(0, 15), "launch k0_clone");
  delay.delay = 900'000;
  HandGate patient(kind_is(Kind::launch), delay);
  EXPECT_EQ(HungCard(patient).run().end, End::completed);
}

// A long job is given ten times its own estimate.
TEST(DeviceHang, TheLimitGrowsWithTheJob) {
  const KernelProgram kernels = clone_sample(200'000);
  const MachineProgram program = machine_of(kernels, 1);
  DeviceParameters slow;
  slow.device_bytes_per_tick = 0.1;  // two copies of 400,000 bytes: 8,000,000 ticks
  NativeDomain domain(stick_arithmetic());
  Device<NativeDomain> device(slow, domain, Gate::never());
  const DeviceRun<NativeDomain> run = device.run(program, plan_job(program), sample_inputs(kernels, domain, 3));
  EXPECT_EQ(run.report.end, End::completed);
  EXPECT_GT(run.report.ticks, 8'000'000);
  slow.watchdog_ticks = 1'000'000;
  Device<NativeDomain> impatient(slow, domain, Gate::never());
  EXPECT_EQ(impatient.run(program, plan_job(program), sample_inputs(kernels, domain, 3)).report.end, End::hung);
}

TEST(DeviceHang, AHangEndsTheJobAndNotTheCard) {
  HandGate gate(kind_is(Kind::launch), lost_reply());
  HungCard card(gate);
  EXPECT_EQ(card.run().end, End::hung);
  EXPECT_EQ(card.run().end, End::completed);
}

// A partial result lost between cores.
TEST(DeviceHang, ALostPartialResult) {
  const KernelProgram kernels = matmul_sample(3, 256, 65, false);
  Trial policy({4, false, false}, spyre::kLxUsableBytes);
  policy.splits = {1, 1, 4};
  const MachineProgram program = machine_of(kernels, policy);
  TransferAnswer drop;
  drop.drop = true;
  HandGate gate(
      [](const TransferSite& site) {
        return site.kind == Kind::descriptor && site.channel == static_cast<int>(Engine::ring) && site.core == 1;
      },
      drop);
  NativeDomain domain(stick_arithmetic());
  Device<NativeDomain> device(DeviceParameters{}, domain, gate);
  const DeviceReport report = device.run(program, plan_job(program), sample_inputs(kernels, domain, 3)).report;
  ASSERT_EQ(report.end, End::hung);
  EXPECT_NE(std::find(report.waits.begin(), report.waits.end(),
                      "k0_mm, core 2 ring waits for partial results of core 1, which nothing sends any more"),
            report.waits.end());
  const std::vector<Finding> findings = verify_transfer(program, plan_job(program), report);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].promise, "moved") << text_of(findings);
}

}  // namespace
}  // namespace faultline
