// Rungs from decompose to numerics.
#include "runtime/backends/model/rung_runner.h"

#include <fmt/format.h>

#include "runtime/base/error.h"
#include "runtime/device/verify_transfer.h"
#include "runtime/exact/exact_domain.h"
#include "runtime/exact/fingerprint_domain.h"
#include "runtime/ir/tensor_bits.h"
#include "runtime/layers/decompose/decompose.h"
#include "runtime/layers/decompose/run_prims.h"
#include "runtime/layers/fuse/execute.h"
#include "runtime/layers/schedule/run_machine.h"
#include "runtime/layers/tile/run_tiles.h"
#include "runtime/numerics/native_domain.h"

namespace faultline {

namespace {

using NativeValues = std::vector<NativeDomain::Value>;

// The storage map of transfers on the way in: host tensors hold host numbers, the domain computes on the machine's.
void to_device(const NativeDomain& domain, DType dtype, NativeValues& values) {
  if (!is_float(dtype)) {
    for (auto& value : values) value = domain.from_host(dtype, static_cast<uint64_t>(value.integer));
    return;
  }
  for (auto& value : values) value = domain.from_host(dtype, encode(host_format(dtype), value.real));
}

// What an earlier segment computed has been through the map already.
void to_device(const ExactDomain& domain, DType dtype, std::vector<Bounded>& values) {
  for (Bounded& value : values) {
    if (!is_float(dtype)) {
      value = domain.from_host(dtype, static_cast<uint64_t>(value.integer));
    } else if (value.bound == 0 && value.reasons == 0) {
      value = domain.from_host(dtype, encode(host_format(dtype), value.value));
    }
  }
}

void to_host(const NativeDomain& domain, DType dtype, NativeValues& values) {
  for (auto& value : values) {
    const uint64_t bits = domain.to_host(dtype, value);
    if (is_float(dtype))
      value.real = decode(host_format(dtype), bits);
    else
      value.integer = host_integer(dtype, bits);
  }
}

template <class D>
void to_device(const D&, DType, std::vector<typename D::Value>&) {}
template <class D>
void to_host(const D&, DType, std::vector<typename D::Value>&) {}

}  // namespace

template <class D>
std::vector<HostTensor<D>> leave_graph(const PrimGraph& graph, std::span<const HostTensor<D>> inputs,
                                       const std::vector<std::vector<typename D::Value>>& outputs,
                                       const std::vector<std::vector<typename D::Value>>& write_backs) {
  for (size_t w = 0; w < graph.write_backs.size(); ++w)
    HostTensor<D>{graph.write_backs[w].type, inputs[graph.write_backs[w].input].storage}.scatter(write_backs[w]);
  std::vector<HostTensor<D>> tensors;
  for (size_t o = 0; o < graph.outputs.size(); ++o) {
    const GraphOutput& output = graph.outputs[o];
    HostTensor<D> tensor{output.type, nullptr};
    if (output.alias_input >= 0) {
      tensor.storage = inputs[output.alias_input].storage;
    } else if (output.alias_output >= 0) {
      tensor.storage = tensors[output.alias_output].storage;
    } else {
      tensor.storage = std::make_shared<std::vector<typename D::Value>>(storage_elements(output.type));
      tensor.scatter(outputs[o]);
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

DeviceStopped::DeviceStopped(const DeviceReport& report)
    : std::runtime_error(
          report.end == DeviceReport::End::hung
              ? "hung; oldest outstanding request: " + report.oldest_request
              : fmt::format("device error 0x{:x} {} at {}", report.error_code, report.error_name, report.error_place)),
      hung_(report.end == DeviceReport::End::hung) {}

template <class D>
MemoryRun<D> RungRunner<D>::run_device(const CompiledSegment& compiled,
                                       const std::vector<std::vector<typename D::Value>>& inputs) {
  FAULTLINE_CHECK(options_.device != nullptr, "this rung runs on a device");
  DeviceRun<D> run = options_.device->run(compiled.machine, compiled.plan, inputs, call_);
  for (Finding& finding : verify_transfer(compiled.machine, compiled.plan, run.report))
    report_.transfers.push_back(std::move(finding));
  report_.device.push_back(std::move(run.report));
  const DeviceReport& report = report_.device.back();
  if (report.end != DeviceReport::End::completed) throw DeviceStopped(report);
  return {std::move(run.buffers), report.memory_events};
}

template <class D>
typename RungRunner<D>::Values RungRunner<D>::run_buffers(const CompiledSegment& compiled,
                                                          const std::vector<std::vector<typename D::Value>>& inputs) {
  MemoryRun<D> run;
  switch (options_.rung) {
    case Layer::fuse: run.buffers = run_kernels(compiled.kernels, domain_, inputs); break;
    case Layer::layout: run = run_layout(compiled.layouts, domain_, inputs, options_.first_poison); break;
    case Layer::tile: run = run_tiles(compiled.tiles, domain_, inputs, options_.first_poison); break;
    case Layer::schedule: run = run_machine(compiled.machine, domain_, inputs, options_.first_poison); break;
    default: run = run_device(compiled, inputs); break;
  }
  report_.memory_events.insert(report_.memory_events.end(), run.events.begin(), run.events.end());
  Values values;
  for (const int b : compiled.kernels.outputs)
    values.outputs.push_back(b >= 0 ? run.buffers[b] : std::vector<typename D::Value>());
  for (const int b : compiled.kernels.write_backs) values.write_backs.push_back(run.buffers[b]);
  return values;
}

template <class D>
typename RungRunner<D>::Values RungRunner<D>::run_decompose(const CompiledSegment& compiled,
                                                            const std::vector<std::vector<typename D::Value>>& inputs) {
  if constexpr (std::is_same_v<D, FingerprintDomain>) {
    if (options_.beside != nullptr) {
      FAULTLINE_CHECK(beside_used_ < options_.beside->size(), "more segments ran than were recorded");
      auto result = run_prims_in_lockstep(compiled.prims, domain_, inputs, (*options_.beside)[beside_used_++]);
      return {std::move(result.outputs), std::move(result.write_backs)};
    }
  }
  PrimRunOptions<D> run_options;
  if constexpr (std::is_same_v<D, NativeDomain>) run_options.keep_nodes = options_.record != nullptr;
  PrimResult<D> result = run_prims(compiled.prims, domain_, inputs, run_options);
  Values values{result.outputs, result.write_backs};
  if constexpr (std::is_same_v<D, NativeDomain>)
    if (options_.record != nullptr) options_.record->push_back(std::move(result));
  return values;
}

template <class D>
typename RungRunner<D>::Values RungRunner<D>::execute(const CompiledSegment& compiled,
                                                      const std::vector<std::vector<typename D::Value>>& inputs) {
  return options_.rung == Layer::decompose ? run_decompose(compiled, inputs) : run_buffers(compiled, inputs);
}

template <class D>
std::vector<HostTensor<D>> RungRunner<D>::run(int entry, const Segment& segment,
                                              std::span<const HostTensor<D>> inputs) {
  const CompiledSegment& compiled = stack_.compile(entry, segment, options_.rung);
  return pass_through(compiled.prims, inputs, [&](const auto& values) { return execute(compiled, values); });
}

// Nobody is at the gate here: what no compiler touches, no fault of a compiler changes.
template <class D>
std::vector<HostTensor<D>> RungRunner<D>::run_eager(int, const Segment& segment,
                                                    std::span<const HostTensor<D>> inputs) {
  CompiledSegment eager;
  eager.prims = decompose(segment);
  return pass_through(eager.prims, inputs, [&](const auto& values) { return run_decompose(eager, values); });
}

template <class D>
template <class Execute>
std::vector<HostTensor<D>> RungRunner<D>::pass_through(const PrimGraph& prims, std::span<const HostTensor<D>> inputs,
                                                       Execute execute) {
  std::vector<std::vector<typename D::Value>> values;
  for (const HostTensor<D>& input : inputs) {
    values.push_back(input.gather());
    to_device(domain_, input.type.dtype, values.back());
  }
  Values results = execute(values);
  for (size_t o = 0; o < results.outputs.size(); ++o) to_host(domain_, prims.outputs[o].type.dtype, results.outputs[o]);
  for (size_t w = 0; w < results.write_backs.size(); ++w)
    to_host(domain_, prims.write_backs[w].type.dtype, results.write_backs[w]);
  return leave_graph<D>(prims, inputs, results.outputs, results.write_backs);
}

template class RungRunner<NativeDomain>;
template class RungRunner<ExactDomain>;
template class RungRunner<FingerprintDomain>;

}  // namespace faultline
