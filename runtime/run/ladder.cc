// Rungs and verifiers.
#include "runtime/run/ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <span>

#include "runtime/base/parallel.h"
#include "runtime/layers/capture/verify_capture.h"
#include "runtime/run/measured_bound.h"
#include "runtime/run/step_evidence.h"

namespace faultline {

namespace {

// What order keys decide (the larger of two) hides an operand under one seed as often as not. Without such a decision
// unequal operands are equal in one field with a chance of about 2^-60, and one is enough.
constexpr std::array<uint64_t, 2> kFieldSeeds = {1, 2};

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

using Tasks = std::vector<std::function<void()>>;

// One rung, natively and in the field. Where it shares artefacts the two runs need not wait for each other.
class Rung {
 public:
  Rung(const Subject& subject, Comparison& comparison, Layer layer)
      : subject_(subject), comparison_(comparison), layer_(layer), stack_(subject, comparison) {
    evidence_.rung = name(layer);
    evidence_.layer = layer;
  }

  void run_natively(RecordedPrims* record = nullptr) {
    TrialOptions options;
    options.rung = layer_;
    options.replay = stack_.replay();
    options.record = record;
    const TrialOutcome<NativeDomain> outcome = stack_.trial().run(options, stack_.device_gate());
    log_ = outcome.log;
    evidence_.ended = outcome.ended();
    if (!evidence_.ended.empty()) return;
    evidence_.ran = true;
    for (const auto& tensor : outcome.tensors) evidence_.values.push_back(bits_of(tensor));
    evidence_.structure = structure_difference(comparison_.evidence.tensors, outcome.tensors);
  }
  FieldTensors run_in_field(FingerprintDomain& field, const RecordedPrims* beside = nullptr) {
    FaultGate gate(subject_.test_case.faults);
    const RunLog& log = stack_.replay() != nullptr ? *stack_.replay() : log_;
    return stack_.trial().run_field(layer_, field, log, beside, gate).tensors;
  }
  // By the `seed`-th of kFieldSeeds.
  void compare_in_field(size_t seed, const FingerprintDomain& records, const FieldTensors& reference) {
    FingerprintDomain field = records.fork();
    differs_[seed] = field_differences(reference, run_in_field(field));
  }
  bool departs_in_field() const {
    const auto any = [](const std::vector<uint8_t>& differs) {
      return std::find(differs.begin(), differs.end(), 1) != differs.end();
    };
    return std::any_of(differs_[0].begin(), differs_[0].end(), any);
  }

  // Whether this rung read the same numbers from tensors as the other and took the same turns. Otherwise the two run
  // different programs, and in the field nothing of them is comparable.
  bool decides_as(const Rung& other) const {
    return shares_artefacts() || (log_.entries == other.log_.entries &&
                                  std::equal(log_.items.begin(), log_.items.end(), other.log_.items.begin(),
                                             other.log_.items.end(), same_scalar));
  }
  bool shares_artefacts() const { return stack_.replay() != nullptr; }
  bool ended() const { return !evidence_.ended.empty(); }
  RungEvidence take() {
    if (ended() || differs_[0].empty()) return std::move(evidence_);
    evidence_.field_seeds = differs_[1].empty() ? 1 : 2;
    evidence_.field_differs = std::move(differs_[0]);
    for (size_t t = 0; t < differs_[1].size(); ++t)
      for (size_t i = 0; i < differs_[1][t].size(); ++i) evidence_.field_differs[t][i] |= differs_[1][t][i];
    return std::move(evidence_);
  }

 private:
  const Subject& subject_;
  Comparison& comparison_;
  Layer layer_;
  LaterRun stack_;
  RunLog log_;
  RungEvidence evidence_;
  std::array<std::vector<std::vector<uint8_t>>, kFieldSeeds.size()> differs_;  // by seed
};

// Rungs above the last. `decompose` comes first: its run in the field is the reference of the others and takes down
// which integers the native run made of floats.
class Climb {
 public:
  Climb(const Subject& subject, Comparison& comparison, std::span<const Layer> layers, size_t seeds)
      : ideal_(&subject.model->arithmetic()) {
    for (size_t s = 0; s < seeds; ++s) fields_.push_back({FingerprintDomain(ideal_, kFieldSeeds[s]), {}});
    for (const Layer layer : layers) rungs_.emplace(layer, std::make_unique<Rung>(subject, comparison, layer));
  }

