// Every field of a TransferAnswer has its own visible effect, and the verifier says which promise it broke.
#include <gtest/gtest.h>

#include "runtime/device/verify_transfer.h"
#include "tests/device_trial.h"

namespace faultline {
namespace {

using Kind = TransferSite::Kind;
using End = DeviceReport::End;

struct Observed {
  std::vector<int64_t> wrong;         // elements of the output
  std::vector<std::string> promises;  // broken
  DeviceReport report;
  std::string findings;
};

// y = x[0..n) copied by one core, `calls` times with other data; what is wrong with the last call.
struct CloneCard {
  explicit CloneCard(Gate& gate, int64_t n = 129, bool trace = true, DeviceParameters parameters = {})
      : kernels(clone_sample(n)),
        program(machine_of(kernels, 1)),
        plan(plan_job(program)),
        domain(stick_arithmetic()),
        device(parameters, domain, gate, 0, {trace, MemoryState::fresh}) {}

  DenseBuffers<NativeDomain> inputs(int call) {
    DenseBuffers<NativeDomain> inputs(1);
    for (int64_t i = 0; i < program.buffers[0].sizes[0]; ++i) {
      NativeDomain::Value value;
      value.real = static_cast<double>(1 + i + 500 * call);
      inputs[0].push_back(value);
    }
    return inputs;
  }
  Observed run(int call = 0) {
    const DenseBuffers<NativeDomain> given = inputs(call);
    DeviceRun<NativeDomain> run = device.run(program, plan, given, call);
    Observed observed;
    if (run.report.end == End::completed) {
      const auto& values = run.buffers[program.outputs[0]];
      for (size_t i = 0; i < values.size(); ++i)
        if (values[i].real != given[0][i].real) observed.wrong.push_back(static_cast<int64_t>(i));
    }
    const std::vector<Finding> findings = verify_transfer(program, plan, run.report);
    observed.promises = promises_of(findings);
    observed.findings = text_of(findings);
    observed.report = std::move(run.report);
    return observed;
  }

