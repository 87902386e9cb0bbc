// References, one run, and what its device reported.
#include "runtime/run/compare_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "checkers/compare.h"
#include "runtime/backends/model/eager_segments.h"
#include "runtime/backends/external/torch_compile.h"
#include "runtime/base/error.h"
#include "runtime/base/parallel.h"
#include "runtime/exact/bounded.h"
#include "runtime/run/external_case.h"
#include "runtime/run/measured_bound.h"
#include "runtime/run/zero_sign.h"

namespace faultline {

namespace {

DeviceEvidence device_evidence(const TrialOutcome<NativeDomain>& outcome) {
  DeviceEvidence evidence;
  for (const DeviceReport& report : outcome.report.device) {
    evidence.ticks += report.ticks;
    evidence.kernel_ticks += report.kernel_ticks;
    evidence.transfer_ticks += report.transfer_ticks;
    evidence.bytes_moved += report.bytes_moved;
    evidence.outside_writes.insert(evidence.outside_writes.end(), report.outside_writes.begin(),
                                   report.outside_writes.end());
    if (report.end == DeviceReport::End::completed) continue;
    evidence.end = report.end == DeviceReport::End::hung ? DeviceEvidence::End::hung : DeviceEvidence::End::error;
    evidence.error_code = report.error_code;
    evidence.error_name = report.error_name;
    evidence.oldest_request = report.oldest_request;
    evidence.waits = report.waits;
    evidence.cycle = report.cycle;
  }
  for (const Finding& finding : outcome.report.transfers)
    evidence.transfer_findings.push_back({finding.promise, finding.place, finding.text});
  return evidence;
}

// What the program does, as far as it decides which kinds of faults are possible.
void add_preconditions(const ModelStack& stack, Evidence& evidence) {
  constexpr double kRounded = 0.5;  // ulps of what is correctly rounded
  const ErrorProfile profile;
  for (int entry = 0; entry < stack.entries(); ++entry) {
    const CompiledSegment* compiled = stack.compiled(entry);
    if (compiled == nullptr || stack.depth(entry) < Layer::decompose) continue;
    evidence.writes = evidence.writes || !compiled->prims.write_backs.empty();
    for (const PrimNode& node : compiled->prims.nodes) {
      if (node.prim == Prim::reduce || node.prim == Prim::dot) evidence.reduces = true;
      if (node.prim == Prim::broadcast && compiled->prims.nodes[node.operands[0]].prim != Prim::literal)
        evidence.broadcasts = true;
      if (node.prim == Prim::pointwise && is_float(node.dtype) && profile.ulps_of(node.function) > kRounded)
        evidence.approximates = true;
    }
  }
}

// What an element of fresh memory reads as, by number of the pattern that the memory holds: device memory has pattern
// 0, a core's scratch memory 1000 * (core + 1). As results come: through a host value, which keeps no NaN payload.
std::vector<uint64_t> poison_values(const Arithmetic& arithmetic, DType dtype) {
  constexpr int kPatterns = 40001;
  const NativeDomain domain(arithmetic);
  const int bytes = domain.element_bytes(dtype);
  std::vector<uint64_t> values;
  for (int pattern = 0; pattern < kPatterns; ++pattern) {
    std::byte cells[16];
    for (int byte = 0; byte < bytes; ++byte) cells[byte] = domain.poison_cell(pattern, byte);
    values.push_back(host_bits(dtype, host_value(dtype, domain.to_host(dtype, domain.load(cells, dtype)))));
  }
  return values;
}

// Where both runs show one pattern and the next, that is what nobody wrote.
void name_poison(const Subject& subject, TensorEvidence& tensor) {
  if (tensor.actual.size() != tensor.eager.size() || tensor.actual_second_poison.size() != tensor.actual.size()) return;
  if (tensor.actual == tensor.actual_second_poison) return;
  const std::vector<uint8_t> failing = compare_elements(tensor, tensor.actual).failing;
  std::vector<uint64_t> values;
  for (size_t i = 0; i < failing.size(); ++i) {
    const uint64_t first = tensor.actual[i], second = tensor.actual_second_poison[i];
    if (first == second) continue;
    if (values.empty()) values = poison_values(subject.model->arithmetic(), tensor.actual_type.dtype);
    const std::array pair = {first, second};
    if (std::search(values.begin(), values.end(), pair.begin(), pair.end()) == values.end()) continue;
    tensor.poison = first;
    tensor.second_poison = second;
    return;
  }
}

}  // namespace

std::string structure_difference(const std::vector<TensorEvidence>& tensors,
                                 const std::vector<LeavingTensor<NativeDomain>>& mine) {
  for (size_t t = 0; t < tensors.size(); ++t) {
    if (t >= mine.size()) return tensors[t].name + " is missing";
    if (!(mine[t].type == tensors[t].eager_type))
      return fmt::format("{} is {}, eager has {}", tensors[t].name, to_text(mine[t].type),
                         to_text(tensors[t].eager_type));
    if (mine[t].alias != tensors[t].eager_alias)
      return fmt::format("{} shares storage with {}, in eager with {}", tensors[t].name,
                         mine[t].alias.empty() ? "nothing" : mine[t].alias,
                         tensors[t].eager_alias.empty() ? "nothing" : tensors[t].eager_alias);
  }
  return {};
}

bool is_mismatch(Outcome seen) { return seen != Outcome::pass && seen != Outcome::untrusted; }

size_t suspect(const Evidence& evidence) {
  for (size_t t = 0; t < evidence.tensors.size(); ++t)
    if (compare_elements(evidence.tensors[t], evidence.tensors[t].actual).wrong > 0) return t;
  return 0;
}

void fill_actual(std::vector<TensorEvidence>& tensors, const TrialOutcome<NativeDomain>& outcome) {
  for (size_t t = 0; t < tensors.size() && t < outcome.tensors.size(); ++t) {
    tensors[t].actual_type = outcome.tensors[t].type;
    tensors[t].actual_alias = outcome.tensors[t].alias;
    tensors[t].actual = bits_of(outcome.tensors[t]);
    if (t < outcome.earlier.size()) tensors[t].previous_call = bits_of(outcome.earlier[t]);
  }
  // The same output one call earlier, where calls have one shape.
  for (size_t t = 0; t < tensors.size(); ++t)
    for (size_t before = 0; before < t; ++before)
      if (tensors[before].name == tensors[t].name && tensors[before].role == tensors[t].role &&
          tensors[before].call + 1 == tensors[t].call && tensors[before].actual_type == tensors[t].actual_type)
        tensors[t].previous_call = tensors[before].actual;
}

LaterRun::LaterRun(const Subject& subject, Comparison& comparison) : gate_(subject.test_case.faults) {
  if (subject.reads_data || comparison.outcome.log.entries.empty()) {
    own_ = std::make_unique<StackTrial>(subject, gate_);
    trial_ = own_.get();
  } else {
    trial_ = comparison.trial.get();
    replay_ = &comparison.outcome.log;
  }
}

void add_second_poison(const Subject& subject, Comparison& comparison) {
  LaterRun run(subject, comparison);
  TrialOptions options;
  options.first_poison = 1;
  options.replay = run.replay();
  const TrialOutcome<NativeDomain> outcome = run.trial().run(options, run.device_gate());
  std::vector<TensorEvidence>& tensors = comparison.evidence.tensors;
  for (size_t t = 0; t < tensors.size() && t < outcome.tensors.size(); ++t) {
    tensors[t].actual_second_poison = bits_of(outcome.tensors[t]);
    name_poison(subject, tensors[t]);
  }
}

EagerItems eager_items(const Subject& subject) {
  if (!subject.reads_data) return std::vector<Scalar>();
  TrialOptions options;
  options.rung = Layer::capture;
  const TrialOutcome<NativeDomain> outcome = StackTrial(subject, Gate::never()).run(options);
  if (!outcome.ended().empty()) return std::nullopt;
  return outcome.log.items;
}

std::vector<LeavingTensor<ExactDomain>> exact_reference(const Subject& subject, const Arithmetic& arithmetic,
                                                        const EagerItems& eager, const std::vector<Scalar>* items,
                                                        const ErrorProfile& profile,
                                                        std::set<std::string>* signed_zeros) {
  if (!eager) return {};
  StackTrial clean(subject, Gate::never());
  auto tensors = clean.run_exact(items != nullptr ? *items : *eager, *eager, arithmetic, profile).tensors;
  if (signed_zeros != nullptr) *signed_zeros = outputs_with_signed_zeros(clean.stack(), arithmetic);
  return tensors;
}

// Up to four times the bound is no more than suspect (docs/sources.md): eager's kernels are held to what compilers are
// held to that call them.
ErrorProfile host_profile() { return torch_profile(); }

// Eager's own numbers against the fp64 reference under the host's arithmetic: where they part, one of the two is not
// the operation's definition, and neither is evidence.
static std::vector<LeavingTensor<ExactDomain>> host_reference(const Subject& subject, const EagerItems& eager) {
  return exact_reference(subject, host_arithmetic(), eager, nullptr, host_profile());
}

// Every element within the bounds of ideal arithmetic, which are needed anyway: nothing to doubt.
static bool nearly_ideal(const TensorEvidence& tensor) {
  if (tensor.ideal.exact.size() != tensor.eager.size()) return false;
  TensorEvidence eager = tensor;
  eager.actual_type = eager.eager_type;
  const ElementVerdicts verdicts = compare_elements(eager, eager.ideal, eager.eager);
  return verdicts.wrong == 0 && verdicts.untrusted == 0;
}

static std::string doubt(const Subject& subject, const EagerItems& items, const std::vector<TensorEvidence>& tensors) {
  constexpr double kSuspect = 4;
  if (std::all_of(tensors.begin(), tensors.end(), nearly_ideal)) return {};
  const auto exact = host_reference(subject, items);
  for (size_t t = 0; t < tensors.size() && t < exact.size(); ++t) {
    TensorEvidence eager = tensors[t];
    eager.actual_type = eager.eager_type;
    eager.target = reference_of(exact[t], eager.eager.size());
    for (double& bound : eager.target.bound) bound *= kSuspect;
    if (const int64_t conflicts = reference_conflicts(eager); conflicts > 0)
      return fmt::format("{}: eager itself leaves the bound of the fp64 reference at {} of {} elements", eager.name,
                         conflicts, eager.eager.size());
  }
  return {};
}

// What a program reads from tensors on the rungs that compute ideally.
static std::vector<Scalar> ideal_items(const Subject& subject) {
  if (!subject.reads_data) return {};
  TrialOptions options;
  options.rung = Layer::decompose;
  return StackTrial(subject, Gate::never()).run(options).log.items;
}

static void add_ideal_references(const Subject& subject, const EagerItems& eager,
                                 std::vector<TensorEvidence>& tensors) {
  const IdealArithmetic ideal(&subject.model->arithmetic());
  const std::vector<Scalar> items = ideal_items(subject);
  const auto exact = exact_reference(subject, ideal, eager, &items);
  for (size_t t = 0; t < tensors.size() && t < exact.size(); ++t)
    tensors[t].ideal = reference_of(exact[t], tensors[t].eager.size());
}

// A result of a type that the machine does not have was made on the host.
static void add_units(const TargetModel& model, DType dtype, Evidence& evidence) {
  try {
    for (const auto& [name, elements] : model.units(dtype)) evidence.units[name] = elements;
  } catch (const Rejected&) {
    return;
  }
}

static void add_sharp_bounds(const Subject& subject, const EagerItems& eager, const std::vector<Scalar>* items,
                             std::vector<TensorEvidence>& tensors) {
  ErrorProfile profile = subject.profile;
  profile.sharp = true;
  const auto exact = exact_reference(subject, subject.model->arithmetic(), eager, items, profile);
  for (size_t t = 0; t < tensors.size() && t < exact.size(); ++t)
    tensors[t].sharp_bound = reference_of(exact[t], tensors[t].eager.size()).bound;
}

Comparison compare_case(const Subject& subject, int threads) {
  Comparison comparison;
  const Program& program = subject.test_case.program;
  const bool external = subject.external.backend != nullptr;
  Reference reference = subject.test_case.python.text.empty() ? eager_reference(program, subject.inputs, external)
                                                              : python_reference(subject);
  comparison.unavailable = reference.unavailable;
  if (!comparison.unavailable.empty()) return comparison;
  comparison.gate = std::make_unique<FaultGate>(subject.test_case.faults);
  comparison.trial = std::make_unique<StackTrial>(subject, *comparison.gate);
  Evidence& evidence = comparison.evidence;
  evidence.state = std::move(reference.state);
  const EagerItems eager = eager_items(subject);
  const auto run_target = [&] {
    if (external)
      run_external_case(subject, reference.tensors, comparison);
    else
      comparison.outcome = comparison.trial->run({});
  };
  const auto add_target_references = [&] {
    const std::vector<Scalar>* items = subject.reads_data && !external ? &comparison.outcome.log.items : nullptr;
    std::set<std::string> signed_zeros;
    const auto exact =
        exact_reference(subject, subject.model->arithmetic(), eager, items, subject.profile, &signed_zeros);
    for (size_t t = 0; t < reference.tensors.size() && t < exact.size(); ++t) {
      TensorEvidence& tensor = reference.tensors[t];
      tensor.target = reference_of(exact[t], tensor.eager.size());
      tensor.zero_signs = tensor.role == TensorRole::output && signed_zeros.contains(tensor.name);
    }
    evidence.skipped = measure_bounds(subject, reference.tensors);
    if (subject.test_case.oracle == OracleProfile::sharp) add_sharp_bounds(subject, eager, items, reference.tensors);
  };
  std::vector<std::function<void()>> tasks = {run_target, add_target_references};
  if (!external) tasks.emplace_back([&] { add_ideal_references(subject, eager, reference.tensors); });
  // What the target read from tensors decides what its reference computes; where it read nothing the two runs share
  // nothing either.
  if (subject.reads_data) {
    tasks[0] = [&] { run_target(), add_target_references(); };
    tasks.erase(tasks.begin() + 1);
  }
  run_parallel(tasks, threads);
  if (!comparison.unavailable.empty()) return comparison;
  if (external) complete_references(subject, evidence, reference);
  // Where the stack without faults raises as well, it is the program that it does not take.
  if (!comparison.outcome.raised.empty() && !external)
    if (const auto clean = StackTrial(subject, Gate::never()).run({}); !clean.raised.empty())
      throw UserError(clean.raised);
  if (comparison.outcome.rejected_subject.empty())
    evidence.reference_in_doubt = doubt(subject, eager, reference.tensors);
  evidence.tensors = std::move(reference.tensors);
  for (TensorEvidence& tensor : evidence.tensors) tensor.actual_type = tensor.eager_type;
  evidence.tensor_operation = std::move(reference.tensor_operation);
  evidence.operations = std::move(reference.operations);
  evidence.calls = static_cast<int>(subject.inputs.calls.size());
  const TrialOutcome<NativeDomain>& outcome = comparison.outcome;
  fill_actual(evidence.tensors, outcome);
  if (!external) evidence.device = device_evidence(outcome);
  evidence.rejected_subject = outcome.rejected_subject;
  evidence.rejected_why = outcome.rejected_why;
  evidence.crashed = outcome.raised.empty() || external ? outcome.crashed : "raised: " + outcome.raised;
  evidence.eager_raised = reference.raised;
  if (external) evidence.actual_raised = outcome.raised;
  add_preconditions(comparison.trial->stack(), evidence);
  if (outcome.rejected_subject.empty())
    for (const TensorEvidence& tensor : evidence.tensors) add_units(*subject.model, tensor.eager_type.dtype, evidence);
  return comparison;
}

}  // namespace faultline
