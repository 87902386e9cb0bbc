// Variants of the graph, of the program's attributes, and the rung itself in fp64.
#include "checkers/hypotheses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "checkers/compare.h"
#include "checkers/graph_variants.h"
#include "checkers/rung_judgement.h"
#include "runtime/ir/schema/schema.h"
#include "taxonomy/mechanism.h"

namespace faultline {

namespace {

constexpr size_t kVariantsMost = 24;  // of one kind

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
  Trials(const Evidence& evidence, const RungEvidence& rung, ExactRuns& runs)
      : evidence_(evidence), rung_(rung), runs_(runs) {}

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

  // Every value of the rung is right under `exact`, and at least half of those that are wrong under eager's program can
  // be told there.
  bool explains(const ExactRun& exact) const {
    int64_t wrong = 0, told = 0;
    if (exact.values.size() != evidence_.tensors.size()) return false;
    for (size_t t = 0; t < exact.values.size(); ++t) {
      const TensorEvidence& tensor = evidence_.tensors[t];
      const ElementReference& reference = exact.values[t];
      if (reference.exact.size() != rung_.values[t].size()) return false;
      if (compare_elements(tensor, reference, rung_.values[t]).wrong > 0) return false;
      const ElementVerdicts due = compare_elements(tensor, tensor.ideal, rung_.values[t]);
      wrong += due.wrong;
      for (size_t i = 0; i < due.failing.size(); ++i) told += due.failing[i] != 0 && reference.untrusted[i] == 0;
    }
    return wrong > 0 && 2 * told >= wrong;
  }

  void try_graphs(const VariantKind& kind) {
    if (unbroken_.empty()) unbroken_ = runs_.unbroken().graphs;
    for (const auto& [graph, prims] : unbroken_) {
      std::vector<GraphVariant> variants = kind.of(prims);
      if (variants.size() > kVariantsMost) variants.resize(kVariantsMost);
      for (const GraphVariant& variant : variants) {
        if (!explains(runs_.edited(graph, variant.edit))) continue;
        found_.push_back({std::string(kind.kind), "the unbroken graph with " + variant.text});
        return;
      }
    }
  }

  void try_defaults() {
    std::vector<ProgramVariant> variants;
    add_defaults(runs_.program(), variants);
    if (variants.size() > kVariantsMost) variants.resize(kVariantsMost);
    for (const ProgramVariant& variant : variants) {
      if (!explains(runs_.of_program(variant.program))) continue;
      found_.push_back({"default_attribute", variant.text});
      return;
    }
  }

  // The rung of `decompose` itself without roundings. Where that is right, the algebra is; what is not finite in the
  // machine's numbers was lost to their range, the rest to their precision.
  void in_fp64() {
    if (!is_known("right_in_fp64_range")) return;
    const ExactRun mine = runs_.observed();
    if (mine.values.size() != evidence_.tensors.size()) return;
    int64_t wrong = 0, endless = 0;
    for (size_t t = 0; t < mine.values.size(); ++t) {
      const TensorEvidence& tensor = evidence_.tensors[t];
      const ElementReference& reference = mine.values[t];
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
    else if (computes_narrower(mine))
      found_.push_back(
          {"right_in_fp64_narrow", "a graph that is right without roundings: a type on the way is too narrow"});
    else
      found_.push_back({"right_in_fp64", "a graph that is right without roundings: it loses digits on the way"});
  }

  // Whether an operation computes in fewer bytes than the unbroken decomposition does.
  bool computes_narrower(const ExactRun& run) const {
    const NarrowestTypes mine = narrowest(run);
    for (const auto& [place, bytes] : narrowest(runs_.unbroken()))
      if (const auto found = mine.find(place); found != mine.end() && found->second < bytes) return true;
    return false;
  }

  // By segment and operation: the fewest bytes of a float that is computed or converted to.
  using NarrowestTypes = std::map<std::pair<std::string, int>, int64_t>;
  static NarrowestTypes narrowest(const ExactRun& run) {
    NarrowestTypes bytes;
    for (const auto& [segment, graph] : run.graphs)
      for (const PrimNode& node : graph.nodes) {
        const bool computes = node.prim == Prim::pointwise || node.prim == Prim::reduce || node.prim == Prim::dot;
        if (!computes || !is_float(node.dtype)) continue;
        const auto [found, fresh] = bytes.emplace(std::pair(segment, node.origin), byte_size(node.dtype));
        if (!fresh) found->second = std::min(found->second, byte_size(node.dtype));
      }
    return bytes;
  }

  const Evidence& evidence_;
  const RungEvidence& rung_;
  ExactRuns& runs_;
  std::map<std::string, PrimGraph> unbroken_;
  std::vector<HypothesisEvidence> found_;
};

bool promise_broken(const Evidence& evidence, Layer until) {
  return std::any_of(evidence.verifiers.begin(), evidence.verifiers.end(), [until](const VerifierEvidence& verifier) {
    return verifier.layer <= until && !verifier.findings.empty();
  });
}

}  // namespace

std::vector<HypothesisEvidence> hypotheses_that_hold(const Evidence& evidence, ExactRuns& runs) {
  const int departure = first_departure(evidence);
  if (departure < 0) return {};
  const RungEvidence& rung = evidence.rungs[departure];
  if (!rung.ran || rung.layer == Layer::capture || rung.layer > Layer::layout) return {};
  if (promise_broken(evidence, rung.layer)) return {};
  return Trials(evidence, rung, runs).run();
}

}  // namespace faultline