  Rung& of(Layer layer) { return *rungs_.at(layer); }

  Tasks first() {
    return {[&] { of(Layer::capture).run_natively(); }, [&] { run_reference(); }};
  }
  void run_reference() {
    RecordedPrims record;
    Rung& rung = of(Layer::decompose);
    rung.run_natively(&record);
    if (rung.ended()) return;
    for (Field& field : fields_) field.reference = rung.run_in_field(field.domain, &record);
  }
  // Whether what `layer` left makes its results of other operands than `decompose` does.
  std::optional<bool> departs_in_field(Layer layer) {
    Rung& rung = of(layer);
    if (!rung.shares_artefacts()) rung.run_natively();
    if (!has_reference() || rung.ended() || !rung.decides_as(of(Layer::decompose))) return std::nullopt;
    compare(rung, 0);
    return rung.departs_in_field();
  }
  // After those. The deepest rungs take longest.
  Tasks others() {
    Tasks tasks;
    for (auto deepest = rungs_.rbegin(); deepest != rungs_.rend(); ++deepest) {
      if (deepest->first <= Layer::decompose) break;
      Rung& rung = *deepest->second;
      if (has_reference() && rung.shares_artefacts()) {
        for (size_t s = 0; s < fields_.size(); ++s) tasks.push_back([&rung, s, this] { compare(rung, s); });
        tasks.push_back([&rung] { rung.run_natively(); });
      } else {
        tasks.push_back([&rung, this] {
          rung.run_natively();
          if (!has_reference() || rung.ended() || !rung.decides_as(of(Layer::decompose))) return;
          for (size_t s = 0; s < fields_.size(); ++s) compare(rung, s);
        });
      }
    }
    return tasks;
  }
  void take(std::vector<RungEvidence>& evidence) {
    for (const auto& [layer, rung] : rungs_) evidence.push_back(rung->take());
  }

 private:
  struct Field {
    FingerprintDomain domain;
    FieldTensors reference;
  };
  bool has_reference() const { return !fields_[0].reference.empty(); }
  void compare(Rung& rung, size_t seed) const {
    rung.compare_in_field(seed, fields_[seed].domain, fields_[seed].reference);
  }

