// Inputs of a case, from data sources.
#include "runtime/backends/model/case_inputs.h"

#include "runtime/base/error.h"
#include "runtime/numerics/data_source.h"

namespace faultline {

namespace {

const CallInput* given(const CallSpec& call, const std::string& name) {
  const auto found = call.inputs.find(name);
  return found == call.inputs.end() ? nullptr : &found->second;
}

Scalar scalar_input(const Parameter& parameter, const CallInput* input) {
  if (input != nullptr && input->scalar) return *input->scalar;
  if (parameter.default_scalar) return *parameter.default_scalar;
  throw UserError("parameter '" + parameter.name + "' has no value: give it a default, or one in `call`");
}

// Unless the text names one, every call draws its own data.
uint64_t call_seed(uint64_t seed, size_t call) { return seed + 1000003 * call; }

CallInputs make_call(const Program& program, const CallSpec& call, uint64_t seed) {
  const std::vector<Parameter>& parameters = program.parameters;
  CallInputs inputs;
  inputs.tensors.resize(parameters.size());
  std::vector<TensorType> types(parameters.size());
  for (size_t p = 0; p < parameters.size(); ++p) {
    const CallInput* input = given(call, parameters[p].name);
    if (parameters[p].tensor) types[p] = input != nullptr && input->tensor ? *input->tensor : *parameters[p].tensor;
  }
  for (size_t p = 0; p < parameters.size(); ++p) {
    const Parameter& parameter = parameters[p];
    const CallInput* input = given(call, parameter.name);
    if (!parameter.tensor) {
      inputs.scalars[parameter.name] = scalar_input(parameter, input);
    } else if (!parameter.alias_of.empty()) {
      size_t owner = 0;
      while (parameters[owner].name != parameter.alias_of) ++owner;
      inputs.tensors[p] = {types[p], inputs.tensors[owner].storage};
    } else {
      const DataSource source = input != nullptr ? input->data : DataSource{};
      inputs.tensors[p] =
          materialise(types[p], source, seed, parameter.name, shared_storage_elements(parameters, types, p));
    }
  }
  return inputs;
}

}  // namespace

CaseInputs make_inputs(const Program& program, uint64_t seed) {
  CaseInputs inputs;
  const size_t calls = std::max<size_t>(1, program.calls.size());
  for (size_t c = 0; c < calls; ++c)
    inputs.calls.push_back(
        make_call(program, program.calls.empty() ? CallSpec{} : program.calls[c], call_seed(seed, c)));
  for (const auto& [name, attribute] : program.attributes) {
    if (const auto* scalar = std::get_if<Scalar>(&attribute.value)) {
      inputs.scalar_attributes[name] = *scalar;
    } else if (const Tensor& tensor = std::get<Tensor>(attribute.value); tensor.storage) {
      inputs.attributes[name] = tensor;
    } else {
      inputs.attributes[name] = materialise(attribute.type, attribute.data, seed, name);
    }
  }
  return inputs;
}

CaseInputs copy_inputs(const CaseInputs& inputs) {
  CaseInputs copy = inputs;
  std::map<const void*, std::shared_ptr<std::vector<std::byte>>> storages;  // looked up only, never walked
  const auto own = [&](Tensor& tensor) {
    if (!tensor.storage) return;
    auto& mine = storages[tensor.storage.get()];
    if (!mine) mine = std::make_shared<std::vector<std::byte>>(*tensor.storage);
    tensor.storage = mine;
  };
  for (CallInputs& call : copy.calls)
    for (Tensor& tensor : call.tensors) own(tensor);
  for (auto& [name, tensor] : copy.attributes) own(tensor);
  return copy;
}

}  // namespace faultline
