// Variants of the graph, of the program's attributes, and the rung itself in fp64.
#include "runtime/run/hypotheses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "checkers/compare.h"
#include "checkers/rung_judgement.h"
#include "runtime/base/error.h"
#include "runtime/ir/schema/schema.h"
#include "runtime/run/graph_variants.h"
#include "taxonomy/mechanism.h"

namespace faultline {

namespace {

constexpr size_t kVariantsMost = 24;  // of one kind

using ExactTensors = std::vector<LeavingTensor<ExactDomain>>;

// Hands out graphs of prims, or changes one.
class GraphGate final : public Gate {
 public:
  GraphGate() = default;
  GraphGate(std::string graph, std::function<void(PrimGraph&)> edit)
      : name_(std::move(graph)), edit_(std::move(edit)) {}

  void artefact(Layer layer, std::string_view graph, void* artefact) override {
    if (layer != Layer::decompose) return;
    PrimGraph& mine = *static_cast<PrimGraph*>(artefact);
    if (edit_ && graph == name_) edit_(mine);
    seen_.emplace(graph, mine);
  }
  TransferAnswer transfer(const TransferSite&) override { return {}; }
  const Arithmetic& arithmetic(const Arithmetic& base) override { return base; }
  const std::map<std::string, PrimGraph>& seen() const { return seen_; }

 private:
  std::string name_;
  std::function<void(PrimGraph&)> edit_;
  std::map<std::string, PrimGraph> seen_;
};

// Programs in which one argument of one call has its default.
struct ProgramVariant {
  std::string text;
  Program program;
};

void add_defaults(const Program& program, std::vector<ProgramVariant>& variants) {
  for (size_t s = 0; s < program.body.size(); ++s) {
    const auto* call = std::get_if<CallStatement>(&program.body[s].value);
    const OpSchema* schema = call != nullptr ? find_schema(call->target) : nullptr;
    if (schema == nullptr) continue;
    for (size_t k = 0; k < schema->arguments.size(); ++k) {
      const SchemaArgument& argument = schema->arguments[k];
      if (!argument.default_value) continue;
      Program other = program;
      auto& mine = std::get<CallStatement>(other.body[s].value);
      const auto keyword = std::find_if(mine.keywords.begin(), mine.keywords.end(),
                                        [&](const auto& given) { return given.first == argument.name; });
      if (keyword != mine.keywords.end())
        mine.keywords.erase(keyword);
      else if (!argument.keyword_only && k < mine.arguments.size())
        mine.arguments[k] = *argument.default_value;
      else
        continue;
      if (!(other == program))
        variants.push_back(
            {fmt::format("the program with {} at the default of {}", call->target, argument.name), std::move(other)});
    }
  }
}

class Trials {
 public:
  Trials(const Subject& subject, const Evidence& evidence, const RungEvidence& rung)
      : subject_(subject), evidence_(evidence), rung_(rung), ideal_(&subject.model->arithmetic()) {}

  std::vector<HypothesisEvidence> run() {
    if (rung_.values.size() != evidence_.tensors.size()) return {};
    in_fp64();
    for (const VariantKind& kind : variant_kinds())
      if (found_.empty() && is_known(kind.kind)) try_graphs(kind);
    if (found_.empty() && is_known("default_attribute")) try_defaults();
    return std::move(found_);
  }

 private:
  bool is_known(std::string_view kind) const { return mechanism_of(rung_.layer, kind) != nullptr; }

  ExactTensors exact(Gate& gate) const { return StackTrial(subject_, gate).run_exact({}, {}, ideal_).tensors; }

  // Every value of the rung is right under `exact`, and at least half of those that are wrong under eager's program can
  // be told there.
  bool explains(const ExactTensors& exact) const {
    int64_t wrong = 0, told = 0;
    if (exact.size() != evidence_.tensors.size()) return false;
    for (size_t t = 0; t < exact.size(); ++t) {
      const TensorEvidence& tensor = evidence_.tensors[t];
      const ElementReference reference = reference_of(exact[t], tensor.eager.size());
      if (reference.exact.size() != rung_.values[t].size()) return false;
      if (compare_elements(tensor, reference, rung_.values[t]).wrong > 0) return false;
      const ElementVerdicts due = compare_elements(tensor, tensor.ideal, rung_.values[t]);
      wrong += due.wrong;
      for (size_t i = 0; i < due.failing.size(); ++i) told += due.failing[i] != 0 && reference.untrusted[i] == 0;
    }
    return wrong > 0 && 2 * told >= wrong;
  }

  void try_graphs(const VariantKind& kind) {
    GraphGate collector;
    exact(collector);
    for (const auto& [graph, prims] : collector.seen()) {
      std::vector<GraphVariant> variants = kind.of(prims);
      if (variants.size() > kVariantsMost) variants.resize(kVariantsMost);
      for (const GraphVariant& variant : variants) {
        GraphGate gate(graph, variant.edit);
        if (!explains(exact(gate))) continue;
        found_.push_back({std::string(kind.kind), "the unbroken graph with " + variant.text});
        return;
      }
    }
  }

