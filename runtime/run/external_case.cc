// The stages of an outside compiler in a row.
#include "runtime/run/external_case.h"

#include <algorithm>

#include "checkers/compare.h"
#include "checkers/diagnose.h"
#include "checkers/hypotheses.h"
#include "checkers/rung_judgement.h"
#include "runtime/base/error.h"
#include "runtime/ir/schema/schema.h"
#include "runtime/run/case_exact_runs.h"
#include "runtime/run/experiments.h"
#include "runtime/run/external_run.h"
#include "runtime/run/operators_alone.h"
#include "runtime/run/wide_reference.h"

namespace faultline {

namespace {

const BackendRung& whole(const Subject& subject) { return subject.external.backend->rungs.back(); }

RungEvidence eager_rung(const Evidence& evidence) {
  RungEvidence rung;
  rung.rung = "eager";
  rung.ran = true;
  for (const TensorEvidence& tensor : evidence.tensors) rung.values.push_back(tensor.eager);
  return rung;
}

RungEvidence rung_evidence(const Evidence& evidence, const BackendRung& rung,
                           const TrialOutcome<NativeDomain>& outcome) {
  RungEvidence mine;
  mine.rung = rung.id;
  mine.layer = rung.layer;
  mine.also = rung.also;
  mine.ended = outcome.ended();
  mine.raised = outcome.raised;
  mine.ran = mine.ended.empty() || !mine.raised.empty();
  if (!mine.ended.empty()) return mine;
  for (const auto& tensor : outcome.tensors) mine.values.push_back(bits_of(tensor));
  mine.structure = structure_difference(evidence.tensors, outcome.tensors);
  return mine;
}

// The texts of what Python keeps, in the order of eager's.
std::vector<std::string> in_order_of(const std::vector<StateEvidence>& reference, const std::vector<KeptState>& state) {
  std::vector<std::string> texts;
  for (const StateEvidence& wanted : reference) {
    texts.emplace_back();
    for (const KeptState& kept : state)
      if (kept.name == wanted.name && kept.call == wanted.call) texts.back() = kept.text;
  }
  return texts;
}

RungEvidence not_run(const BackendRung& rung) {
  RungEvidence mine;
  mine.rung = rung.id;
  mine.layer = rung.layer;
  mine.also = rung.also;
  mine.why_not = "one above departs already";
  return mine;
}

// Down to the first that departs: what it lets in, those below have as well.
void climb_stages(const Subject& subject, Comparison& comparison) {
  Evidence& evidence = comparison.evidence;
  evidence.by_stages = true;
  evidence.rungs.push_back(eager_rung(evidence));
  bool departed = false;
  for (const BackendRung& rung : subject.external.backend->rungs) {
    if (&rung == &whole(subject)) break;
    if (departed) {
      evidence.rungs.push_back(not_run(rung));
      continue;
    }
    ExternalRun run = run_external(subject, rung);
    run.outcome.tensors = in_order_of(evidence.tensors, std::move(run.outcome.tensors));
    evidence.rungs.push_back(rung_evidence(evidence, rung, run.outcome));
    if (run.outcome.ended().empty()) evidence.rungs.back().state = in_order_of(evidence.state, run.state);
    departed = first_departure(evidence) >= 0;
  }
  evidence.rungs.push_back(rung_evidence(evidence, whole(subject), comparison.outcome));
  if (comparison.outcome.ended().empty())
    for (const StateEvidence& state : evidence.state) evidence.rungs.back().state.push_back(state.actual);
}

void run_once_more(const Subject& subject, Evidence& evidence) {
  ExternalRun run = run_external(subject, whole(subject));
  if (!run.outcome.ended().empty()) return;
  const auto tensors = in_order_of(evidence.tensors, std::move(run.outcome.tensors));
  for (size_t t = 0; t < tensors.size(); ++t) evidence.tensors[t].actual_repeat = bits_of(tensors[t]);
}

// The departing rung, if it lets in two layers.
const BackendRung* mixed_departure(const Subject& subject, const Evidence& evidence) {
  const int departure = first_departure(evidence);
  if (departure < 0 || !evidence.rungs[departure].also) return nullptr;
  for (const BackendRung& rung : subject.external.backend->rungs)
    if (rung.id == evidence.rungs[departure].rung) return &rung;
  return nullptr;
}

// A mistake of lowering is made for an operator by itself as well; one of code generation is about several together.
void try_operators(const Subject& subject, Comparison& comparison) {
  const BackendRung* rung = mixed_departure(subject, comparison.evidence);
  if (rung == nullptr || !subject.test_case.python.text.empty()) return;
  const std::vector<Case> alone = operators_alone(subject);
  if (alone.size() < 2) return;
  bool departs = false;
  for (const Case& one : alone) {
    const Subject mine(one);
    Comparison trial = compare_case(mine);
    if (!trial.unavailable.empty() || !trial.outcome.rejected_subject.empty()) continue;
    departs = is_mismatch(outcome_of(observe(trial.evidence)));
    if (departs) break;
  }
  comparison.evidence.operator_alone_departs = departs;
}

// A vector function errs for some numbers, a vector's tail at some places.
void try_ordinary_data(const Subject& subject, Evidence& evidence) {
  const int departure = first_departure(evidence);
  const std::vector<Statement>& body = subject.test_case.program.body;
  if (departure < 0 || evidence.rungs[departure].layer != Layer::tile || body.size() != 1) return;
  const auto* call = std::get_if<CallStatement>(&body.front().value);
  if (call == nullptr || !schema_at(call->target).has_tag("pointwise")) return;
  Case ordinary = subject.test_case;
  for (CallSpec& each : ordinary.program.calls)
    for (auto& [name, input] : each.inputs) input.data = {};
  const Subject mine(ordinary);
  const Comparison trial = compare_case(mine);
  if (trial.unavailable.empty()) evidence.right_on_ordinary_data = outcome_of(observe(trial.evidence)) == Outcome::pass;
}

}  // namespace

Reference python_reference(const Subject& subject, bool wide) {
  Reference reference;
  const ExternalRun run = run_python_eager(subject, wide);
  reference.unavailable = run.unavailable;
  reference.raised = run.outcome.raised;
  const std::string ended = run.outcome.ended();
  if (reference.raised.empty() && !ended.empty() && !wide) throw UserError("eager PyTorch does not end: " + ended);
  for (const LeavingValue& value : run.values) add_reference(value, reference);
  for (const KeptState& kept : run.state) reference.state.push_back({kept.name, kept.call, kept.text, {}});
  return reference;
}

void run_external_case(const Subject& subject, const std::vector<TensorEvidence>& reference, Comparison& comparison) {
  ExternalRun run = run_external(subject, whole(subject));
  for (const KeptState& kept : run.state)
    for (StateEvidence& state : comparison.evidence.state)
      if (state.name == kept.name && state.call == kept.call) state.actual = kept.text;
  comparison.unavailable = run.unavailable;
  comparison.outcome = std::move(run.outcome);
  if (comparison.outcome.ended().empty())
    comparison.outcome.tensors = in_order_of(reference, std::move(comparison.outcome.tensors));
  if (comparison.outcome.hung) {
    comparison.evidence.device.end = DeviceEvidence::End::hung;
    comparison.evidence.device.oldest_request = "no answer in time, twice, in phase " + run.phase;
  }
  TrialOptions prims;
  prims.rung = Layer::decompose;
  comparison.trial->run(prims);
}

void complete_references(const Subject& subject, Evidence& evidence, Reference& reference) {
  const std::vector<std::string> said = add_wide_references(subject, reference.tensors);
  evidence.skipped.insert(evidence.skipped.end(), said.begin(), said.end());
  for (TensorEvidence& tensor : reference.tensors) tensor.ideal = tensor.target;
}

void investigate_external(const Subject& subject, Comparison& comparison, bool mismatch, const RunOptions& options) {
  Evidence& evidence = comparison.evidence;
  struct Stage {
    std::string_view name;
    bool wanted;
    std::function<void()> run;
  };
  const std::vector<Stage> stages = {
      {"the same again", comparison.outcome.ended().empty(), [&] { run_once_more(subject, evidence); }},
      {"ladder", true, [&] { climb_stages(subject, comparison); }},
      {"one operator at a time", mismatch, [&] { try_operators(subject, comparison); }},
      {"ordinary data", mismatch && subject.test_case.python.text.empty(),
       [&] { try_ordinary_data(subject, evidence); }},
      {"hypotheses", mismatch && comparison.outcome.ended().empty(),
       [&] {
         CaseExactRuns runs(subject, evidence);
         evidence.hypotheses = hypotheses_that_hold(evidence, runs);
       }},
      {"size sweep", mismatch && options.sweep && !evidence.tensors.empty(),
       [&] { run_sweep(subject, suspect(evidence), evidence); }},
  };
  int done = 0;
  for (const Stage& stage : stages) {
    if (options.progress) options.progress(stage.name, done, static_cast<int>(stages.size()));
    if (stage.wanted) stage.run();
    ++done;
  }
}

}  // namespace faultline
