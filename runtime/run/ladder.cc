// Rungs and verifiers.
#include "runtime/run/ladder.h"

#include <fmt/format.h>

#include <array>
#include <functional>

#include "runtime/base/parallel.h"
#include "runtime/layers/capture/verify_capture.h"
#include "runtime/run/measured_bound.h"

namespace faultline {

namespace {

constexpr uint64_t kFieldSeed = 1;

// The stack that a rung runs on. Where decisions depend on data every rung decides for itself; otherwise all take the
// decisions of the run that decided, and share its artefacts.
class RungStack {
 public:
  RungStack(const Subject& subject, Comparison& comparison) : gate_(subject.test_case.faults) {
    if (subject.reads_data || comparison.outcome.log.entries.empty()) {
      own_ = std::make_unique<StackTrial>(subject, gate_);
      trial_ = own_.get();
    } else {
      trial_ = comparison.trial.get();
      replay_ = &comparison.outcome.log;
    }
  }
  StackTrial& trial() { return *trial_; }
  Gate& device_gate() { return gate_; }
  const RunLog* replay() const { return replay_; }

 private:
  FaultGate gate_;
  std::unique_ptr<StackTrial> own_;
  StackTrial* trial_ = nullptr;
  const RunLog* replay_ = nullptr;
};

// Types and aliases against eager's; empty when they agree.
std::string structure_of(const std::vector<TensorEvidence>& tensors,
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

using FieldTensors = std::vector<LeavingTensor<FingerprintDomain>>;

std::vector<std::vector<uint8_t>> field_differences(const FieldTensors& reference, const FieldTensors& mine) {
  std::vector<std::vector<uint8_t>> all;
  for (size_t t = 0; t < reference.size(); ++t) {
    const auto& right = reference[t].values;
    std::vector<uint8_t> differs(right.size(), 1);
    if (t < mine.size() && mine[t].values.size() == right.size())
      for (size_t i = 0; i < right.size(); ++i)
        differs[i] = !FingerprintDomain::equal(reference[t].type.dtype, right[i], mine[t].values[i]);
    all.push_back(std::move(differs));
  }
  return all;
}

// Rungs in any order, and several at a time, once `decompose` has been climbed: its run in the field is the reference
// of the others and takes down which integers the native run made of floats.
class Climb {
 public:
  Climb(const Subject& subject, Comparison& comparison)
      : subject_(subject), comparison_(comparison), ideal_(&subject.model->arithmetic()), field_(ideal_, kFieldSeed) {}

  RungEvidence rung(Layer layer) {
    RungEvidence evidence;
    evidence.rung = name(layer);
    evidence.layer = layer;
    RungStack stack(subject_, comparison_);
    RecordedPrims record;
    TrialOptions options;
    options.rung = layer;
    options.replay = stack.replay();
    if (layer == Layer::decompose) options.record = &record;
    const TrialOutcome<NativeDomain> outcome = stack.trial().run(options, stack.device_gate());
    evidence.ended = outcome.ended();
    if (!evidence.ended.empty()) return evidence;
    evidence.ran = true;
    for (const auto& tensor : outcome.tensors) evidence.values.push_back(bits_of(tensor));
    evidence.structure = structure_of(comparison_.evidence.tensors, outcome.tensors);
    FaultGate gate(subject_.test_case.faults);
    if (layer == Layer::decompose) {
      reference_ = stack.trial().run_field(layer, field_, outcome.log, &record, gate).tensors;
    } else if (layer != Layer::capture && !reference_.empty()) {
      FingerprintDomain field = field_.fork();
      evidence.field_differs =
          field_differences(reference_, stack.trial().run_field(layer, field, outcome.log, nullptr, gate).tensors);
    }
    return evidence;
  }

 private:
  const Subject& subject_;
  Comparison& comparison_;
  IdealArithmetic ideal_;
  FingerprintDomain field_;
  FieldTensors reference_;
};

RungEvidence last_rung(const Comparison& comparison) {
  RungEvidence evidence;
  evidence.rung = name(Layer::numerics);
  evidence.layer = Layer::numerics;
  evidence.ended = comparison.outcome.ended();
  evidence.ran = evidence.ended.empty();
  if (!evidence.ran) return evidence;
  for (const TensorEvidence& tensor : comparison.evidence.tensors) evidence.values.push_back(tensor.actual);
  evidence.structure = structure_of(comparison.evidence.tensors, comparison.outcome.tensors);
  return evidence;
}

VerifierEvidence verifier_evidence(Layer layer, const std::vector<Finding>& findings) {
  VerifierEvidence evidence;
  evidence.layer = layer;
  evidence.ran = true;
  for (const Finding& finding : findings) evidence.findings.push_back({finding.promise, finding.place, finding.text});
  return evidence;
}

// What a program reads from tensors on the rungs that compute ideally.
std::vector<Scalar> ideal_items(const Subject& subject) {
  if (!subject.reads_data) return {};
  TrialOptions options;
  options.rung = Layer::decompose;
  return StackTrial(subject, Gate::never()).run(options).log.items;
}

}  // namespace

static void add_ideal_references(const Subject& subject, const Arithmetic& ideal,
                                 std::vector<TensorEvidence>& tensors) {
  const std::vector<Scalar> items = ideal_items(subject);
  const auto exact = exact_reference(subject, ideal, &items);
  for (size_t t = 0; t < tensors.size() && t < exact.size(); ++t)
    tensors[t].ideal = reference_of(exact[t], tensors[t].eager.size());
}

void climb_ladder(const Subject& subject, Comparison& comparison, int threads) {
  Evidence& evidence = comparison.evidence;
  RungEvidence eager;
  eager.rung = "eager";
  eager.ran = true;
  for (const TensorEvidence& tensor : evidence.tensors) eager.values.push_back(tensor.eager);
  const IdealArithmetic ideal(&subject.model->arithmetic());
  Climb climb(subject, comparison);
  constexpr size_t kClimbed = kLayers.size() - 1;  // all but numerics, which has run
  std::array<RungEvidence, kClimbed> rungs;
  std::vector<std::function<void()>> first, others;
  for (size_t i = 0; i < kClimbed; ++i)
    (kLayers[i] <= Layer::decompose ? first : others).push_back([&, i] { rungs[i] = climb.rung(kLayers[i]); });
  first.push_back([&] { add_ideal_references(subject, ideal, evidence.tensors); });
  run_parallel(first, threads);
  run_parallel(others, threads);
  measure_ideal_bounds(subject, evidence.tensors);
  evidence.rungs.push_back(std::move(eager));
  for (RungEvidence& rung : rungs) evidence.rungs.push_back(std::move(rung));
  evidence.rungs.push_back(last_rung(comparison));
}

void run_verifiers(const Subject& subject, Comparison& comparison) {
  std::vector<VerifierEvidence>& verifiers = comparison.evidence.verifiers;
  const StackTrial& trial = *comparison.trial;
  verifiers.push_back(verifier_evidence(Layer::capture, verify_capture(subject.test_case.program, trial.capture())));
  for (const Layer layer : {Layer::decompose, Layer::fuse, Layer::layout, Layer::tile, Layer::schedule})
    verifiers.push_back(verifier_evidence(layer, verify_layer(trial.stack(), layer)));
  verifiers.push_back(verifier_evidence(Layer::transfer, comparison.outcome.report.transfers));
}

}  // namespace faultline
