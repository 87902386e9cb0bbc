// Repetition, substitutions, size sweep, the reference's own check.
#include "runtime/run/experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "checkers/checker.h"
#include "checkers/compare.h"
#include "runtime/base/error.h"

namespace faultline {

namespace {

bool is_right(const Evidence& evidence, const TrialOutcome<NativeDomain>& outcome) {
  if (!outcome.ended().empty()) return false;
  for (size_t t = 0; t < evidence.tensors.size(); ++t) {
    if (t >= outcome.tensors.size()) return false;
    TensorEvidence tensor = evidence.tensors[t];
    const ElementBits bits = bits_of(outcome.tensors[t]);
    if (bits.size() != tensor.eager.size()) return false;
    tensor.actual_type = outcome.tensors[t].type;
    if (!(tensor.actual_type == tensor.eager_type) || compare_elements(tensor, bits).wrong > 0) return false;
  }
  return true;
}

// The program with every first extent `from` of its inputs replaced by `to`, or nothing where inputs have another rank.
std::optional<Program> resized(const Program& program, int64_t to) {
  if (program.calls.size() > 1 || !program.attributes.empty()) return std::nullopt;
  Program copy = program;
  std::set<int64_t> sizes;
  for (Parameter& parameter : copy.parameters) {
    if (!parameter.tensor) continue;
    if (parameter.tensor->sizes.size() != 1 || !is_contiguous(*parameter.tensor) || !parameter.alias_of.empty())
      return std::nullopt;
    sizes.insert(parameter.tensor->sizes[0]);
    *parameter.tensor = contiguous_type(parameter.tensor->dtype, {to});
  }
  if (sizes.size() != 1) return std::nullopt;
  for (const CallSpec& call : program.calls)
    for (const auto& [name, input] : call.inputs)
      if (input.tensor) return std::nullopt;
  return copy;
}

// One less than a unit, a unit, one more, and partly filled ones behind the first, second and third unit.
std::vector<int64_t> sweep_sizes(int64_t unit, int64_t own) {
  std::set<int64_t> sizes = {unit - 1,     unit,     unit + 1,     unit + unit / 2,
                             2 * unit - 1, 2 * unit, 2 * unit + 1, 3 * unit + 5};
  sizes.insert(own);
  return {sizes.begin(), sizes.end()};
}

SweepPoint sweep_point(const Subject& subject, Program program, int64_t size, size_t t) {
  SweepPoint point;
  point.size = size;
  Case resized_case = subject.test_case;
  resized_case.program = std::move(program);
  try {
    const Subject mine(resized_case);
    Comparison comparison = compare_case(mine);
    point.ended = comparison.outcome.ended();
    if (t >= comparison.evidence.tensors.size()) return point;
    if (point.ended.empty() && mine.external.backend == nullptr &&
        compare_elements(comparison.evidence.tensors[t], comparison.evidence.tensors[t].actual).wrong > 0)
      add_second_poison(mine, comparison);
    point.tensor = comparison.evidence.tensors[t];
  } catch (const UserError& error) {
    point.ended = fmt::format("not a valid program at this size ({})", error.what());
  }
  return point;
}

}  // namespace

static TrialOutcome<NativeDomain> run_on_new_build(const Subject& subject, int first_poison) {
  FaultGate gate(subject.test_case.faults);
  StackTrial trial(subject, gate);
  TrialOptions options;
  options.first_poison = first_poison;
  return trial.run(options);
}

void run_again(const Subject& subject, Comparison& comparison) {
  std::vector<TensorEvidence>& tensors = comparison.evidence.tensors;
  TrialOutcome<NativeDomain> outcome = run_on_new_build(subject, 1);
  bool same = outcome.tensors.size() == tensors.size();
  for (size_t t = 0; t < tensors.size() && same; ++t) same = bits_of(outcome.tensors[t]) == tensors[t].actual;
  if (!same) {
    add_second_poison(subject, comparison);
    outcome = run_on_new_build(subject, 0);
  }
  for (size_t t = 0; t < tensors.size() && t < outcome.tensors.size(); ++t) {
    tensors[t].actual_repeat = bits_of(outcome.tensors[t]);
    if (same) tensors[t].actual_second_poison = tensors[t].actual_repeat;
  }
}

void run_substitutions(const Subject& subject, Comparison& comparison) {
  Evidence& evidence = comparison.evidence;
  if (is_right(evidence, comparison.outcome)) return;
  const Target& target = *targets.find(subject.test_case.backend.id);
  for (const TargetOption& option : target.options) {
    if (option.substitute.empty()) continue;
    SubstitutionEvidence substitution{std::string(option.substitute_name), option.layer, false, false};
    BackendSpec backend = subject.test_case.backend;
    const auto given = backend.options.find(std::string(option.id));
    if (given == backend.options.end() || given->second != option.substitute) {
      backend.options[std::string(option.id)] = option.substitute;
      const std::unique_ptr<TargetModel> model = make_model(backend);
      FaultGate gate(subject.test_case.faults);
      StackTrial trial(subject, *model, gate);
      substitution.ran = true;
      substitution.repaired = is_right(evidence, trial.run({}));
    }
    evidence.substitutions.push_back(substitution);
  }
}

void run_sweep(const Subject& subject, size_t tensor, Evidence& evidence) {
  const Program& program = subject.test_case.program;
  if (!resized(program, 1)) return;
  const TensorEvidence& wrong = evidence.tensors[tensor];
  const int64_t own = wrong.eager_type.sizes.size() == 1 ? wrong.eager_type.sizes[0] : 0;
  int64_t unit = 0;
  for (const auto& [name, elements] : subject.model->units(wrong.eager_type.dtype)) unit = std::max(unit, elements);
  if (own <= 0 || unit < 4) return;
  for (const int64_t size : sweep_sizes(unit, own))
    evidence.sweep.push_back(sweep_point(subject, *resized(program, size), size, tensor));
}

}  // namespace faultline