  IdealArithmetic ideal_;
  std::vector<Field> fields_;
  std::map<Layer, std::unique_ptr<Rung>> rungs_;
};

template <class Is>
bool any_node(const ModelStack& stack, const Is& is) {
  for (int entry = 0; entry < stack.entries(); ++entry) {
    const CompiledSegment* compiled = stack.compiled(entry);
    if (compiled == nullptr || stack.depth(entry) < Layer::decompose) continue;
    const std::vector<PrimNode>& nodes = compiled->prims.nodes;
    if (std::any_of(nodes.begin(), nodes.end(), [&](const PrimNode& node) { return is(compiled->prims, node); }))
      return true;
  }
  return false;
}

// Something other than movement. What is only moved must be equal, and shows wrong operands by itself.
bool computes(const PrimGraph&, const PrimNode& node) {
  return node.prim == Prim::pointwise || node.prim == Prim::reduce || node.prim == Prim::dot;
}

// Takes one of two floats by their order.
bool orders(const PrimGraph& graph, const PrimNode& node) {
  if (node.operands.empty() || !is_float(graph.nodes[node.operands[0]].dtype)) return false;
  if (node.prim == Prim::reduce) return node.reduction != Reduction::sum && node.reduction != Reduction::prod;
  if (node.prim != Prim::pointwise) return false;
  const FunctionKind kind = row(node.function).kind;
  return kind == FunctionKind::order || kind == FunctionKind::compare;
}

RungEvidence last_rung(const Comparison& comparison) {
  RungEvidence evidence;
  evidence.rung = name(Layer::numerics);
  evidence.layer = Layer::numerics;
  evidence.ended = comparison.outcome.ended();
  evidence.ran = evidence.ended.empty();
  if (!evidence.ran) return evidence;
  for (const TensorEvidence& tensor : comparison.evidence.tensors) evidence.values.push_back(tensor.actual);
  evidence.structure = structure_difference(comparison.evidence.tensors, comparison.outcome.tensors);
  return evidence;
}

VerifierEvidence verifier_evidence(Layer layer, const std::vector<Finding>& findings) {
  VerifierEvidence evidence;
  evidence.layer = layer;
  evidence.ran = true;
  for (const Finding& finding : findings) evidence.findings.push_back({finding.promise, finding.place, finding.text});
  return evidence;
}

}  // namespace

void climb_ladder(const Subject& subject, Comparison& comparison, const Tasks& beside, int threads) {
  Evidence& evidence = comparison.evidence;
  RungEvidence eager;
  eager.rung = "eager";
  eager.ran = true;
  for (const TensorEvidence& tensor : evidence.tensors) eager.values.push_back(tensor.eager);
  const size_t seeds = any_node(comparison.trial->stack(), orders) ? kFieldSeeds.size() : 1;
  Climb climb(subject, comparison, std::span(kLayers).first(kLayers.size() - 1), seeds);
  Tasks first = climb.first();
  first.insert(first.end(), beside.begin(), beside.end());
  run_parallel(first, threads);
  run_parallel(climb.others(), threads);
  measure_ideal_bounds(subject, evidence.tensors);
  evidence.rungs.push_back(std::move(eager));
  climb.take(evidence.rungs);
  evidence.rungs.push_back(last_rung(comparison));
}

std::optional<bool> departs_in_field(const Subject& subject, Comparison& comparison) {
  constexpr std::array kEnds = {Layer::decompose, Layer::transfer};
  if (!any_node(comparison.trial->stack(), computes)) return std::nullopt;
  Climb climb(subject, comparison, kEnds, 1);
  climb.run_reference();
  return climb.departs_in_field(Layer::transfer);
}

// The prims under the machine's own arithmetic, step by step against its declaration. Steps without numbers leave
// nothing to check.
static void check_steps(const Subject& subject, Comparison& comparison) {
  LaterRun run(subject, comparison);
  ArithmeticCheck check(subject.model->arithmetic());
  TrialOptions options;
  options.rung = Layer::decompose;
  options.own_arithmetic = true;
  options.replay = run.replay();
  options.check = &check;
  const TrialOutcome<NativeDomain> outcome = run.trial().run(options, run.device_gate());
  VerifierEvidence verifier;
  verifier.layer = Layer::numerics;
  verifier.ran = outcome.ended().empty() || !check.departures().empty();  // else it saw a part at most
  for (const ArithmeticDeparture& departure : check.departures()) {
    verifier.findings.push_back(finding_of(departure));
    comparison.evidence.steps.push_back(step_evidence(departure));
  }
  comparison.evidence.verifiers.push_back(std::move(verifier));
}

void run_verifiers(const Subject& subject, Comparison& comparison) {
  std::vector<VerifierEvidence>& verifiers = comparison.evidence.verifiers;
  const StackTrial& trial = *comparison.trial;
  verifiers.push_back(verifier_evidence(Layer::capture, verify_capture(subject.test_case.program, trial.capture())));
  for (const Layer layer : {Layer::decompose, Layer::fuse, Layer::layout, Layer::tile, Layer::schedule})
    verifiers.push_back(verifier_evidence(layer, verify_layer(trial.stack(), layer)));
  verifiers.push_back(verifier_evidence(Layer::transfer, comparison.outcome.report.transfers));
  check_steps(subject, comparison);
}

}  // namespace faultline
