// The request as a case whose inputs are given instead of drawn.
#include "runtime/run/serve_case.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "faults/fault_gate.h"
#include "runtime/base/error.h"
#include "runtime/ir/program_text.h"
#include "runtime/run/memory_need.h"
#include "runtime/run/reference.h"
#include "runtime/run/stack_trial.h"

namespace faultline {

namespace {

using Status = RunReply::Status;

std::string text_setting(const nlohmann::json& settings, const char* name, const char* otherwise) {
  const auto found = settings.find(name);
  if (found == settings.end()) return otherwise;
  if (!found->is_string()) throw UserError(fmt::format("the setting '{}' is no text", name));
  return found->get<std::string>();
}

Case case_of(const RunRequest& request) {
  const nlohmann::json& settings = request.settings;
  if (request.form != "text") throw UserError(fmt::format("no program of form '{}', only text", request.form));
  if (!settings.is_object()) throw UserError("settings are no object");
  static const std::vector<std::string> names = {"faults", "memory", "on"};
  for (const auto& [name, value] : settings.items())
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw UserError(fmt::format("no setting '{}'{}", name, did_you_mean(name, names)));
  Case made = parse_case(fmt::format("on={} memory={} program=def f(): return", text_setting(settings, "on", "spyre"),
                                     text_setting(settings, "memory", "fresh")));
  made.program = parse_program(request.program, "program");
  for (const nlohmann::json& fault : settings.value("faults", nlohmann::json::array())) {
    if (!fault.is_string()) throw UserError("a fault is no text");
    for (FaultChain& chain : parse_faults(fault.get<std::string>())) made.faults.push_back(std::move(chain));
  }
  check_faults(made.faults);
  check_memory(made);
  return made;
}

CallInputs inputs_of(const Program& program, const ValueList& arguments) {
  if (arguments.size() != program.parameters.size())
    throw UserError(fmt::format("{} arguments for {} parameters", arguments.size(), program.parameters.size()));
  CallInputs inputs;
  for (size_t p = 0; p < arguments.size(); ++p) {
    const Parameter& parameter = program.parameters[p];
    const Tensor* tensor = arguments[p].tensor();
    if (tensor == nullptr || !parameter.tensor || !(tensor->type == *parameter.tensor))
      throw UserError(fmt::format("the argument '{}' is not as its parameter says", parameter.name));
    inputs.tensors.push_back(*tensor);
  }
  return inputs;
}

Tensor tensor_of(const LeavingTensor<NativeDomain>& leaving) {
  Tensor tensor = make_tensor(leaving.type);
  const ElementBits bits = bits_of(leaving);
  const auto size = static_cast<size_t>(byte_size(leaving.type.dtype));
  for (size_t i = 0; i < bits.size(); ++i)
    std::memcpy(tensor.data() + size * static_cast<size_t>(storage_index(leaving.type, static_cast<int64_t>(i))),
                &bits[i], size);
  return tensor;
}

void take(const TrialOutcome<NativeDomain>& outcome, const ValueList& arguments, RunReply& reply) {
  if (!outcome.rejected_subject.empty()) {
    reply.status = Status::rejected;
    reply.text = outcome.rejected_subject + ": " + outcome.rejected_why;
  } else if (const std::string ended = outcome.ended(); !ended.empty()) {
    reply.status = Status::raised;
    reply.text = ended;
  } else {
    CallReply call;
    call.inputs_after = arguments;
    for (const auto& tensor : outcome.tensors)
      if (tensor.role == TensorRole::output) call.outputs.push_back({tensor_of(tensor)});
    reply.calls.push_back(std::move(call));
  }
}

}  // namespace

RunReply run_on_target(const RunRequest& request) {
  RunReply reply;
  reply.status = Status::ok;
  reply.attestation = nlohmann::json::object();
  try {
    const Case test_case = case_of(request);
    Subject subject(test_case);
    if (subject.external.backend != nullptr)
      throw UserError(fmt::format("'{}' is no modelled target", test_case.backend.id));
    nlohmann::json& fired = reply.attestation["fired"] = nlohmann::json::array();
    for (const ValueList& arguments : request.calls) {
      subject.inputs = {};
      subject.inputs.calls.push_back(inputs_of(test_case.program, arguments));
      FaultGate gate(test_case.faults);
      StackTrial trial(subject, gate);
      take(trial.run({}), arguments, reply);
      int64_t times = 0;
      for (const FaultGate::Entry& entry : gate.ledger()) times += entry.fired;
      fired.push_back(times);
      if (reply.status != Status::ok) break;
    }
  } catch (const UserError& error) {
    reply.status = Status::raised;
    reply.text = error.what();
  }
  return reply;
}

}  // namespace faultline
