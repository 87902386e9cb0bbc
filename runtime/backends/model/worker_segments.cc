// Dense arguments in, one dense result an output and write-back out; strides and aliases are put back here.
#include "runtime/backends/model/worker_segments.h"

#include <fmt/format.h>

#include "runtime/backends/emit/stablehlo.h"
#include "runtime/backends/model/eager_segments.h"
#include "runtime/backends/model/rung_runner.h"
#include "runtime/backends/worker/worker_pool.h"
#include "runtime/base/error.h"
#include "runtime/ir/tensor_bits.h"
#include "runtime/layers/decompose/decompose.h"

namespace faultline {

namespace {

using Values = std::vector<NativeDomain::Value>;

Tensor dense_tensor(const HostTensor<NativeDomain>& input) {
  const DType dtype = input.type.dtype;
  Tensor tensor = make_tensor(contiguous_type(dtype, input.type.sizes));
  const auto bytes = static_cast<size_t>(byte_size(dtype));
  std::byte* to = tensor.data();
  for (const NativeDomain::Value& value : input.gather()) {
    const uint64_t bits = host_bits(dtype, value);
    std::memcpy(to, &bits, bytes);
    to += bytes;
  }
  return tensor;
}

RunReply garbage(std::string text) {
  RunReply reply;
  reply.status = RunReply::Status::garbage;
  reply.text = std::move(text);
  return reply;
}

// The numbers of a result that must be of this node's type.
Values values_of(const PrimNode& node, const ValueList& results, size_t place) {
  const Tensor* tensor = place < results.size() ? results[place].tensor() : nullptr;
  if (tensor == nullptr) throw WorkerStopped(garbage(fmt::format("result {} is no tensor", place)));
  if (tensor->type.dtype != node.dtype || tensor->type.sizes != node.sizes)
    throw WorkerStopped(garbage(fmt::format("result {} is {}, the program says {}", place, to_text(tensor->type),
                                            to_text(contiguous_type(node.dtype, node.sizes)))));
  Values values(static_cast<size_t>(element_count(node.sizes)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = host_value(node.dtype, load_bits(*tensor, storage_index(tensor->type, static_cast<int64_t>(i))));
  return values;
}

}  // namespace

const WorkerSegmentRunner::Compiled& WorkerSegmentRunner::compiled(int entry, const Segment& segment) {
  const auto known = compiled_.find(entry);
  if (known != compiled_.end()) return known->second;
  Compiled made{decompose(segment), {}};
  FAULTLINE_CHECK(backend_.backend->form == "stablehlo", std::string(backend_.backend->form));
  made.program = to_stablehlo(made.prims);
  return compiled_.emplace(entry, std::move(made)).first->second;
}

std::vector<HostTensor<NativeDomain>> WorkerSegmentRunner::run(int entry, const Segment& segment,
                                                               std::span<const HostTensor<NativeDomain>> inputs) {
  const Compiled& made = compiled(entry, segment);
  RunRequest request;
  request.form = backend_.backend->form;
  request.entry = "main";
  request.program = made.program;
  request.settings = settings_;
  request.calls.emplace_back();
  for (const HostTensor<NativeDomain>& input : inputs) request.calls[0].push_back({dense_tensor(input)});
  RunReply reply = worker_pool().run(backend_, request);
  if (reply.status == RunReply::Status::timed_out) reply = worker_pool().run(backend_, request);
  if (reply.status == RunReply::Status::rejected) throw Rejected(std::string(backend_.backend->id), reply.text);
  if (reply.status != RunReply::Status::ok) throw WorkerStopped(std::move(reply));
  const ValueList& results = reply.calls.at(0).outputs;
  std::vector<Values> outputs, write_backs;
  for (const GraphOutput& output : made.prims.outputs)
    outputs.push_back(values_of(made.prims.nodes[output.node], results, outputs.size()));
  for (const WriteBack& write : made.prims.write_backs)
    write_backs.push_back(values_of(made.prims.nodes[write.node], results, outputs.size() + write_backs.size()));
  return leave_graph<NativeDomain>(made.prims, inputs, outputs, write_backs);
}

}  // namespace faultline