  KernelProgram kernels;
  MachineProgram program;
  JobPlan plan;
  NativeDomain domain;
  Device<NativeDomain> device;
};

std::vector<int64_t> from_to(int64_t begin, int64_t end) {
  std::vector<int64_t> range;
  for (int64_t i = begin; i < end; ++i) range.push_back(i);
  return range;
}

Observed struck(HandGate gate, int64_t n = 129) { return CloneCard(gate, n).run(); }

HandGate::Where load_of(std::string buffer) {
  return [buffer](const TransferSite& site) { return site.kind == Kind::descriptor && site.buffer == buffer; };
}
HandGate::Where engine_signal(Engine engine) {
  return [engine](const TransferSite& site) {
    return site.kind == Kind::signal && site.channel == static_cast<int>(engine);
  };
}
HandGate::Where launch_reply() {
  return [](const TransferSite& site) { return site.kind == Kind::completion && site.core < 0; };
}
HandGate::Where compute_reply() {
  return [](const TransferSite& site) { return site.kind == Kind::completion && site.core >= 0; };
}

using Strings = std::vector<std::string>;

TEST(DeviceAnswers, NothingBrokenWithoutOne) {
  const Observed observed = struck(HandGate());
  EXPECT_EQ(observed.wrong, std::vector<int64_t>());
  EXPECT_EQ(observed.findings, "");
  EXPECT_EQ(observed.report.end, End::completed);
}

TEST(DeviceAnswers, EveryRequestAsksOnce) {
  HandGate gate;
  CloneCard card(gate);
  card.run();
  std::map<Kind, int> asked;
  for (const HandGate::Seen& seen : gate.seen) ++asked[seen.kind];
  EXPECT_EQ(asked, (std::map<Kind, int>{{Kind::host_to_device, 1},
                                        {Kind::patch, 1},
                                        {Kind::launch, 1},
                                        {Kind::descriptor, 2},
                                        {Kind::signal, 3},
                                        {Kind::completion, 2},
                                        {Kind::device_to_host, 1}}));
  EXPECT_EQ(gate.seen[0].buffer, "x");
  EXPECT_EQ(gate.seen[0].bytes, 258);
  card.run(1);
  EXPECT_EQ(gate.seen.back().index, 1);
  EXPECT_EQ(gate.seen.back().call, 1);
}

TEST(DeviceAnswers, DropMovesNothing) {
  TransferAnswer drop;
  drop.drop = true;
  for (const HandGate::Where& where : {kind_is(Kind::host_to_device), load_of("x"), load_of("y"),
                                       kind_is(Kind::device_to_host), kind_is(Kind::launch)}) {
    const Observed observed = struck({where, drop});
    EXPECT_EQ(observed.report.end, End::completed);
    EXPECT_EQ(observed.wrong, from_to(0, 129));
    EXPECT_EQ(observed.promises, Strings{"moved"}) << observed.findings;
  }
}

TEST(DeviceAnswers, KeepBytesMovesTheFirst) {
  TransferAnswer keep;
  keep.keep_bytes = 128;
  for (const HandGate::Where& where :
       {kind_is(Kind::host_to_device), load_of("x"), load_of("y"), kind_is(Kind::device_to_host)}) {
    const Observed observed = struck({where, keep});
    EXPECT_EQ(observed.wrong, from_to(64, 129));
    EXPECT_EQ(observed.promises, Strings{"bytes"}) << observed.findings;
  }
  keep.keep_bytes = 129;  // an element arrives in part
  const Observed observed = struck({kind_is(Kind::device_to_host), keep});
  EXPECT_EQ(observed.wrong, from_to(64, 129));
}

TEST(DeviceAnswers, AddressOffsetGoesAstray) {
  TransferAnswer offset;
  offset.address_offset = 128;
  const Observed inward = struck({kind_is(Kind::host_to_device), offset});
  EXPECT_EQ(inward.wrong, from_to(0, 129));  // element 64 + i holds what belongs to i
  EXPECT_EQ(inward.promises, Strings{"address"}) << inward.findings;
  offset.address_offset = -128;
  const Observed store = struck({load_of("y"), offset});
  EXPECT_EQ(store.wrong, from_to(0, 129));
  EXPECT_EQ(store.promises, Strings{"address"}) << store.findings;
  EXPECT_NE(store.report.memory_events, Strings());
  offset.address_offset = int64_t{1} << 38;  // behind the card's memory
  const Observed fault = struck({load_of("x"), offset});
  EXPECT_EQ(fault.report.end, End::error);
  EXPECT_EQ(fault.report.error_code, 0x1274u);
  EXPECT_EQ(fault.report.error_name, "ControlBlockSoftFail");
}

TEST(DeviceAnswers, FlippedBitsArrive) {
  TransferAnswer flip;
  flip.flip_mask = 0x40;
  flip.flip_offset = 131;  // the upper byte of element 65
  for (const HandGate::Where& where :
       {kind_is(Kind::host_to_device), load_of("x"), load_of("y"), kind_is(Kind::device_to_host)}) {
    const Observed observed = struck({where, flip});
    EXPECT_EQ(observed.wrong, from_to(65, 66));
    EXPECT_EQ(observed.promises, Strings{"checksum"}) << observed.findings;
  }
  flip.flip_offset = 131000;
  EXPECT_EQ(struck({load_of("x"), flip}).wrong, std::vector<int64_t>());
}

TEST(DeviceAnswers, DelayCostsTime) {
  const int64_t clean = struck(HandGate()).report.ticks;
  TransferAnswer delay;
  delay.delay = 5000;
  for (const HandGate::Where& where :
       {kind_is(Kind::host_to_device), kind_is(Kind::patch), kind_is(Kind::launch), load_of("x"), compute_reply(),
        load_of("y"), engine_signal(Engine::load), launch_reply(), kind_is(Kind::device_to_host)}) {
    const Observed observed = struck({where, delay});
    EXPECT_EQ(observed.report.ticks, clean + 5000);
    EXPECT_EQ(observed.wrong, std::vector<int64_t>());
    EXPECT_EQ(observed.promises, observed.promises.empty() ? Strings{} : Strings{"idle"}) << observed.findings;
  }
}

TEST(DeviceAnswers, EarlyCompletionLetsReadersRunAhead) {
  TransferAnswer early;
  early.early_completion = true;
  early.delay = 3000;
  for (const HandGate::Where& where :
       {kind_is(Kind::host_to_device), load_of("x"), load_of("y"), kind_is(Kind::device_to_host)}) {
    const Observed observed = struck({where, early});
    EXPECT_EQ(observed.wrong, from_to(0, 129));
    EXPECT_EQ(observed.report.end, End::completed);
    ASSERT_FALSE(observed.promises.empty());
    EXPECT_EQ(observed.promises[0], "order") << observed.findings;
  }
  const Observed launch = struck({kind_is(Kind::launch), early});
  EXPECT_EQ(launch.wrong, from_to(0, 129));
  EXPECT_EQ(launch.promises[0], "order") << launch.findings;
}

TEST(DeviceAnswers, DuplicateIsCarriedOutTwice) {
  TransferAnswer twice;
  twice.duplicate = true;
  for (const HandGate::Where& where : {kind_is(Kind::host_to_device), load_of("x"), load_of("y"),
                                       kind_is(Kind::device_to_host), kind_is(Kind::launch)}) {
    const Observed observed = struck({where, twice});
    EXPECT_EQ(observed.wrong, std::vector<int64_t>());
    ASSERT_FALSE(observed.promises.empty());
    EXPECT_EQ(observed.promises[0], "once") << observed.findings;
  }
  const Observed reply = struck({launch_reply(), twice});
  EXPECT_EQ(reply.report.end, End::completed);
  EXPECT_EQ(reply.wrong, from_to(0, 129));  // the copy out counts as done before it is
  EXPECT_EQ(reply.promises, Strings{"order"}) << reply.findings;
}

// A second signal of the loads lets a compute instruction go ahead of the load that it waits for.
TEST(DeviceAnswers, OneSignalTooMany) {
  const KernelProgram kernels = pointwise_sample(64, 1024);
  const MachineProgram program = machine_of(kernels, Trial({1, false, true}, 65536));
  TransferAnswer twice;
  twice.duplicate = true;
  HandGate gate(engine_signal(Engine::load), twice);
  NativeDomain domain(stick_arithmetic());
  Device<NativeDomain> device(DeviceParameters{}, domain, gate);
  const DeviceRun<NativeDomain> run = device.run(program, plan_job(program), sample_inputs(kernels, domain, 3));
  ASSERT_EQ(run.report.end, End::completed);
  const std::vector<Finding> findings = verify_transfer(program, plan_job(program), run.report);
  EXPECT_EQ(promises_of(findings), Strings{"order"}) << text_of(findings);
  const MemoryRun<NativeDomain> right = run_machine(program, domain, sample_inputs(kernels, domain, 3));
  int wrong = 0;
  for (size_t i = 0; i < right.buffers[4].size(); ++i)
    wrong += right.buffers[4][i].integer != run.buffers[4][i].integer ? 1 : 0;
  EXPECT_GT(wrong, 0);
}

TEST(DeviceAnswers, ErrorsAreStickyAndNamed) {
  TransferAnswer error;
  error.error_code = 0x7b1b;
  const Observed observed = struck({load_of("x"), error});
  EXPECT_EQ(observed.report.end, End::error);
  EXPECT_EQ(observed.report.error_code, 0x7b1bu);
  EXPECT_EQ(observed.report.error_name, "ComputeHardwareError");
  EXPECT_EQ(observed.report.error_place, "k0_clone, core 0 load: 384 bytes of x");
  EXPECT_EQ(observed.report.refused, 1);  // the copy out
  EXPECT_EQ(observed.promises, Strings{"error"}) << observed.findings;
  const TraceEvent& last = observed.report.trace.back();
  EXPECT_EQ(last.kind, TraceEvent::Kind::error);
  EXPECT_EQ(last.what, "0x8758 StreamInErrorState: job step 3 refused");
  for (const HandGate::Where& where : {kind_is(Kind::host_to_device), kind_is(Kind::patch), kind_is(Kind::launch),
                                       compute_reply(), engine_signal(Engine::load), launch_reply()}) {
    EXPECT_EQ(struck({where, error}).report.end, End::error);
  }
  error.error_code = 0xd9ec;
  EXPECT_EQ(struck({kind_is(Kind::device_to_host), error}).report.error_name, "0xd9ec");
}

TEST(DeviceAnswers, AnErrorEndsTheJobAndNotTheCard) {
  TransferAnswer error;
  error.error_code = 0x7b1b;
  HandGate gate(load_of("x"), error);
  CloneCard card(gate);
  EXPECT_EQ(card.run().report.end, End::error);
  const Observed next = card.run();
  EXPECT_EQ(next.report.end, End::completed);
  EXPECT_EQ(next.wrong, std::vector<int64_t>());
}

TEST(DeviceAnswers, StaleArgumentsAreThoseOfTheCallBefore) {
  TransferAnswer stale;
  stale.stale_arguments = true;
  HandGate gate([](const TransferSite& site) { return site.kind == Kind::launch && site.call == 1; }, stale);
  CloneCard card(gate);
  EXPECT_EQ(card.run(0).wrong, std::vector<int64_t>());
  const Observed second = card.run(1);
  EXPECT_EQ(second.wrong, from_to(0, 129));
  EXPECT_EQ(second.promises, Strings{"arguments"}) << second.findings;
  EXPECT_EQ(card.run(2).wrong, std::vector<int64_t>());
  // A patch that does nothing comes to the same.
  TransferAnswer drop;
  drop.drop = true;
  HandGate lazy([](const TransferSite& site) { return site.kind == Kind::patch && site.call == 1; }, drop);
  CloneCard other(lazy);
  other.run(0);
  const Observed unpatched = other.run(1);
  EXPECT_EQ(unpatched.wrong, from_to(0, 129));
  EXPECT_EQ(unpatched.promises, (Strings{"moved", "arguments"})) << unpatched.findings;
}

// With stale arguments the second call reads the first call's input, where the older arena still holds it.
TEST(DeviceAnswers, TheOlderArenaStillHoldsItsData) {
  TransferAnswer offset;
  offset.address_offset = -(int64_t{8} << 30);
  HandGate astray([](const TransferSite& site) { return site.call == 1 && site.buffer == "x" && site.core >= 0; },
                  offset);
  CloneCard two(astray);
  const DenseBuffers<NativeDomain> first = two.inputs(0);
  two.device.run(two.program, two.plan, first, 0);
  const DeviceRun<NativeDomain> run = two.device.run(two.program, two.plan, two.inputs(1), 1);
  for (size_t i = 0; i < first[0].size(); ++i) EXPECT_EQ(run.buffers[1][i].real, first[0][i].real) << i;
}

}  // namespace
}  // namespace faultline
