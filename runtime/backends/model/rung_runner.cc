// Rungs from decompose to numerics.
#include "runtime/backends/model/rung_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/base/error.h"
#include "runtime/device/verify_transfer.h"
#include "runtime/exact/exact_domain.h"
#include "runtime/exact/fingerprint_domain.h"
#include "runtime/ir/tensor_bits.h"
#include "runtime/layers/decompose/decompose.h"
#include "runtime/layers/decompose/op.h"
#include "runtime/layers/decompose/run_prims.h"
#include "runtime/layers/fuse/execute.h"
#include "runtime/layers/schedule/run_machine.h"
#include "runtime/layers/tile/run_tiles.h"
#include "runtime/numerics/native_domain.h"
#include "runtime/numerics/rounding.h"

namespace faultline {

namespace {

using NativeValues = std::vector<NativeDomain::Value>;

// Values of this dtype pass between host and device as they are.
bool passes_unchanged(const Arithmetic& arithmetic, DType dtype) {
  return is_float(dtype) && arithmetic.is_plain_transfer(dtype) &&
         arithmetic.storage_format(dtype) == host_format(dtype);
}

// The storage map of transfers on the way in: host tensors hold host numbers, the domain computes on the machine's.
void to_device(const NativeDomain& domain, DType dtype, NativeValues& values) {
  if (passes_unchanged(domain.arithmetic(), dtype)) return;
  if (!is_float(dtype)) {
    for (auto& value : values) value = domain.from_host(dtype, static_cast<uint64_t>(value.integer));
    return;
  }
  for (auto& value : values) value = domain.from_host(dtype, encode_quick(host_format(dtype), value.real));
}

// What an earlier segment computed has been through the map already, and normal numbers stay what it made of them. The
// rest need not: Spyre halves subnormals each time. The map is monotone, so its ends bound it.
Bounded mapped_again(const ExactDomain& domain, DType dtype, const Bounded& value) {
  const Format host = host_format(dtype);
  const FormatLimits& limit = limits(host);
  const bool normal = std::fabs(value.value) - value.bound >= limit.smallest_normal;
  if (host == domain.arithmetic().storage_format(dtype) || normal || !std::isfinite(value.value + value.bound))
    return value;
  const auto map = [&](double number) { return domain.from_host(dtype, encode(host, number)).value; };
  Bounded result = value;
  result.value = map(value.value);
  result.bound = std::max(std::fabs(map(value.value + value.bound) - result.value),
                          std::fabs(map(value.value - value.bound) - result.value)) +
                 limit.smallest_subnormal;
  return result;
}

void to_device(const ExactDomain& domain, DType dtype, std::vector<Bounded>& values) {
  if (passes_unchanged(domain.arithmetic(), dtype)) return;
  for (Bounded& value : values) {
    if (!is_float(dtype)) {
      const uint32_t reasons = value.reasons;
      value = domain.from_host(dtype, static_cast<uint64_t>(value.integer));
      value.reasons |= reasons;
    } else if (value.bound == 0 && value.reasons == 0) {
      value = domain.from_host(dtype, encode_quick(host_format(dtype), value.value));
    } else {
      value = mapped_again(domain, dtype, value);
    }
  }
}

void to_host(const NativeDomain& domain, DType dtype, NativeValues& values) {
  if (passes_unchanged(domain.arithmetic(), dtype)) return;
  for (auto& value : values) {
    const uint64_t bits = domain.to_host(dtype, value);
    if (is_float(dtype))
      value.real = decode_quick(host_format(dtype), bits);
    else
      value.integer = host_integer(dtype, bits);
  }
}

// A result that was only moved leaves as the map makes it; a computed one may be rounded once more on its way, where
// the host's format is the narrower one.
void to_host(const ExactDomain& domain, DType dtype, std::vector<Bounded>& values) {
  const Arithmetic& arithmetic = domain.arithmetic();
  const Format host = host_format(dtype), storage = arithmetic.storage_format(dtype);
  if (host == storage) return;
  if (!is_float(dtype)) {
    if (!is_float(storage))
      for (Bounded& value : values)
        if (wrap_integer(storage, value.integer) != value.integer) value.reasons |= Bounded::overflow;
    return;
  }
  const double largest = limits(host).largest;
  for (Bounded& value : values) {
    if (value.reasons != 0 || std::isinf(value.bound)) continue;
    if (value.bound == 0) {
      value.value = decode(host, arithmetic.device_to_host(dtype, encode(storage, value.value)));
      continue;
    }
    const double magnitude = std::fabs(value.value) + value.bound;
    if (magnitude > largest) value.reasons |= Bounded::overflow;
    value.bound += ulp(host, std::min(magnitude, largest));
  }
}

void to_device(const FingerprintDomain&, DType, std::vector<Fingerprint>&) {}
void to_host(const FingerprintDomain&, DType, std::vector<Fingerprint>&) {}

}  // namespace

template <class D>
std::vector<HostTensor<D>> leave_graph(const PrimGraph& graph, std::span<const HostTensor<D>> inputs,
                                       const std::vector<std::vector<typename D::Value>>& outputs,
                                       const std::vector<std::vector<typename D::Value>>& write_backs) {
  for (size_t w = 0; w < graph.write_backs.size(); ++w)
    HostTensor<D>{graph.write_backs[w].type, inputs[graph.write_backs[w].input].storage}.scatter(write_backs[w]);
  // Outputs that share a fresh storage get one that is large enough for all of them.
  std::vector<int64_t> elements(graph.outputs.size(), 0);
  for (size_t o = 0; o < graph.outputs.size(); ++o) {
    const int alias = graph.outputs[o].alias_output;
    int64_t& mine = elements[alias >= 0 ? alias : static_cast<int>(o)];
    mine = std::max(mine, storage_elements(graph.outputs[o].type));
  }
  std::vector<HostTensor<D>> tensors;
  for (size_t o = 0; o < graph.outputs.size(); ++o) {
    const GraphOutput& output = graph.outputs[o];
    HostTensor<D> tensor{output.type, nullptr};
    if (output.alias_input >= 0) {
      tensor.storage = inputs[output.alias_input].storage;
    } else {
      tensor.storage = output.alias_output >= 0
                           ? tensors[output.alias_output].storage
                           : std::make_shared<std::vector<typename D::Value>>(static_cast<size_t>(elements[o]));
      if (!outputs[o].empty()) tensor.scatter(outputs[o]);
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
  return {std::move(run.buffers), {}};
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
  if constexpr (std::is_same_v<D, NativeDomain>) {
    run_options.keep_nodes = options_.record != nullptr;
    if (options_.check != nullptr)
      run_options.after = [&](int node, const auto& values) { options_.check->node(compiled.prims, node, values); };
  }
  if constexpr (std::is_same_v<D, ExactDomain>) {
    if (domain_.profile().own_type_sums)
      run_options.before = [&](int node, const auto&) {
        domain_.sum_in_own_type(has_own_type_sums(compiled.prims, node));
      };
  }
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

// A graph that was compiled for another call has buffers of other sizes; its entry code sees to it that every element
// it was compiled for is there.
template <class D>
static void check_inputs(const Segment& segment, std::span<const HostTensor<D>> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorType &compiled = segment.inputs[i].type, &given = inputs[i].type;
    if (given.dtype != compiled.dtype || element_count(given.sizes) != element_count(compiled.sizes) ||
        storage_elements(compiled) > std::ssize(*inputs[i].storage))
      throw Crashed(fmt::format("{} was compiled for {} of {} and is called with {}", segment.name,
                                segment.inputs[i].name, to_text(compiled), to_text(given)));
  }
}

template <class D>
std::vector<HostTensor<D>> RungRunner<D>::run(int entry, const Segment& segment,
                                              std::span<const HostTensor<D>> inputs) {
  check_inputs(segment, inputs);
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
template <class Convert>
void RungRunner<D>::bring(const std::string& name, const TensorType& type, std::vector<typename D::Value>& values,
                          Convert convert, ShowCopy show) {
  if constexpr (std::is_same_v<D, NativeDomain>) {
    if (options_.check != nullptr && is_float(type.dtype)) {
      const NativeValues before = values;
      convert(domain_, type.dtype, values);
      return (options_.check->*show)(name, type, before, values);
    }
  }
  convert(domain_, type.dtype, values);
}

template <class D>
template <class Execute>
std::vector<HostTensor<D>> RungRunner<D>::pass_through(const PrimGraph& prims, std::span<const HostTensor<D>> inputs,
                                                       Execute execute) {
  const auto bring_in = [&](const std::string& name, const TensorType& type, auto& elements) {
    const auto convert = [](const D& domain, DType dtype, auto& all) { to_device(domain, dtype, all); };
    bring(name, type, elements, convert, &ArithmeticCheck::copy_in);
  };
  const auto bring_out = [&](const std::string& name, const TensorType& type, auto& elements) {
    const auto convert = [](const D& domain, DType dtype, auto& all) { to_host(domain, dtype, all); };
    bring(name, type, elements, convert, &ArithmeticCheck::copy_out);
  };
  std::vector<std::vector<typename D::Value>> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    values.push_back(inputs[i].gather());
    bring_in(prims.inputs[i].name, inputs[i].type, values.back());
  }
  Values results = execute(values);
  for (size_t o = 0; o < results.outputs.size(); ++o)
    bring_out(prims.outputs[o].name, prims.outputs[o].type, results.outputs[o]);
  for (size_t w = 0; w < results.write_backs.size(); ++w)
    bring_out(prims.inputs[prims.write_backs[w].input].name, prims.write_backs[w].type, results.write_backs[w]);
  return leave_graph<D>(prims, inputs, results.outputs, results.write_backs);
}

template std::vector<HostTensor<NativeDomain>> leave_graph(const PrimGraph&, std::span<const HostTensor<NativeDomain>>,
                                                           const std::vector<NativeValues>&,
                                                           const std::vector<NativeValues>&);
template class RungRunner<NativeDomain>;
template class RungRunner<ExactDomain>;
template class RungRunner<FingerprintDomain>;

}  // namespace faultline
