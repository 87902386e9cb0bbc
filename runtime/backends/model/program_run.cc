// Program runs: inputs into the domain, calls, tensors out.
#include "runtime/backends/model/program_run.h"

#include "runtime/exact/exact_domain.h"
#include "runtime/exact/fingerprint_domain.h"
#include "runtime/ir/tensor_bits.h"
#include "runtime/numerics/native_domain.h"
#include "runtime/numerics/rounding.h"

namespace faultline {

namespace {

// The first `count` elements of a storage, in the domain: host numbers, to which the storage map is applied where a
// segment starts; in fingerprints leaves named by the storage's owner.
template <class D>
std::vector<typename D::Value> elements(D&, const Tensor& tensor, const std::string&, int64_t count) {
  const DType dtype = tensor.type.dtype;
  std::vector<typename D::Value> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bits = load_bits(tensor, i);
    if (!is_float(dtype))
      values[i].integer = host_integer(dtype, bits);
    else if constexpr (std::is_same_v<D, ExactDomain>)
      values[i].value = decode_quick(host_format(dtype), bits);
    else
      values[i].real = decode_quick(host_format(dtype), bits);
  }
  return values;
}
std::vector<Fingerprint> elements(FingerprintDomain& domain, const Tensor& tensor, const std::string& name,
                                  int64_t count) {
  const DType dtype = tensor.type.dtype;
  if (is_float(dtype)) return domain.leaves(name, static_cast<size_t>(count));
  std::vector<Fingerprint> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(domain.integer(host_integer(dtype, load_bits(tensor, i)), dtype));
  return values;
}

// Host tensors made of byte tensors; those that share storage keep doing so.
template <class D>
class Importer {
 public:
  explicit Importer(D& domain) : domain_(domain) {}

  HostTensor<D> import(const Tensor& tensor, const std::string& name) {
    auto& values = storages_[tensor.storage.get()];
    if (!values) {
      const int64_t bytes = byte_size(tensor.type.dtype);
      const int64_t count = static_cast<int64_t>(tensor.storage->size()) / bytes;
      values = std::make_shared<std::vector<typename D::Value>>(elements(domain_, tensor, name, count));
    }
    return {tensor.type, values};
  }

 private:
  D& domain_;
  std::map<const void*, std::shared_ptr<std::vector<typename D::Value>>> storages_;  // looked up only, never walked
};

Scalar scalar_of(const HostTensor<NativeDomain>& tensor) {
  const NativeDomain::Value value = tensor.gather().front();
  if (is_float(tensor.type.dtype)) return value.real;
  if (tensor.type.dtype == DType::boolean) return value.integer != 0;
  return value.integer;
}

// What leaves one call. A tensor's alias is the first owner of its storage that stands before it, in the order inputs,
// attributes, outputs.
template <class D>
class Collector {
 public:
  explicit Collector(int call) : call_(call) {}

  void add(TensorRole role, const std::string& name, const HostTensor<D>& tensor) {
    constexpr const char* kOwners[] = {"output ", "input ", "attribute "};
    std::string alias;
    for (const auto& [storage, owner] : owners_)
      if (alias.empty() && storage == tensor.storage.get()) alias = owner;
    owners_.emplace_back(tensor.storage.get(), kOwners[static_cast<int>(role)] + name);
    auto& list = role == TensorRole::output ? outputs_ : others_;
    list.push_back({name, role, call_, tensor.type, std::move(alias), tensor.gather()});
  }

  // Outputs first.
  void move_to(std::vector<LeavingTensor<D>>& tensors) {
    std::move(outputs_.begin(), outputs_.end(), std::back_inserter(tensors));
    std::move(others_.begin(), others_.end(), std::back_inserter(tensors));
  }