  void try_defaults() {
    std::vector<ProgramVariant> variants;
    add_defaults(subject_.test_case.program, variants);
    if (variants.size() > kVariantsMost) variants.resize(kVariantsMost);
    for (const ProgramVariant& variant : variants) {
      try {
        Case other = subject_.test_case;
        other.program = variant.program;
        const Subject mine(other);
        if (!explains(exact_reference(mine, ideal_, eager_items(mine)))) continue;
      } catch (const UserError&) {
        continue;  // no valid program
      }
      found_.push_back({"default_attribute", variant.text});
      return;
    }
  }

  // The rung of `decompose` itself without roundings. Where that is right, the algebra is; what is not finite in the
  // machine's numbers was lost to their range, the rest to their precision.
  void in_fp64() {
    if (!is_known("right_in_fp64_range")) return;
    FaultGate gate(subject_.test_case.faults);
    StackTrial trial(subject_, gate);
    const ExactTensors mine = trial.run_exact({}, {}, ideal_).tensors;
    if (mine.size() != evidence_.tensors.size()) return;
    int64_t wrong = 0, endless = 0;
    for (size_t t = 0; t < mine.size(); ++t) {
      const TensorEvidence& tensor = evidence_.tensors[t];
      const ElementReference reference = reference_of(mine[t], tensor.eager.size());
      if (reference.exact.size() != tensor.ideal.exact.size() || tensor.ideal.exact.empty()) return;
      const ElementVerdicts due = compare_elements(tensor, tensor.ideal, rung_.values[t]);
      wrong += due.wrong;
      for (size_t i = 0; i < due.failing.size(); ++i) {
        if (due.failing[i] == 0) continue;
        const double right = tensor.ideal.exact[i];
        if (!(std::abs(reference.exact[i] - right) <= tensor.ideal.bound[i])) return;
        endless += !std::isfinite(number_of(tensor.actual_type.dtype, rung_.values[t][i]));
      }
    }
    if (wrong == 0) return;
    if (2 * endless >= wrong)
      found_.push_back(
          {"right_in_fp64_range", "a graph that is right without roundings: its numbers leave their range"});
    else if (computes_narrower(trial))
      found_.push_back(
          {"right_in_fp64_narrow", "a graph that is right without roundings: a type on the way is too narrow"});
    else
      found_.push_back({"right_in_fp64", "a graph that is right without roundings: it loses digits on the way"});
  }

  // Whether an operation computes in fewer bytes than the unbroken decomposition does.
  bool computes_narrower(const StackTrial& trial) const {
    StackTrial clean(subject_, Gate::never());
    clean.run_exact({}, {}, ideal_);
    const auto mine = narrowest(trial.stack());
    for (const auto& [place, bytes] : narrowest(clean.stack()))
      if (const auto found = mine.find(place); found != mine.end() && found->second < bytes) return true;
    return false;
  }

  // By segment and operation: the fewest bytes of a float that is computed or converted to.
  static std::map<std::pair<int, int>, int64_t> narrowest(const ModelStack& stack) {
    std::map<std::pair<int, int>, int64_t> bytes;
    for (int entry = 0; entry < stack.entries(); ++entry) {
      const CompiledSegment* compiled = stack.compiled(entry);
      if (compiled == nullptr) continue;
      for (const PrimNode& node : compiled->prims.nodes) {
        const bool computes = node.prim == Prim::pointwise || node.prim == Prim::reduce || node.prim == Prim::dot;
        if (!computes || !is_float(node.dtype)) continue;
        const auto [found, fresh] = bytes.emplace(std::pair(entry, node.origin), byte_size(node.dtype));
        if (!fresh) found->second = std::min(found->second, byte_size(node.dtype));
      }
    }
    return bytes;
  }

  const Subject& subject_;
  const Evidence& evidence_;
  const RungEvidence& rung_;
  IdealArithmetic ideal_;
  std::vector<HypothesisEvidence> found_;
};

bool promise_broken(const Evidence& evidence, Layer until) {
  return std::any_of(evidence.verifiers.begin(), evidence.verifiers.end(), [until](const VerifierEvidence& verifier) {
    return verifier.layer <= until && !verifier.findings.empty();
  });
}

}  // namespace

void try_hypotheses(const Subject& subject, Evidence& evidence) {
  const int departure = first_departure(evidence);
  if (departure < 0) return;
  const RungEvidence& rung = evidence.rungs[departure];
  if (!rung.ran || rung.layer == Layer::capture || rung.layer > Layer::layout) return;
  if (promise_broken(evidence, rung.layer)) return;
  evidence.hypotheses = Trials(subject, evidence, rung).run();
}

}  // namespace faultline
