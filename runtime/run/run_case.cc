// Orchestration, and what was planted against what was said.
#include "runtime/run/run_case.h"

#include <algorithm>

#include "checkers/compare.h"
#include "checkers/diagnose.h"
#include "checkers/hypotheses.h"
#include "checkers/suspects.h"
#include "runtime/base/parallel.h"
#include "runtime/base/shell_word.h"
#include "runtime/run/case_exact_runs.h"
#include "runtime/run/device_placements.h"
#include "runtime/run/exact_data.h"
#include "runtime/run/experiments.h"
#include "runtime/run/external_case.h"
#include "runtime/run/ladder.h"
#include "runtime/run/memory_need.h"

namespace faultline {

namespace {

void investigate(const Subject& subject, Comparison& comparison, bool mismatch, const RunOptions& options) {
  Evidence& evidence = comparison.evidence;
  struct Stage {
    std::string_view name;
    bool wanted;
    std::function<void()> run;
  };
  std::vector<std::function<void()>> beside;
  if (evidence.verifiers.empty()) beside.push_back([&] { run_verifiers(subject, comparison); });
  if (comparison.outcome.ended().empty()) beside.push_back([&] { run_again(subject, comparison); });
  const std::vector<Stage> stages = {
      {"ladder", true, [&] { climb_ladder(subject, comparison, beside, options.threads); }},
      {"hypotheses", mismatch,
       [&] {
         CaseExactRuns runs(subject, evidence);
         evidence.hypotheses = hypotheses_that_hold(evidence, runs);
       }},
      {"substitutions", mismatch, [&] { run_substitutions(subject, comparison); }},
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

// Whether the result differs in any bit from that of the stack without faults.
bool differs_from_clean(const Subject& subject, const Comparison& comparison) {
  StackTrial clean(subject, Gate::never());
  const TrialOutcome<NativeDomain> outcome = clean.run({});
  const auto& mine = comparison.outcome.tensors;
  if (outcome.tensors.size() != mine.size()) return true;
  for (size_t t = 0; t < mine.size(); ++t)
    if (!(mine[t].type == outcome.tensors[t].type) || mine[t].alias != outcome.tensors[t].alias ||
        bits_of(mine[t]) != bits_of(outcome.tensors[t]))
      return true;
  return false;
}

std::string localisation(const Verdict& verdict, Layer planted) {
  if (!verdict.origin.layer) return "none";
  const int distance = std::abs(number(*verdict.origin.layer) - number(planted));
  return distance == 0 ? "exact" : distance == 1 ? "adjacent" : "wrong";
}

// The fault that is spoken of: the first that fired, or else the first.
const FaultGate::Entry& spoken_of(const std::vector<FaultGate::Entry>& ledger) {
  for (const FaultGate::Entry& entry : ledger)
    if (entry.fired > 0) return entry;
  return ledger.front();
}

void weigh_planted(const Subject& subject, const Comparison& comparison, Verdict& verdict) {
  const std::vector<FaultGate::Entry> ledger = comparison.gate->ledger();
  if (ledger.empty()) return;
  const FaultGate::Entry& entry = spoken_of(ledger);
  Planted planted{to_text(entry.spec), entry.fired, "none"};
  if (verdict.outcome == Outcome::rejected) {  // nothing ran, with or without the fault
    verdict.planted = planted;
    return;
  }
  const bool alarm = verdict.outcome != Outcome::pass && verdict.outcome != Outcome::untrusted;
  if (alarm) planted.localised = localisation(verdict, layer_of(*entry.fault));
  verdict.planted = planted;
  if (entry.fired == 0) {
    if (!alarm) verdict.outcome = Outcome::not_exercised;
  } else if (entry.fault->expect == Expect::benign) {
    if (alarm) verdict.outcome = Outcome::false_alarm;
  } else if (alarm) {
    if (verdict.outcome != Outcome::unknown) verdict.outcome = Outcome::detected;
  } else if (entry.fault->expect == Expect::detect) {
    verdict.outcome = differs_from_clean(subject, comparison) ? Outcome::missed : Outcome::masked;
  }
}

// The run that decided once more, to the same end, with its events written down.
void trace_run(const Subject& subject, const RunOptions& options) {
  FaultGate gate(subject.test_case.faults);
  StackTrial trial(subject, gate);
  TrialOptions traced;
  traced.trace = true;
  options.trace(trial.run(traced).report.device);
}

}  // namespace

Comparison gather_evidence(const Subject& subject, const RunOptions& options) {
  Comparison comparison = compare_case(subject, options.threads);
  if (!comparison.unavailable.empty()) return comparison;
  Outcome seen = outcome_of(observe(comparison.evidence));
  if (seen == Outcome::rejected) return comparison;
  if (subject.external.backend != nullptr) {
    if (options.ladder || is_mismatch(seen)) investigate_external(subject, comparison, is_mismatch(seen), options);
    return comparison;
  }
  if (options.ladder || is_mismatch(seen)) {
    investigate(subject, comparison, is_mismatch(seen), options);
    return comparison;
  }
  // A broken promise may leave this run's values within their bounds, and so may other operands.
  std::optional<bool> departs;
  run_parallel({[&] { departs = departs_in_field(subject, comparison); }, [&] { run_verifiers(subject, comparison); }},
               options.threads);
  comparison.evidence.dataflow_equal = departs == false;
  seen = outcome_of(observe(comparison.evidence));
  if (is_mismatch(seen) || departs == true) investigate(subject, comparison, is_mismatch(seen), options);
  return comparison;
}

static Verdict judge_case(const Case& test_case, const RunOptions& options) {
  check_memory(test_case);
  const Subject subject(test_case);
  Verdict verdict;
  verdict.case_line = to_line(test_case);
  verdict.replay = "./faultline replay " + shell_word(verdict.case_line);
  Comparison comparison = gather_evidence(subject, options);
  if (!comparison.unavailable.empty()) {
    verdict.skipped.push_back("eager PyTorch: " + comparison.unavailable);
    return verdict;
  }
  const bool modelled = subject.external.backend == nullptr;
  if (options.trace && modelled) trace_run(subject, options);
  if (options.places && modelled) add_device_placements(subject, comparison);
  diagnose(comparison.evidence, verdict);
  weigh_planted(subject, comparison, verdict);
  return verdict;
}

// What the bounds of one set of data hide, data without roundings show.
static Verdict hunt(Verdict verdict, const Case& test_case, const RunOptions& options) {
  const auto is_quiet = [](const Verdict& mine) {
    return mine.outcome == Outcome::pass || mine.outcome == Outcome::untrusted || mine.outcome == Outcome::missed;
  };
  if (!is_quiet(verdict)) return verdict;
  const std::optional<ExactIntegers> found = exact_integers_of(test_case);
  if (!found) return verdict;
  std::string doubt = found->is_exact ? "" : "no size of them makes the results exact";
  std::vector<IntegerData> tries = {found->exact};
  if (found->wide != found->exact) tries.push_back(found->wide);
  for (const IntegerData& data : tries) {
    Verdict mine = judge_case(with_source(test_case, source_of(data)), options);
    if (!is_quiet(mine) && mine.outcome != Outcome::masked) {
      mine.evidence.insert(mine.evidence.begin(),
                           "on the data of the case the bounds hide it; these are integers for which sums are exact");
      return mine;
    }
    if (mine.outcome == Outcome::untrusted) doubt = "their results cannot be judged";
    if (!mine.weak.empty()) doubt = mine.weak.front();
  }
  verdict.evidence.push_back(doubt.empty() ? "the same on integers for which every sum is exact"
                                           : "nothing else on integers, which prove little here: " + doubt);
  return verdict;
}

Verdict run_case(const Case& test_case, const RunOptions& options) {
  check_faults(test_case.faults);
  Verdict verdict = judge_case(test_case, options);
  if (test_case.oracle == OracleProfile::sharp) return hunt(std::move(verdict), test_case, options);
  return verdict;
}

}  // namespace faultline