 private:
  int call_;
  std::vector<std::pair<const void*, std::string>> owners_;
  std::vector<LeavingTensor<D>> outputs_, others_;
};

template <class D>
HostTensor<D> scalar_tensor(D& domain, const Scalar& scalar) {
  const DType dtype = std::holds_alternative<double>(scalar) ? DType::f64
                      : std::holds_alternative<bool>(scalar) ? DType::boolean
                                                             : DType::i64;
  typename D::Value value;
  if (const auto* real = std::get_if<double>(&scalar))
    value = domain.literal(real_literal(*real, dtype));
  else
    value = domain.integer(std::holds_alternative<bool>(scalar) ? std::get<bool>(scalar) : std::get<int64_t>(scalar),
                           dtype);
  return {contiguous_type(dtype, {}), std::make_shared<std::vector<typename D::Value>>(1, value)};
}

}  // namespace

template <class D>
ProgramOutcome<D> run_program(const Program& program, const CaseInputs& inputs, Capture& capture,
                              SegmentRunner<D>& runner, D& domain, Gate& gate, const RunLog* replay,
                              ItemReader<D> read_item) {
  ProgramOutcome<D> outcome;
  FrameOptions<D> options;
  options.gate = &gate;
  options.record = &outcome.log;
  options.replay = replay;
  options.read_item = std::move(read_item);
  if constexpr (std::is_same_v<D, NativeDomain>)
    if (!options.read_item) options.read_item = scalar_of;
  FrameRun<D> frames(program, capture, runner, options);
  Importer<D> state_importer(domain);
  for (const auto& [name, tensor] : inputs.attributes)
    frames.state().tensors["self." + name] = state_importer.import(tensor, "self." + name);
  for (const auto& [name, scalar] : inputs.scalar_attributes) frames.state().scalars["self." + name] = scalar;
  for (size_t c = 0; c < inputs.calls.size(); ++c) {
    const int call = static_cast<int>(c);
    Importer<D> importer(domain);
    std::map<std::string, HostTensor<D>> tensors;
    const std::string prefix = c == 0 ? std::string() : "call" + std::to_string(c) + ".";
    for (size_t p = 0; p < program.parameters.size(); ++p)
      if (program.parameters[p].tensor)
        tensors[program.parameters[p].name] =
            importer.import(inputs.calls[c].tensors[p], prefix + program.parameters[p].name);
    const std::map<std::string, HostTensor<D>> parameters = tensors;
    runner.begin_call(call);
    const CallResult<D> result = frames.call(std::move(tensors), inputs.calls[c].scalars);
    Collector<D> collector(call);
    for (const Parameter& parameter : program.parameters)
      if (parameter.tensor) collector.add(TensorRole::input_after, parameter.name, parameters.at(parameter.name));
    for (const auto& [name, tensor] : frames.state().tensors)
      if (name.starts_with("self.")) collector.add(TensorRole::attribute_after, name.substr(5), tensor);
    for (const auto& [name, value] : result.returned) {
      const auto* tensor = std::get_if<HostTensor<D>>(&value);
      collector.add(TensorRole::output, name,
                    tensor != nullptr ? *tensor : scalar_tensor(domain, std::get<Scalar>(value)));
    }
    collector.move_to(outcome.tensors);
  }
  return outcome;
}

template ProgramOutcome<NativeDomain> run_program(const Program&, const CaseInputs&, Capture&,
                                                  SegmentRunner<NativeDomain>&, NativeDomain&, Gate&, const RunLog*,
                                                  ItemReader<NativeDomain>);
template ProgramOutcome<ExactDomain> run_program(const Program&, const CaseInputs&, Capture&,
                                                 SegmentRunner<ExactDomain>&, ExactDomain&, Gate&, const RunLog*,
                                                 ItemReader<ExactDomain>);
template ProgramOutcome<FingerprintDomain> run_program(const Program&, const CaseInputs&, Capture&,
                                                       SegmentRunner<FingerprintDomain>&, FingerprintDomain&, Gate&,
                                                       const RunLog*, ItemReader<FingerprintDomain>);

}  // namespace faultline
