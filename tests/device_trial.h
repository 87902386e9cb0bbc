// What the tests of the device share: machine programs for Spyre's policies, a gate that answers by hand, and the
// comparison of a device with the in-order interpreter.
#pragma once

#include <functional>
#include <map>

#include "runtime/device/device.h"
#include "runtime/layers/schedule/run_machine.h"
#include "runtime/layers/schedule/schedule.h"
#include "tests/layout_random.h"
#include "tests/tile_trial.h"

namespace faultline {

inline MachineProgram machine_of(const KernelProgram& kernels, const TilePolicy& policy) {
  SchedulePolicy places;
  places.segments = 7;
  return schedule(tile(assign_layouts(kernels, layouts()), policy), places);
}
inline MachineProgram machine_of(const KernelProgram& kernels, int cores = 32) {
  return machine_of(kernels, spyre::SpyreTilePolicy({cores, true, false}));
}

// Answers the n-th request that `where` picks, and notes all sites.
class HandGate final : public Gate {
 public:
  using Where = std::function<bool(const TransferSite&)>;
  struct Seen {
    TransferSite::Kind kind;
    std::string buffer, kernel;
    int call, core, channel;
    int64_t index, bytes;
  };
  HandGate() = default;
  HandGate(Where where, const TransferAnswer& answer, int64_t nth = 0)
      : where_(std::move(where)), answer_(answer), nth_(nth) {}

  void artefact(Layer, std::string_view, void*) override {}
  TransferAnswer transfer(const TransferSite& site) override {
    seen.push_back({site.kind, std::string(site.buffer), std::string(site.kernel), site.call, site.core, site.channel,
                    site.index, site.bytes});
    if (!where_ || !where_(site)) return {};
    return matched_++ == nth_ ? answer_ : TransferAnswer{};
  }
  const Arithmetic& arithmetic(const Arithmetic& base) override { return base; }

  std::vector<Seen> seen;

 private:
  Where where_;
  TransferAnswer answer_;
  int64_t nth_ = 0, matched_ = 0;
};

inline HandGate::Where kind_is(TransferSite::Kind kind) {
  return [kind](const TransferSite& site) { return site.kind == kind; };
}

// Inputs of a call: other calls have the same elements at other places.
template <class D>
DenseBuffers<D> call_inputs(const KernelProgram& kernels, D& domain, int call) {
  DenseBuffers<D> inputs = sample_inputs(kernels, domain, 3);
  for (auto& values : inputs)
    if (!values.empty())
      std::rotate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(call % values.size()), values.end());
  return inputs;
}

// Memory events by the byte: "device: read_undefined y 128 by 1" -> how often. Events that touch adjacent bytes one
// after the other are joined by memory, so how they are cut depends on the order of actors beside each other.
inline std::map<std::string, int> events_by_byte(const std::vector<std::string>& events) {
  std::map<std::string, int> bytes;
  for (const std::string& event : events) {
    const size_t of = event.find(" of "), at = event.find(" at ");
    const int64_t count = std::stoll(event.substr(of + 4));
    const bool named = event.find(" at byte ") != std::string::npos;
    const size_t number = at + (named ? 9 : 12);
    const size_t end = event.find(' ', number);
    const int64_t first = std::stoll(event.substr(number, end - number));
    for (int64_t byte = first; byte < first + count; ++byte)
      ++bytes[event.substr(0, of) + " " + std::to_string(byte) + event.substr(end)];
  }
  return bytes;
}

// Empty when a clean device gives what the in-order interpreter gives.
template <class D>
std::string difference(const MachineProgram& program, D& domain, const DenseBuffers<D>& inputs, Device<D>& device,
                       int call = 0, int first_poison = 1) {
  const MemoryRun<D> want = run_machine(program, domain, inputs, first_poison);
  const DeviceRun<D> have = device.run(program, plan_job(program), inputs, call);
  if (have.report.end != DeviceReport::End::completed) return "did not complete: " + have.report.oldest_request;
  for (const int b : program.outputs) {
    if (b < 0) continue;
    if (want.buffers[b].size() != have.buffers[b].size()) return "size of " + program.buffers[b].name;
    for (size_t i = 0; i < want.buffers[b].size(); ++i)
      if (!same(program.buffers[b].dtype, want.buffers[b][i], have.buffers[b][i]))
        return fmt::format("{}[{}]", program.buffers[b].name, i);
  }
  if (events_by_byte(want.events) != events_by_byte(have.report.memory_events)) return "memory events";
  return "";
}

}  // namespace faultline
