// The decision: verifiers first, then the ladder, then patterns.
#include "checkers/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "checkers/compare.h"
#include "checkers/describe.h"
#include "checkers/explain.h"
#include "checkers/rung_judgement.h"
#include "checkers/untrusted.h"
#include "checkers/value_change.h"
#include "taxonomy/mechanism.h"

namespace faultline {

namespace {

bool is_possible(const Evidence& evidence, const Mechanism& mechanism) {
  switch (precondition_of(mechanism)) {
    case Precondition::none: return true;
    case Precondition::writes: return evidence.writes;
    case Precondition::broadcasts: return evidence.broadcasts;
    case Precondition::reduces: return evidence.reduces;
    case Precondition::approximates: return evidence.approximates;
  }
  return true;
}

// The promises of these layers leave nothing out (tests break their artefacts at random): where they were looked at and
// hold, a kind that breaks one is not the case.
bool is_cleared(const Evidence& evidence, const Mechanism& mechanism) {
  if (mechanism.layer < Layer::tile || mechanism.layer > Layer::transfer) return false;
  const auto looked_at = [&](const VerifierEvidence& verifier) {
    return verifier.layer == mechanism.layer && verifier.ran && verifier.findings.empty();
  };
  return std::any_of(evidence.verifiers.begin(), evidence.verifiers.end(), looked_at) && breaks_a_promise(mechanism);
}

// Types, shapes and places of what leaves the program; empty where they are eager's.
std::string_view structure_change(const Evidence& evidence) {
  for (const TensorEvidence& tensor : evidence.tensors) {
    if (tensor.actual_type.dtype != tensor.eager_type.dtype) return "other_dtype";
    if (tensor.actual_type.sizes != tensor.eager_type.sizes) return "other_sizes";
    if (!(tensor.actual_type == tensor.eager_type) || tensor.actual_alias != tensor.eager_alias) return "other_place";
  }
  return {};
}

// A kind of this layer that a hypothesis, the structure, or else positions and values point to; else the layer's rule
// for rungs that depart.
const Mechanism* mechanism_by_values(const Evidence& evidence, Layer layer, const std::vector<std::string>& suggested) {
  if (layer == Layer::capture && only_later_calls(evidence)) return mechanism_of(layer, "later_call");
  if (layer == Layer::numerics) return mechanism_of(layer, value_change(evidence));
  for (const HypothesisEvidence& hypothesis : evidence.hypotheses)
    if (const Mechanism* mechanism = mechanism_of(layer, hypothesis.kind)) return mechanism;
  if (const Mechanism* mechanism = mechanism_of(layer, structure_change(evidence))) return mechanism;
  for (const std::string& id : suggested)
    if (const Mechanism* mechanism = find_mechanism(id); mechanism != nullptr && mechanism->layer == layer &&
                                                         is_possible(evidence, *mechanism) &&
                                                         !is_cleared(evidence, *mechanism))
      return mechanism;
  return mechanism_of(layer, "departs");
}

struct Blame {
  std::optional<Layer> layer;
  const Mechanism* mechanism = nullptr;
  double confidence = 0;
};

// Whether what the layer left was right for this run, whatever promise it breaks: its own rung and all down to the one
// above `exposed` ran and agree, the lower ones in the field too. The layer's own rung is not enough, since its
// executor may idealise what the layer promises (order in `schedule`, that a graph is for these shapes in `capture`):
// one below, which takes the artefact at its word, must agree as well.
bool is_latent(const Evidence& evidence, Layer layer, Layer exposed) {
  if (number(layer) + 1 >= number(exposed)) return false;
  for (const Layer between : kLayers) {
    if (between < layer || between >= exposed) continue;
    const auto is_its = [&](const RungEvidence& rung) { return rung.rung != "eager" && rung.layer == between; };
    const auto rung = std::find_if(evidence.rungs.begin(), evidence.rungs.end(), is_its);
    if (rung == evidence.rungs.end() || !judge_rung(evidence, *rung).agrees.value_or(false)) return false;
    if (between > Layer::decompose && rung->field_differs.empty()) return false;
  }
  return true;
}

// A broken promise of a layer that lies above the departing rung and is not acquitted, or of that rung's own layer;
// null where there is none. Below that rung the promise cannot be the origin: what that layer was given was wrong
// already.
const VerifierEvidence* blamed_verifier(const Evidence& evidence, std::optional<Layer> exposed) {
  for (const VerifierEvidence& verifier : evidence.verifiers)
    if (!verifier.findings.empty() &&
        (!exposed || (verifier.layer <= *exposed && !is_latent(evidence, verifier.layer, *exposed))))
      return &verifier;
  return nullptr;
}

// Such a broken promise names layer and kind. Without one the rung above the departing one must have run: else nobody
// knows which of the layers in between was the first.
Blame blame(const Evidence& evidence, int departure, const std::vector<std::string>& suggested) {
  const std::optional<Layer> exposed = exposed_layer(evidence, departure);
  if (const VerifierEvidence* broken = blamed_verifier(evidence, exposed)) {
    const bool by_values = broken->layer == Layer::numerics;  // its one promise is for every kind
    const Mechanism* mechanism = by_values ? mechanism_by_values(evidence, broken->layer, suggested) : nullptr;
    for (const BrokenPromise& finding : broken->findings)
      if (mechanism == nullptr) mechanism = mechanism_of(broken->layer, finding.promise);
    return {broken->layer, mechanism, !exposed ? 0.9 : broken->layer == *exposed ? 0.99 : 0.95};
  }
  if (!exposed || !untried_layers(evidence, departure).empty()) return {};
  const bool in_field = !evidence.rungs[departure].field_differs.empty();
  return {exposed, mechanism_by_values(evidence, *exposed, suggested), in_field ? 0.9 : 0.8};
}

// Broken promises that are not the origin of what was seen are findings of their own.
void note_latent(const Evidence& evidence, Layer exposed, Verdict& verdict) {
  for (const VerifierEvidence& verifier : evidence.verifiers)
    if (!verifier.findings.empty() && is_latent(evidence, verifier.layer, exposed))
      verdict.evidence.push_back(
          fmt::format("{} breaks a promise too ({}: {}), but every rung from there to the one above {} is right: a "
                      "second, latent finding",
                      name(verifier.layer), verifier.findings[0].place, verifier.findings[0].text, name(exposed)));
}

// A substitution of another layer that repairs the result casts doubt; the origin's own confirms.
double weigh_substitutions(const Evidence& evidence, Layer origin, double confidence) {
  constexpr double kDoubt = 0.15;
  bool confirmed = false, doubted = false;
  for (const SubstitutionEvidence& substitution : evidence.substitutions) {
    if (!substitution.ran || !substitution.repaired) continue;
    (substitution.layer == origin ? confirmed : doubted) = true;
  }
  return doubted && !confirmed ? confidence - kDoubt : confidence;
}

void fill_lines(const Evidence& evidence, Verdict& verdict) {
  for (const RungEvidence& rung : evidence.rungs) {
    const RungJudgement judgement = judge_rung(evidence, rung);
    verdict.rungs.push_back({rung.rung, judgement.agrees, judgement.how});
  }
  for (const VerifierEvidence& verifier : evidence.verifiers) {
    VerifierLine line{verifier.layer, std::nullopt, {}};
    if (verifier.ran) line.ok = verifier.findings.empty();
    for (const BrokenPromise& broken : verifier.findings)
      line.findings.push_back(broken.promise + " at " + broken.place + ": " + broken.text);
    verdict.verifiers.push_back(std::move(line));
  }
  for (const SweepPoint& point : evidence.sweep) verdict.sweep.push_back(sweep_row(point));
  verdict.skipped = evidence.skipped;
  if (evidence.device.ticks > 0) {
    verdict.ticks["total"] = evidence.device.ticks;
    verdict.ticks["kernel"] = evidence.device.kernel_ticks;
    verdict.ticks["transfer"] = evidence.device.transfer_ticks;
  }
}

// A pass speaks of the elements that can be judged.
void note_unjudged(const Evidence& evidence, Verdict& verdict) {
  for (const TensorEvidence& tensor : evidence.tensors) {
    if (tensor.role == TensorRole::output) {
      const ElementVerdicts verdicts = compare_elements(tensor, tensor.actual);
      ++verdict.coverage.tensors;
      verdict.coverage.elements += verdicts.total;
      verdict.coverage.unjudged += verdicts.untrusted;
    }
    if (std::string text = unjudged(tensor); !text.empty()) verdict.skipped.push_back(std::move(text));
    const std::vector<std::string> weak = weaknesses(tensor);
    verdict.weak.insert(verdict.weak.end(), weak.begin(), weak.end());
  }
}

bool is_wrong(const TensorEvidence& tensor) {
  return !(tensor.actual_type == tensor.eager_type) || tensor.actual_alias != tensor.eager_alias ||
         compare_elements(tensor, tensor.actual).wrong > 0;
}

// Describes every wrong tensor; the pattern of the first speaks for the symptom.
PatternReport fill_tensors(const Evidence& evidence, Verdict& verdict) {
  PatternReport first;
  bool found = false;
  for (size_t t = 0; t < evidence.tensors.size(); ++t) {
    const TensorEvidence& tensor = evidence.tensors[t];
    if (tensor.actual.empty() ? evidence.sweep.empty() : !is_wrong(tensor)) continue;
    const PatternReport pattern = name_tensor(evidence, t);
    if (!tensor.actual.empty()) verdict.tensors.push_back(describe_tensor(evidence, t, pattern));
    if (found || pattern.total == 0) continue;
    found = true;
    first = pattern;
    verdict.operation_index = evidence.tensor_operation[t];
    if (verdict.operation_index >= 0) verdict.operation = evidence.operations[verdict.operation_index];
  }
  return first;
}

// Positions speak where the run ended; those of other sizes do not.
std::optional<Layer> symptom_of(const Evidence& evidence, const PatternReport& pattern) {
  if (evidence.device.end == DeviceEvidence::End::hung) return Layer::transfer;
  if (evidence.ended()) return std::nullopt;
  for (const std::string& id : pattern.layers)
    if (const Mechanism* mechanism = find_mechanism(id)) return mechanism->layer;
  return std::nullopt;
}

}  // namespace

Outcome outcome_of(const std::vector<Observation>& observations) {
  constexpr std::array kOrder = {
      Outcome::crashed,          Outcome::hung,        Outcome::rejected,      Outcome::wrong_metadata,
      Outcome::nondeterministic, Outcome::wrong_value, Outcome::lost_mutation, Outcome::slow,
      Outcome::untrusted};
  for (const Outcome outcome : kOrder)
    for (const Observation& observation : observations)
      if (observation.outcome == outcome) return outcome;
  return Outcome::pass;
}

void diagnose(const Evidence& evidence, Verdict& verdict) {
  const std::vector<Observation> observations = observe(evidence);
  verdict.outcome = verdict.symptom_outcome = outcome_of(observations);
  // Wrong elements and broken promises have sections of their own.
  for (const Observation& observation : observations)
    if (observation.checker != "value" && observation.checker != "mutation" && observation.checker != "verifier")
      verdict.evidence.push_back(observation.text);
  fill_lines(evidence, verdict);
  verdict.checks = check_lines(evidence, observations);
  if (!evidence.reference_in_doubt.empty()) {
    verdict.outcome = verdict.symptom_outcome = Outcome::unknown;
    verdict.evidence.insert(verdict.evidence.begin(), evidence.reference_in_doubt);
  }
  if (verdict.outcome == Outcome::rejected) {
    verdict.explanation =
        fmt::format("{} is refused: {}. Nothing ran.", evidence.rejected_subject, evidence.rejected_why);
    return;
  }
  if (verdict.outcome == Outcome::untrusted)
    for (const Observation& observation : observations)
      if (observation.outcome == Outcome::untrusted) verdict.evidence.push_back(observation.text);
  if (verdict.outcome == Outcome::pass) note_unjudged(evidence, verdict);
  if (verdict.outcome == Outcome::pass || verdict.outcome == Outcome::untrusted) return;
  const PatternReport pattern = fill_tensors(evidence, verdict);
  const int departure = first_departure(evidence);
  const Blame blamed = blame(evidence, departure, pattern.layers);
  if (departure >= 0) {
    verdict.exposed = exposed_layer(evidence, departure);
    note_latent(evidence, *verdict.exposed, verdict);
  }
  verdict.symptom = symptom_of(evidence, pattern);
  if (blamed.layer && verdict.outcome != Outcome::unknown) {
    verdict.origin.layer = blamed.layer;
    verdict.origin.confidence = weigh_substitutions(evidence, *blamed.layer, blamed.confidence);
    if (blamed.mechanism != nullptr) {
      verdict.origin.mechanism = blamed.mechanism->id;
      verdict.origin.family = blamed.mechanism->family;
    }
  }
  explain(evidence, pattern, departure, verdict);
}

}  // namespace faultline
