// Sentences from evidence.
#include "checkers/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "checkers/describe.h"
#include "checkers/rung_judgement.h"
#include "runtime/base/shell_word.h"
#include "taxonomy/mechanism.h"

namespace faultline {

namespace {

const RungEvidence* rung_of(const Evidence& evidence, Layer layer) {
  for (const RungEvidence& rung : evidence.rungs)
    if (rung.rung != "eager" && rung.layer == layer) return &rung;
  return nullptr;
}

const VerifierEvidence* verifier_of(const Evidence& evidence, Layer layer) {
  for (const VerifierEvidence& verifier : evidence.verifiers)
    if (verifier.layer == layer && verifier.ran) return &verifier;
  return nullptr;
}

// Which observation clears a layer; empty where nothing does.
std::string cleared_by(const Evidence& evidence, Layer layer, Layer origin, int departure) {
  std::vector<std::string> reasons;
  const RungEvidence* rung = rung_of(evidence, layer);
  const RungJudgement judgement = rung != nullptr ? judge_rung(evidence, *rung) : RungJudgement{};
  if (judgement.agrees.value_or(false)) reasons.emplace_back("good rung");
  const VerifierEvidence* verifier = verifier_of(evidence, layer);
  const bool sound = verifier != nullptr && verifier->findings.empty();
  if (sound) reasons.emplace_back("sound verifier");
  if (layer > origin && departure >= 0 && evidence.rungs[departure].layer < layer)
    reasons.push_back(fmt::format("wrong before it, at rung {}", evidence.rungs[departure].rung));
  for (const SubstitutionEvidence& substitution : evidence.substitutions)
    if (substitution.layer == layer && substitution.ran && !substitution.repaired)
      reasons.push_back(substitution.name + ": still wrong");
  return fmt::format("{}", fmt::join(reasons, ", "));
}

void add_two_sides(const Evidence& evidence, int departure, Verdict& verdict) {
  if (departure < 0) return;
  const RungEvidence& bad = evidence.rungs[departure];
  int above = departure - 1;
  while (above >= 0 && !judge_rung(evidence, evidence.rungs[above]).agrees.value_or(false)) --above;
  if (above < 0) return;
  for (const Layer layer : untried_layers(evidence, departure))
    verdict.evidence.push_back(fmt::format("rung {} did not run: whether {} or {} departs first is not known",
                                           name(layer), name(layer), bad.rung));
  const RungEvidence& good = evidence.rungs[above];
  verdict.evidence.push_back(fmt::format("good rung above: {} ({}); bad rung below: {} ({})", good.rung,
                                         judge_rung(evidence, good).how, bad.rung, judge_rung(evidence, bad).how));
}

std::string what_is_wrong(const Verdict& verdict) {
  if (verdict.outcome == Outcome::crashed) return "The back end aborts.";
  if (verdict.outcome == Outcome::hung) return "The device makes no progress.";
  if (verdict.outcome == Outcome::slow) return "Results are right, but work takes longer than it should.";
  if (verdict.tensors.empty() && verdict.outcome == Outcome::wrong_value)
    return "No element leaves its bounds, but they are not made as they should be.";
  if (verdict.tensors.empty()) return "The run is not as eager's.";
  const WrongTensor& tensor = verdict.tensors.front();
  std::string text = fmt::format("{} of {} elements of {} are wrong", tensor.wrong, tensor.total, tensor.name);
  if (tensor.wrong == 0 && !tensor.metadata.empty())
    text = tensor.name + " is " + tensor.metadata;
  else if (!tensor.where.empty())
    text += ": " + tensor.where;
  if (!tensor.what.empty()) text += ", " + tensor.what;
  return text + ".";
}

void add_paragraph(const Evidence& evidence, Verdict& verdict) {
  if (!evidence.reference_in_doubt.empty()) {
    verdict.explanation = "Eager itself is in doubt: whether the run is wrong cannot be told from it.";
    return;
  }
  std::string text = what_is_wrong(verdict);
  if (verdict.origin.layer) {
    const Mechanism* mechanism = find_mechanism(verdict.origin.mechanism);
    text += fmt::format(" The first artefact that is wrong while its inputs are right is that of {}",
                        name(*verdict.origin.layer));
    text += mechanism != nullptr ? fmt::format(": {}.", mechanism->summary) : std::string(".");
    const VerifierEvidence* verifier = verifier_of(evidence, *verdict.origin.layer);
    if (verifier != nullptr && !verifier->findings.empty())
      text += fmt::format(" {}: {}.", verifier->findings[0].place, verifier->findings[0].text);
    if (verdict.exposed && verdict.exposed != verdict.origin.layer)
      text += fmt::format(" It becomes visible at rung {}.", name(*verdict.exposed));
    if (verdict.symptom && verdict.symptom != verdict.origin.layer)
      text +=
          fmt::format(" {} alone would suggest {}.",
                      verdict.symptom_outcome == Outcome::hung ? "A device without progress" : "The wrong positions",
                      name(*verdict.symptom));
  } else {
    text += " No layer could be singled out.";
  }
  verdict.explanation = text;
}

}  // namespace

void explain(const Evidence& evidence, const PatternReport& pattern, int departure, Verdict& verdict) {
  add_two_sides(evidence, departure, verdict);
  if (const Claim claim = claim_of(pattern); !claim.where.empty()) {
    verdict.evidence.push_back(fmt::format(
        "pattern over {} run{}{}: {}, {} ({:.0f} bits against {:.0f} for a plain list)",
        std::max<size_t>(1, pattern.positions.size()), pattern.positions.size() > 1 ? "s" : "",
        evidence.ended() ? " at other sizes" : "", claim.where, claim.what, pattern.bits, pattern.raw_bits));
  }
  for (const HypothesisEvidence& hypothesis : evidence.hypotheses)
    verdict.evidence.push_back("the values are those of " + hypothesis.text);
  for (const SubstitutionEvidence& substitution : evidence.substitutions)
    if (substitution.ran && substitution.repaired) verdict.evidence.push_back(substitution.name + " repairs it");
  if (verdict.origin.layer) {
    for (const Layer layer : kLayers) {
      if (layer == *verdict.origin.layer) continue;
      std::string by = cleared_by(evidence, layer, *verdict.origin.layer, departure);
      if (!by.empty()) verdict.ruled_out.push_back({layer, std::move(by)});
    }
    if (*verdict.origin.layer < Layer::transfer)
      verdict.next.push_back(fmt::format("read the artefact: ./faultline compile {} --emit {}",
                                         shell_word(verdict.case_line), name(*verdict.origin.layer)));
  }
  for (const std::string& next : pattern.next) verdict.next.push_back(next);
  add_paragraph(evidence, verdict);
}

}  // namespace faultline
