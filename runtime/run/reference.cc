// Eager and exact references.
#include "runtime/run/reference.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/backends/model/eager_segments.h"
#include "runtime/base/error.h"
#include "runtime/eager/eager.h"
#include "runtime/eager/interpreter.h"
#include "runtime/ir/program_text.h"
#include "runtime/ir/tensor_bits.h"
#include "runtime/numerics/format.h"

namespace faultline {

namespace {

// A Python scalar that leaves is a tensor without dims.
Tensor scalar_tensor(const Value& value) {
  Tensor tensor = make_tensor(contiguous_type(DType::i64, {}));
  if (const auto* real = std::get_if<double>(&value.value)) {
    tensor.type.dtype = DType::f64;
    std::memcpy(tensor.data(), real, sizeof *real);
  } else if (const auto* flag = std::get_if<bool>(&value.value)) {
    tensor.type.dtype = DType::boolean;
    *tensor.data() = static_cast<std::byte>(*flag);
  } else {
    const int64_t number = std::get<int64_t>(value.value);
    std::memcpy(tensor.data(), &number, sizeof number);
  }
  return tensor;
}

// Which call made a name last, in reading order.
void index_operations(const std::vector<Statement>& block, Reference& reference, std::map<std::string, int>& makers) {
  for (const Statement& statement : block) {
    const int number = static_cast<int>(reference.operations.size());
    reference.operations.emplace_back();
    if (const auto* call = std::get_if<CallStatement>(&statement.value)) {
      reference.operations[number] = call->target;
      for (const std::string& result : call->results) makers[result] = number;
      const std::string_view base = std::string_view(call->target).substr(0, call->target.rfind('.'));
      const auto* written = call->arguments.empty() ? nullptr : std::get_if<ValueName>(&call->arguments[0].value);
      if (base.ends_with('_') && written != nullptr) makers[written->text] = number;
    } else if (const auto* write = std::get_if<WriteAttribute>(&statement.value)) {
      const auto* source = std::get_if<ValueName>(&write->value.value);
      if (source != nullptr && makers.contains(source->text)) makers[write->attribute] = makers[source->text];
    } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      index_operations(branch->then_branch, reference, makers);
      index_operations(branch->else_branch, reference, makers);
    }
  }
}

std::string refusal(const Program& program, int statement, const std::string& why) {
  const std::string text = statement < 0 ? "" : statement_text(program, statement);
  if (text.empty()) return fmt::format("eager PyTorch refuses {}: {}", program.name, why);
  return fmt::format("eager PyTorch refuses {} at statement {}, {}: {}", program.name, statement + 1, text, why);
}

}  // namespace

ValueList argument_values(const Program& program, const CallInputs& inputs) {
  ValueList values;
  for (size_t p = 0; p < program.parameters.size(); ++p) {
    const Parameter& parameter = program.parameters[p];
    values.push_back(parameter.tensor ? Value{inputs.tensors[p]} : to_value(inputs.scalars.at(parameter.name)));
  }
  return values;
}

ElementBits bits_of(const Tensor& tensor) {
  ElementBits bits(static_cast<size_t>(element_count(tensor.type.sizes)));
  for (size_t i = 0; i < bits.size(); ++i)
    bits[i] = load_bits(tensor, storage_index(tensor.type, static_cast<int64_t>(i)));
  return bits;
}

std::vector<LeavingValue> leaving_values(const CallOutcome& outcome, int call) {
  std::vector<LeavingValue> values;
  const auto add = [&](TensorRole role, const std::vector<NamedValue>& all) {
    for (const NamedValue& named : all) {
      const auto* tensor = std::get_if<Tensor>(&named.value.value);
      const bool scalar = std::holds_alternative<double>(named.value.value) ||
                          std::holds_alternative<int64_t>(named.value.value) ||
                          std::holds_alternative<bool>(named.value.value);
      if (tensor == nullptr && (role != TensorRole::output || !scalar)) continue;
      values.push_back({named.name, role, call, tensor != nullptr ? *tensor : scalar_tensor(named.value), named.alias});
    }
  };
  add(TensorRole::output, outcome.outputs);
  add(TensorRole::input_after, outcome.inputs_after);
  add(TensorRole::attribute_after, outcome.attributes_after);
  return values;
}

void add_reference(const LeavingValue& value, Reference& reference, const std::map<std::string, int>& makers) {
  TensorEvidence evidence;
  evidence.name = value.name;
  evidence.role = value.role;
  evidence.call = value.call;
  evidence.eager_type = value.tensor.type;
  evidence.eager_alias = value.alias;
  evidence.eager = bits_of(value.tensor);
  reference.tensors.push_back(std::move(evidence));
  const auto maker = makers.find(value.name);
  reference.tensor_operation.push_back(maker == makers.end() ? -1 : maker->second);
}

Reference eager_reference(const Program& program, const CaseInputs& inputs, bool keep_raised) {
  Reference reference;
  if (const EagerStatus status = eager_status(); !status.available) {
    reference.unavailable = status.why_not;
    return reference;
  }
  std::map<std::string, int> makers;
  index_operations(program.body, reference, makers);
  const CaseInputs data = copy_inputs(inputs);
  std::map<std::string, Value> attributes;
  for (const auto& [name, tensor] : data.attributes) attributes[name] = {tensor};
  for (const auto& [name, scalar] : data.scalar_attributes) attributes[name] = to_value(scalar);
  EagerExecutor executor;
  EagerInterpreter interpreter(program, executor, attributes);
  for (size_t c = 0; c < data.calls.size(); ++c) {
    const CallOutcome outcome = interpreter.run(argument_values(program, data.calls[c]));
    if (outcome.error && keep_raised && outcome.error->kind == EagerError::Kind::raised) {
      reference.raised = to_text(*outcome.error);
      reference.tensors.clear();
      reference.tensor_operation.clear();
      return reference;
    }
    if (outcome.error) throw UserError(refusal(program, outcome.error_statement, to_text(*outcome.error)));
    for (const LeavingValue& value : leaving_values(outcome, static_cast<int>(c)))
      add_reference(value, reference, makers);
  }
  return reference;
}

ElementReference reference_of(const LeavingTensor<ExactDomain>& exact, size_t elements) {
  ElementReference reference;
  if (exact.values.size() != elements) return reference;
  const bool real = is_float(exact.type.dtype);
  for (const Bounded& value : exact.values) {
    reference.exact.push_back(real ? value.value : static_cast<double>(value.integer));
    reference.bound.push_back(real ? value.bound : 0);
    reference.untrusted.push_back(value.reasons);
    const bool open = !real && exact.choices && value.reasons == Bounded::branch && value.choice > 0;
    if (open) reference.choices.emplace(std::ssize(reference.exact) - 1, (*exact.choices)[value.choice - 1]);
  }
  return reference;
}

ElementBits bits_of(const LeavingTensor<NativeDomain>& tensor) {
  ElementBits bits;
  bits.reserve(tensor.values.size());
  for (const NativeDomain::Value& value : tensor.values) bits.push_back(host_bits(tensor.type.dtype, value));
  return bits;
}

}  // namespace faultline
