// Program runs: inputs into the domain, calls, tensors out.
#include "runtime/backends/model/program_run.h"

#include "runtime/exact/exact_domain.h"
#include "runtime/exact/fingerprint_domain.h"
#include "runtime/ir/tensor_bits.h"
#include "runtime/numerics/native_domain.h"

namespace faultline {

namespace {

// Every element of a storage, in the domain. Host numbers in the native one (the storage map is applied where a segment
// starts), references after the storage map in the exact one, leaves named by the storage's owner in fingerprints.
NativeDomain::Value element(const NativeDomain&, DType dtype, uint64_t bits, const std::string&, uint64_t) {
  NativeDomain::Value value;
  if (is_float(dtype))
    value.real = decode(host_format(dtype), bits);
  else
    value.integer = host_integer(dtype, bits);
  return value;
}
ExactDomain::Value element(const ExactDomain& domain, DType dtype, uint64_t bits, const std::string&, uint64_t) {
  return domain.from_host(dtype, bits);
}
FingerprintDomain::Value element(const FingerprintDomain& domain, DType dtype, uint64_t bits, const std::string& name,
                                 uint64_t index) {
  return is_float(dtype) ? domain.leaf(name, index) : domain.integer(host_integer(dtype, bits), dtype);
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
      values = std::make_shared<std::vector<typename D::Value>>();
      values->reserve(count);
      for (int64_t i = 0; i < count; ++i)
        values->push_back(element(domain_, tensor.type.dtype, load_bits(tensor, i), name, static_cast<uint64_t>(i)));
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

template <class D>
class Collector {
 public:
  void add_output(int call, const std::string& name, const HostTensor<D>& tensor) {
    add(call, TensorRole::output, name, tensor);
  }
  void add(int call, TensorRole role, const std::string& name, const HostTensor<D>& tensor) {
    std::string alias;
    for (const auto& [storage, owner] : owners_)
      if (storage == tensor.storage.get()) {
        alias = owner;
        break;
      }
    tensors.push_back({name, role, call, tensor.type, alias, tensor.gather()});
  }
  // Owners in the order in which an alias is named: inputs, attributes, earlier outputs.
  void own(const HostTensor<D>& tensor, std::string owner) {
    owners_.emplace_back(tensor.storage.get(), std::move(owner));
  }
  void begin_call() { owners_.clear(); }

  std::vector<LeavingTensor<D>> tensors;

 private:
  std::vector<std::pair<const void*, std::string>> owners_;
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
                              SegmentRunner<D>& runner, D& domain, Gate& gate, const RunLog* replay) {
  ProgramOutcome<D> outcome;
  FrameOptions<D> options;
  options.gate = &gate;
  options.record = &outcome.log;
  options.replay = replay;
  if constexpr (std::is_same_v<D, NativeDomain>) options.read_item = scalar_of;
  FrameRun<D> frames(program, capture, runner, options);
  Importer<D> state_importer(domain);
  for (const auto& [name, tensor] : inputs.attributes)
    frames.state().tensors["self." + name] = state_importer.import(tensor, "self." + name);
  for (const auto& [name, scalar] : inputs.scalar_attributes) frames.state().scalars["self." + name] = scalar;
  Collector<D> collector;
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
    collector.begin_call();
    for (const Parameter& parameter : program.parameters)
      if (parameter.tensor) collector.own(parameters.at(parameter.name), "input " + parameter.name);
    for (const auto& [name, tensor] : frames.state().tensors)
      if (name.starts_with("self.")) collector.own(tensor, "attribute " + name.substr(5));
    for (const auto& [name, value] : result.returned) {
      const auto* tensor = std::get_if<HostTensor<D>>(&value);
      const HostTensor<D> leaving = tensor != nullptr ? *tensor : scalar_tensor(domain, std::get<Scalar>(value));
      collector.add_output(call, name, leaving);
      collector.own(leaving, "output " + name);
    }
    for (const Parameter& parameter : program.parameters)
      if (parameter.tensor) collector.add(call, TensorRole::input_after, parameter.name, parameters.at(parameter.name));
    for (const auto& [name, tensor] : frames.state().tensors)
      if (name.starts_with("self.")) collector.add(call, TensorRole::attribute_after, name.substr(5), tensor);
  }
  outcome.tensors = std::move(collector.tensors);
  return outcome;
}

template ProgramOutcome<NativeDomain> run_program(const Program&, const CaseInputs&, Capture&,
                                                  SegmentRunner<NativeDomain>&, NativeDomain&, Gate&, const RunLog*);
template ProgramOutcome<ExactDomain> run_program(const Program&, const CaseInputs&, Capture&,
                                                 SegmentRunner<ExactDomain>&, ExactDomain&, Gate&, const RunLog*);
template ProgramOutcome<FingerprintDomain> run_program(const Program&, const CaseInputs&, Capture&,
                                                       SegmentRunner<FingerprintDomain>&, FingerprintDomain&, Gate&,
                                                       const RunLog*);

}  // namespace faultline
