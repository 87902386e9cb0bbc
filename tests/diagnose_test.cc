// The diagnosis on evidence made by hand: which broken promise is believed against which rungs, and what may be said of
// positions and values.
#include "checkers/diagnose.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "checkers/compare.h"
#include "checkers/describe.h"

namespace faultline {
namespace {

ElementBits bits_of(const std::vector<float>& values) {
  ElementBits bits;
  for (const float value : values) bits.push_back(std::bit_cast<uint32_t>(value));
  return bits;
}

// One tensor y of four elements, the last of them wrong from rung `exposed` down; every rung ran.
Evidence evidence_from(Layer exposed) {
  const ElementBits right = bits_of({1, 2, 3, 4}), wrong = bits_of({1, 2, 3, 5});
  Evidence evidence;
  TensorEvidence y;
  y.name = "y";
  y.eager_type = y.actual_type = contiguous_type(DType::f32, {4});
  y.eager = right;
  y.actual = wrong;
  evidence.tensors = {y};
  evidence.tensor_operation = {-1};
  RungEvidence eager;
  eager.rung = "eager";
  eager.ran = true;
  eager.values = {right};
  evidence.rungs = {eager};
  for (const Layer layer : kLayers) {
    RungEvidence rung;
    rung.rung = name(layer);
    rung.layer = layer;
    rung.ran = true;
    rung.values = {layer < exposed ? right : wrong};
    if (layer > Layer::decompose && layer < Layer::numerics)
      rung.field_differs = {{0, 0, 0, static_cast<uint8_t>(layer >= exposed)}};
    evidence.rungs.push_back(rung);
    if (layer < Layer::numerics) evidence.verifiers.push_back({layer, true, {}});
  }
  return evidence;
}

void break_promise(Evidence& evidence, Layer layer, const std::string& promise) {
  evidence.verifiers[number(layer) - 1].findings = {{promise, "somewhere", "not kept"}};
}

Verdict diagnosed(const Evidence& evidence) {
  Verdict verdict;
  diagnose(evidence, verdict);
  return verdict;
}

bool says(const Verdict& verdict, const std::string& part) {
  for (const std::string& line : verdict.evidence)
    if (line.find(part) != std::string::npos) return true;
  return false;
}

// Rungs capture to layout are good: what is broken in capture did not make tile's rung bad.
TEST(Diagnose, GoodRungsInBetweenAcquitAFarPromise) {
  Evidence evidence = evidence_from(Layer::tile);
  break_promise(evidence, Layer::capture, "attribute");
  Verdict verdict = diagnosed(evidence);
  EXPECT_EQ(verdict.exposed, Layer::tile);
  EXPECT_EQ(verdict.origin.layer, Layer::tile);
  EXPECT_TRUE(says(verdict, "capture breaks a promise too")) << verdict.explanation;
  break_promise(evidence, Layer::tile, "coverage");
  verdict = diagnosed(evidence);
  EXPECT_EQ(verdict.origin.layer, Layer::tile);
  EXPECT_EQ(verdict.origin.mechanism, "tile.tail_tile");
}

// A rung's own executor may idealise what its layer promises: order is the device's to break.
TEST(Diagnose, APromiseOfTheLayerAboveIsBelieved) {
  Evidence evidence = evidence_from(Layer::transfer);
  break_promise(evidence, Layer::schedule, "happens_before");
  const Verdict verdict = diagnosed(evidence);
  EXPECT_EQ(verdict.origin.layer, Layer::schedule);
  EXPECT_EQ(verdict.origin.mechanism, "schedule.sync");
}

// A gap in between leaves the promise the best evidence.
TEST(Diagnose, ARungThatDidNotRunAcquitsNobody) {
  Evidence evidence = evidence_from(Layer::tile);
  break_promise(evidence, Layer::capture, "attribute");
  std::erase_if(evidence.rungs, [](const RungEvidence& rung) { return rung.layer == Layer::fuse; });
  EXPECT_EQ(diagnosed(evidence).origin.layer, Layer::capture);
}

TEST(Diagnose, DoubtAboutEagerAccusesNobody) {
  Evidence evidence = evidence_from(Layer::capture);
  evidence.reference_in_doubt = "y: eager itself leaves the bound";
  const Verdict verdict = diagnosed(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::unknown);
  EXPECT_EQ(verdict.origin.layer, std::nullopt);
  EXPECT_EQ(verdict.evidence.front(), evidence.reference_in_doubt);
  EXPECT_EQ(verdict.explanation, "Eager itself is in doubt: whether the run is wrong cannot be told from it.");
}

// Where the run did not end there are no positions; other sizes do not speak for it.
TEST(Diagnose, ARunThatDidNotEndHasNoPositions) {
  Evidence evidence = evidence_from(Layer::transfer);
  SweepPoint point{.size = 4, .ended = "", .tensor = evidence.tensors[0]};
  evidence.sweep = {point};
  evidence.tensors[0].actual.clear();
  evidence.crashed = "abort";
  for (RungEvidence& rung : evidence.rungs)
    if (rung.rung != "eager" && rung.layer >= Layer::transfer) {
      rung.ended = "crashed: abort";
      rung.ran = false;
    }
  const Verdict verdict = diagnosed(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::crashed);
  EXPECT_EQ(verdict.symptom, std::nullopt);
  EXPECT_EQ(verdict.explanation.find("positions"), std::string::npos) << verdict.explanation;
}

TEST(Compare, TheWorstIsThatOfWrongElements) {
  TensorEvidence y = evidence_from(Layer::tile).tensors[0];
  y.target.exact = {1, 2, 3, 4};
  y.target.bound = {0, 0.5, 0.25, 0};
  y.target.untrusted = {0, 0, 0, 0};
  // 0.4 is within its bound; 0.5 is two bounds; 7 is where equality is due.
  const ElementVerdicts verdicts = compare_elements(y, bits_of({1, 2.4F, 3.5F, -3}));
  EXPECT_EQ(verdicts.wrong, 2);
  EXPECT_EQ(verdicts.worst_ratio, 2.0);
  EXPECT_EQ(verdicts.worst_difference, 7.0);
  const ElementVerdicts right = compare_elements(y, bits_of({1, 2.4F, 3, 4}));
  EXPECT_EQ(right.worst_ratio, std::nullopt);
  EXPECT_EQ(right.worst_difference, std::nullopt);
  y.target = {};
  EXPECT_EQ(compare_elements(y, bits_of({1, 2, 3, 4.5F})).worst_difference, 0.5);
}

PatternReport report_of(PatternStatus status, std::vector<Explanation> explanations) {
  PatternReport report;
  report.status = status;
  report.explanations = std::move(explanations);
  report.wrong = 20;
  report.positions = {"20"};
  return report;
}
Explanation explanation_of(const std::string& where, const std::string& what, int64_t exceptions = 0) {
  Explanation explanation;
  explanation.where = where;
  explanation.what = what;
  explanation.unit = "stick 64";
  explanation.exceptions = exceptions;
  return explanation;
}

TEST(Claim, OnlyWhatExplainsEverythingIsAFact) {
  const Claim fact = claim_of(report_of(PatternStatus::named, {explanation_of("tail", "unwritten")}));
  EXPECT_EQ(fact.where + "|" + fact.what + "|" + fact.unit, "tail|unwritten|stick 64");
  const Claim most = claim_of(report_of(PatternStatus::partial, {explanation_of("tail", "unwritten", 3)}));
  EXPECT_EQ(most.where + "|" + most.what + "|" + most.unit, "for 17 of 20: tail|for 17 of 20: unwritten|");
  const Claim few = claim_of(report_of(PatternStatus::partial, {explanation_of("tail", "unwritten", 10)}));
  EXPECT_EQ(few.where + few.what + few.unit, "");
  const Claim rivals =
      claim_of(report_of(PatternStatus::ambiguous, {explanation_of("tail", "zero"), explanation_of("last", "zero")}));
  EXPECT_EQ(rivals.where + "|" + rivals.what, "perhaps tail|zero");
  const Claim parts =
      claim_of(report_of(PatternStatus::composite, {explanation_of("tail", "zero"), explanation_of("head", "stale")}));
  EXPECT_EQ(parts.where + "|" + parts.what, "tail and head|zero at tail; stale at head");
  EXPECT_EQ(claim_of(report_of(PatternStatus::unstructured, {})).what, "");
}

// Eager is off by as much as the result and to the same side of it: a result outside its bound is not explained by a
// rule under which nothing happens to it. Here: to exchange two elements that are nearly equal, or to flush numbers
// that are no subnormals.
TEST(Describe, NoRuleExplainsAWrongElementByLeavingItAlone) {
  Evidence evidence;
  TensorEvidence y;
  y.name = "y";
  y.eager_type = y.actual_type = contiguous_type(DType::f32, {64});
  std::vector<float> eager, actual;
  for (int i = 0; i < 64; ++i) {
    const double exact = 1 + 0.001 * (i % 7);
    const bool wrong = i % 13 == 4;
    y.target.exact.push_back(exact);
    y.target.bound.push_back(1e-3);
    y.target.untrusted.push_back(0);
    eager.push_back(static_cast<float>(exact + (wrong ? 0.9e-3 : 0)));
    actual.push_back(static_cast<float>(exact + (wrong ? 1.5e-3 + 1e-5 * i : 0)));
  }
  y.eager = bits_of(eager);
  y.actual = bits_of(actual);
  evidence.tensors = {y};
  const PatternReport report = name_tensor(evidence, 0);
  EXPECT_EQ(report.wrong, 5);
  for (const Explanation& explanation : report.explanations)
    EXPECT_TRUE(explanation.what_family != "V23" && explanation.what_family != "V9") << to_text(report);
  if (const Claim claim = claim_of(report); !claim.what.empty()) {
    EXPECT_EQ(claim.what.find("exchanged"), std::string::npos) << to_text(report);
    EXPECT_EQ(claim.what.find("became"), std::string::npos) << to_text(report);
  }
}

}  // namespace
}  // namespace faultline
