// Host tensors to torch's bytes and back; storages that are shared stay shared.
#include "runtime/backends/model/eager_segments.h"

#include <cstring>
#include <map>

#include "runtime/base/error.h"
#include "runtime/eager/eager.h"
#include "runtime/eager/eager_segment.h"
#include "runtime/ir/tensor_bits.h"
#include "runtime/numerics/rounding.h"
#include "runtime/numerics/format.h"

namespace faultline {

uint64_t host_bits(DType dtype, const NativeDomain::Value& value) {
  if (is_float(dtype)) return encode_quick(host_format(dtype), value.real);
  const int bytes = byte_size(dtype);
  const auto bits = static_cast<uint64_t>(value.integer);
  return bytes == 8 ? bits : bits & ((uint64_t{1} << (8 * bytes)) - 1);
}

NativeDomain::Value host_value(DType dtype, uint64_t bits) {
  NativeDomain::Value value;
  if (is_float(dtype)) {
    value.real = decode_quick(host_format(dtype), bits);
  } else {
    value.integer = host_integer(dtype, bits);
  }
  return value;
}

namespace {

using Values = std::vector<NativeDomain::Value>;
using Bytes = std::vector<std::byte>;

std::shared_ptr<Bytes> to_bytes(DType dtype, const Values& values) {
  const auto width = static_cast<size_t>(byte_size(dtype));
  auto bytes = std::make_shared<Bytes>(values.size() * width);
  for (size_t i = 0; i < values.size(); ++i) {
    const uint64_t bits = host_bits(dtype, values[i]);
    std::memcpy(bytes->data() + i * width, &bits, width);
  }
  return bytes;
}

void from_bytes(DType dtype, const Bytes& bytes, Values& values) {
  const auto width = static_cast<size_t>(byte_size(dtype));
  values.resize(bytes.size() / width);
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * width, width);
    values[i] = host_value(dtype, bits);
  }
}

// Storages of one segment run in both forms; looked up only, never walked.
struct Storages {
  std::map<const Values*, std::shared_ptr<Bytes>> bytes;
  std::map<const Bytes*, std::shared_ptr<Values>> values;
};

}  // namespace

std::vector<HostTensor<NativeDomain>> EagerSegmentRunner::run(int, const Segment& segment,
                                                              std::span<const HostTensor<NativeDomain>> inputs) {
  Storages storages;
  std::vector<Tensor> tensors;
  for (const HostTensor<NativeDomain>& input : inputs) {
    std::shared_ptr<Bytes>& bytes = storages.bytes[input.storage.get()];
    if (!bytes) bytes = to_bytes(input.type.dtype, *input.storage);
    storages.values[bytes.get()] = input.storage;
    tensors.push_back({input.type, bytes});
  }
  EagerExecutor executor;
  const auto result = run_segment(executor, segment, tensors);
  if (const auto* error = std::get_if<EagerError>(&result)) throw UserError(segment.name + ": " + error->text);
  const auto& values = std::get<std::vector<Tensor>>(result);
  for (const HostTensor<NativeDomain>& input : inputs)
    from_bytes(input.type.dtype, *storages.bytes.at(input.storage.get()), *input.storage);
  std::vector<HostTensor<NativeDomain>> outputs;
  for (const SegmentOutput& output : segment.outputs) {
    const Tensor& tensor = values[output.value];
    std::shared_ptr<Values>& storage = storages.values[tensor.storage.get()];
    if (!storage) {
      storage = std::make_shared<Values>();
      from_bytes(tensor.type.dtype, *tensor.storage, *storage);
    }
    outputs.push_back({tensor.type, storage});
  }
  return outputs;
}

}  // namespace faultline
