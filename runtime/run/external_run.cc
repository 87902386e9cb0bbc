// Requests and replies.
#include "runtime/run/external_run.h"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/backends/emit/python_program.h"
#include "runtime/backends/model/eager_segments.h"
#include "runtime/backends/model/worker_segments.h"
#include "runtime/backends/worker/worker_pool.h"
#include "runtime/base/error.h"
#include "runtime/eager/alias_names.h"
#include "runtime/run/reference.h"

namespace faultline {

namespace {

nlohmann::json with_options(const Subject& subject, nlohmann::json settings) {
  for (const auto& [id, value] : subject.test_case.backend.options)
    for (const BackendOption& option : subject.external.backend->options)
      if (option.id == id) settings.merge_patch(option.settings(value));
  return settings;
}

// State under the names that Python gives it; what the program writes only is None before.
std::vector<std::pair<std::string, Value>> attributes_of(const Subject& subject,
                                                         const std::map<std::string, std::string>& names) {
  std::vector<std::pair<std::string, Value>> attributes;
  for (const auto& [path, name] : names) {
    Value value{NoneArgument{}};
    if (const auto tensor = subject.inputs.attributes.find(path); tensor != subject.inputs.attributes.end())
      value = {tensor->second};
    if (const auto scalar = subject.inputs.scalar_attributes.find(path);
        scalar != subject.inputs.scalar_attributes.end())
      value = to_value(scalar->second);
    attributes.emplace_back(name, value);
  }
  return attributes;
}

RunRequest python_file_request(const Subject& subject, nlohmann::json settings) {
  RunRequest request;
  request.form = "python_file";
  request.is_open = true;
  request.program = subject.test_case.python.text;
  request.entry = subject.test_case.python.entry;
  request.settings = std::move(settings);
  return request;
}

RunRequest request_of(const Subject& subject, const BackendRung& rung) {
  if (!subject.test_case.python.text.empty())
    return python_file_request(subject, with_options(subject, nlohmann::json::parse(rung.settings)));
  const Program& program = subject.test_case.program;
  const PythonProgram python = python_program(program);
  RunRequest request;
  request.form = subject.external.backend->form;
  request.program = python.source;
  request.entry = python.entry;
  request.settings = with_options(subject, nlohmann::json::parse(rung.settings));
  request.attributes = attributes_of(subject, python_attribute_names(program));
  for (const CallInputs& call : subject.inputs.calls) request.calls.push_back(argument_values(program, call));
  return request;
}

// The reply's values under the program's names, with who shares storage with whom.
CallOutcome named(const Program& program, const std::map<std::string, std::string>& attribute_names,
                  const CallReply& reply) {
  CallOutcome outcome;
  Snapshot snapshot;
  AliasNames aliases(snapshot);
  for (size_t p = 0; p < program.parameters.size() && p < reply.inputs_after.size(); ++p)
    outcome.inputs_after.push_back(aliases.add("input", program.parameters[p].name, reply.inputs_after[p]));
  size_t at = 0;
  for (const auto& [path, name] : attribute_names) {
    if (at == reply.attributes_after.size()) break;
    const Value& value = reply.attributes_after[at++].second;
    if (!std::holds_alternative<NoneArgument>(value.value))
      outcome.attributes_after.push_back(aliases.add("attribute", path, value));
  }
  for (size_t r = 0; r < program.returns.size() && r < reply.outputs.size(); ++r)
    outcome.outputs.push_back(aliases.add("output", program.returns[r], reply.outputs[r]));
  return outcome;
}

LeavingTensor<NativeDomain> native(const LeavingValue& value) {
  LeavingTensor<NativeDomain> tensor{value.name, value.role, value.call, value.tensor.type, value.alias, {}};
  for (const uint64_t bits : bits_of(value.tensor)) tensor.values.push_back(host_value(value.tensor.type.dtype, bits));
  return tensor;
}

std::string during(const RunReply& reply) {
  return reply.phase.empty() ? std::string() : fmt::format(" in phase {}", reply.phase);
}

// Why there are no values. What the worker wrote last is no part of it: that differs from run to run.
void set_end(const RunReply& reply, std::string_view backend, TrialOutcome<NativeDomain>& outcome) {
  const auto abrupt = [&](std::string_view how) {
    outcome.crashed =
        fmt::format("{}{}{}{}", how, how.empty() || reply.text.empty() ? "" : ": ", reply.text, during(reply));
  };
  switch (reply.status) {
    case RunReply::Status::ok: return;
    case RunReply::Status::rejected:
      outcome.rejected_subject = backend;
      outcome.rejected_why = reply.text;
      return;
    case RunReply::Status::raised: outcome.raised = reply.text + during(reply); return;
    case RunReply::Status::timed_out: outcome.hung = true; return;
    case RunReply::Status::out_of_memory: abrupt("out of memory"); return;
    case RunReply::Status::garbage: abrupt("an answer that is none"); return;
    case RunReply::Status::crashed: abrupt(""); return;
    case RunReply::Status::unavailable: return;
  }
}

// What a Python file leaves comes under names of its own: "output y", "input x", "gradient x", "state table".
void take_named(const NamedValues& named, int call, ExternalRun& run) {
  Snapshot snapshot;
  AliasNames aliases(snapshot);
  CallOutcome outcome;
  for (const auto& [full, value] : named) {
    const size_t blank = std::min(full.find(' '), full.size());
    const std::string role = full.substr(0, blank), name = full.substr(std::min(blank + 1, full.size()));
    if (const auto* text = std::get_if<Keyword>(&value.value); role == "state")
      run.state.push_back({name, call, text != nullptr ? text->text : "no text"});
    else if (role == "input")
      outcome.inputs_after.push_back(aliases.add(role, name, value));
    else if (role == "attribute")
      outcome.attributes_after.push_back(aliases.add(role, name, value));
    else
      outcome.outputs.push_back(aliases.add("output", role == "output" ? name : full, value));
  }
  for (LeavingValue& value : leaving_values(outcome, call)) run.values.push_back(std::move(value));
}

void take_values(const Subject& subject, const RunReply& reply, ExternalRun& run) {
  const Program& program = subject.test_case.program;
  const std::map<std::string, std::string> names = python_attribute_names(program);
  for (size_t c = 0; c < reply.calls.size(); ++c) {
    const int call = static_cast<int>(c);
    if (subject.test_case.python.text.empty())
      for (LeavingValue& value : leaving_values(named(program, names, reply.calls[c]), call))
        run.values.push_back(std::move(value));
    else
      take_named(reply.calls[c].attributes_after, call, run);
  }
  for (const LeavingValue& value : run.values) run.outcome.tensors.push_back(native(value));
}

// A tracer that gives up falls back to eager, which would pass for a compiler without mistakes.
bool compiled_nothing(const RunRequest& request, const RunReply& reply) {
  if (reply.status != RunReply::Status::ok || request.settings.value("backend", "") == "none") return false;
  const auto graphs = reply.attestation.find("graphs");
  return graphs != reply.attestation.end() && graphs->is_number_integer() && graphs->get<int64_t>() == 0;
}

ExternalRun run_request(const Subject& subject, const RunRequest& request) {
  ExternalRun run;
  RunReply reply = worker_pool().run(subject.external, request);
  if (reply.status == RunReply::Status::timed_out) reply = worker_pool().run(subject.external, request);
  run.phase = reply.phase;
  if (reply.status == RunReply::Status::unavailable) {
    run.unavailable = reply.text;
    return run;
  }
  set_end(reply, subject.external.backend->id, run.outcome);
  if (compiled_nothing(request, reply)) {
    run.outcome.rejected_subject = subject.external.backend->id;
    run.outcome.rejected_why = "no graph was compiled: the program ran as eager does";
  } else if (reply.status == RunReply::Status::ok) {
    take_values(subject, reply, run);
  }
  return run;
}

}  // namespace

// A compiler of graphs: the project captures, and every segment is a request.
static ExternalRun run_segments(const Subject& subject, const BackendRung& rung) {
  if (!subject.test_case.python.text.empty())
    throw UserError(fmt::format("{} takes programs, not Python files", subject.external.backend->id));
  ExternalRun run;
  NativeDomain domain(host_arithmetic());
  Capture capture;
  const CaseInputs inputs = copy_inputs(subject.inputs);
  WorkerSegmentRunner runner(subject.external, with_options(subject, nlohmann::json::parse(rung.settings)));
  try {
    ProgramOutcome<NativeDomain> outcome =
        run_program(subject.test_case.program, inputs, capture, runner, domain, Gate::never());
    run.outcome.tensors = std::move(outcome.tensors);
    run.outcome.log = std::move(outcome.log);
  } catch (const Rejected& rejected) {
    run.outcome.rejected_subject = rejected.subject();
    run.outcome.rejected_why = rejected.what();
  } catch (const UserError& error) {  // eager's run ended: this one read other numbers
    run.outcome.raised = error.what();
  } catch (const WorkerStopped& stopped) {
    run.phase = stopped.reply().phase;
    if (stopped.reply().status == RunReply::Status::unavailable)
      run.unavailable = stopped.reply().text;
    else
      set_end(stopped.reply(), subject.external.backend->id, run.outcome);
  }
  return run;
}

ExternalRun run_external(const Subject& subject, const BackendRung& rung) {
  if (subject.external.backend->form != "python") return run_segments(subject, rung);
  return run_request(subject, request_of(subject, rung));
}

ExternalRun run_python_eager(const Subject& subject, bool wide) {
  return run_request(subject,
                     python_file_request(subject, with_options(subject, {{"backend", "none"}, {"wide", wide}})));
}

std::vector<LeavingTensor<NativeDomain>> in_order_of(const std::vector<TensorEvidence>& reference,
                                                     std::vector<LeavingTensor<NativeDomain>> tensors) {
  std::vector<LeavingTensor<NativeDomain>> ordered;
  for (const TensorEvidence& wanted : reference) {
    const auto is_it = [&](const auto& mine) {
      return mine.name == wanted.name && mine.role == wanted.role && mine.call == wanted.call;
    };
    const auto found = std::find_if(tensors.begin(), tensors.end(), is_it);
    if (found != tensors.end())
      ordered.push_back(std::move(*found));
    else
      ordered.push_back({wanted.name, wanted.role, wanted.call, wanted.eager_type, wanted.eager_alias, {}});
  }
  return ordered;
}

}  // namespace faultline
