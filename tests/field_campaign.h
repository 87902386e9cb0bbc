// Random programs in fingerprints, each with mutants of its graph. A mutant of arithmetic is equal. A mutant of
// operands is unequal, or the difference ends at nodes where the field may lose it: then it is run in numbers as well,
// where it is masked too, or known by numbers only.
#pragma once

#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <optional>

#include "generate/random_program.h"
#include "runtime/base/error.h"
#include "runtime/layers/decompose/decompose.h"
#include "runtime/layers/decompose/verify_decompose.h"
#include "tests/decompose_samples.h"
#include "tests/field_absorption.h"
#include "tests/field_mutants.h"

namespace faultline::field_test {

struct FieldTally {
  int programs = 0, unequal = 0, second_seed = 0, arithmetic = 0;
  std::map<std::string, int> masked, numeric_only;  // by the reason of the field
};

class FieldSubject {
 public:
  FieldSubject(const std::string& text, uint64_t seed) : text_(text) {
    const Program program = parse_program(text, "field");
    graph_ = decompose(testing::segment_of(text));
    const NativeDomain native(host_arithmetic());
    for (const Tensor& input : testing::inputs_of(program, seed)) numbers_.push_back(testing::values_of(native, input));
    for (const uint64_t field_seed : {1, 2}) references_.push_back(reference(field_seed));
  }

  const PrimGraph& graph() const { return graph_; }
  // By node: whether an output is made of it.
  std::vector<uint8_t> used() const {
    std::vector<uint8_t> used;
    for (const FieldValues& values : references_[0].result.nodes) used.push_back(!values.empty());
    return used;
  }

  void expect_equal(const FieldMutant& mutant, FieldTally& tally) {
    ASSERT_TRUE(verify_nodes(mutant.graph).empty()) << mutant.text << "\n" << to_text(mutant.graph);
    for (Reference& field : references_)
      EXPECT_TRUE(outputs_equal(field, run(field, mutant.graph))) << mutant.text << " at %" << mutant.node << "\n"
                                                                  << text_ << "\n"
                                                                  << to_text(graph_);
    ++tally.arithmetic;
  }

  void judge(const FieldMutant& mutant, FieldTally& tally) {
    ASSERT_TRUE(verify_nodes(mutant.graph).empty()) << mutant.text << "\n" << to_text(mutant.graph);
    const PrimResult<FingerprintDomain> first = run(references_[0], mutant.graph);
    if (!outputs_equal(references_[0], first)) {
      ++tally.unequal;
      return;
    }
    if (!outputs_equal(references_[1], run(references_[1], mutant.graph))) {
      ++tally.unequal;
      ++tally.second_seed;
      return;
    }
    const std::string reason = absorbed(mutant, first);
    EXPECT_NE(reason, "") << "a hole: " << mutant.text << " at %" << mutant.node << "\n"
                          << text_ << "\n"
                          << to_text(mutant.graph);
    ++(agrees_in_numbers(mutant.graph) ? tally.masked : tally.numeric_only)[reason];
  }

 private:
  struct Reference {
    FingerprintDomain domain;
    PrimValues<FingerprintDomain> leaves;
    PrimResult<FingerprintDomain> result;
  };

  Reference reference(uint64_t seed) {
    NativeDomain native(host_arithmetic());
    PrimRunOptions<NativeDomain> keep;
    keep.keep_nodes = true;
    const PrimResult<NativeDomain> numbers = run_prims(graph_, native, numbers_, keep);
    Reference field{FingerprintDomain(host_arithmetic(), seed), {}, {}};
    field.leaves = testing::fingerprint_inputs(field.domain, graph_, numbers_);
    run_prims_in_lockstep(graph_, field.domain, field.leaves, numbers);
    field.result = run(field, graph_);
    return field;
  }
  static PrimResult<FingerprintDomain> run(Reference& field, const PrimGraph& graph) {
    FingerprintDomain domain = field.domain.fork();
    PrimRunOptions<FingerprintDomain> keep;
    keep.keep_nodes = true;
    return run_prims(graph, domain, field.leaves, keep);
  }
  bool outputs_equal(const Reference& field, const PrimResult<FingerprintDomain>& mine) const {
    for (size_t k = 0; k < graph_.outputs.size(); ++k)
      if (!same(graph_.outputs[k].type.dtype, field.result.outputs[k], mine.outputs[k])) return false;
    for (size_t k = 0; k < graph_.write_backs.size(); ++k)
      if (!same(graph_.write_backs[k].type.dtype, field.result.write_backs[k], mine.write_backs[k])) return false;
    return true;
  }

  // The reasons of all nodes at which a difference ends, or that of the first without one: empty.
  std::string absorbed(const FieldMutant& mutant, const PrimResult<FingerprintDomain>& mine) const {
    const auto place = [&](int node) { return node < mutant.node ? node : node + mutant.shift; };
    const PrimResult<FingerprintDomain>& right = references_[0].result;
    std::string reason = "nothing that is used differs";
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const PrimNode& node = graph_.nodes[n];
      // What nobody uses has no values.
      if (right.nodes[n].empty() || !same(node.dtype, right.nodes[n], mine.nodes[place(static_cast<int>(n))])) continue;
      std::vector<const FieldValues*> before, after;
      bool differs = false;
      const PrimNode& changed = mutant.graph.nodes[place(static_cast<int>(n))];
      for (size_t k = 0; k < node.operands.size(); ++k) {
        before.push_back(&right.nodes[node.operands[k]]);
        after.push_back(&mine.nodes[changed.operands[k]]);
        differs |= !same(graph_.nodes[node.operands[k]].dtype, *before.back(), *after.back());
      }
      const bool is_mutant = static_cast<int>(n) == mutant.node;
      if (!differs && !is_mutant) continue;
      if (is_mutant && mutant.shift > 0) {
        reason = adds_nothing(node, right, static_cast<int>(n)) ? "a term that adds nothing" : "";
      } else if (!differs) {  // other operands of the same values, or the same read elsewhere
        const bool equal =
            !only_moves(node.prim) || same(node.dtype, by_definition(mutant.graph, changed, after), right.nodes[n]);
        reason = equal ? "the values are those of the other operand" : "";
      } else {
        reason = Absorption(mutant.graph, changed, before, after, right.nodes[n])
                     .reason(is_mutant && mutant.text == "operands swapped");
      }
      if (reason.empty()) return reason;
    }
    return reason;
  }
  // Of a sum whose last term is dropped or taken twice: that term is 0, or the result is no number. Of each result.
  bool adds_nothing(const PrimNode& node, const PrimResult<FingerprintDomain>& right, int result) const {
    const FieldValues& sums = right.nodes[result];
    const FieldValues& first = right.nodes[node.operands[0]];
    const Sizes& sizes = graph_.nodes[node.operands[0]].sizes;
    const auto idle = [](const Fingerprint& value) { return !value.has(Fingerprint::special) && value.a == 0; };
    for (size_t i = 0; i < sums.size(); ++i) {
      if (sums[i].has(Fingerprint::special)) continue;
      const std::vector<int64_t> at = fuse_test::digits(node.sizes, static_cast<int64_t>(i));
      if (node.prim == Prim::dot) {
        const FieldValues& second = right.nodes[node.operands[1]];
        const Sizes& others = graph_.nodes[node.operands[1]].sizes;
        const int64_t last = sizes[2] - 1;
        const auto a = fuse_test::flattened(sizes, {sizes[0] == 1 ? 0 : at[0], at[1], last});
        const auto b = fuse_test::flattened(others, {others[0] == 1 ? 0 : at[0], last, at[2]});
        if (!idle(first[static_cast<size_t>(a)]) && !idle(second[static_cast<size_t>(b)])) return false;
      } else if (node.axes.size() == 1) {
        std::vector<int64_t> below = at;
        below.insert(below.begin() + node.axes[0], sizes[node.axes[0]] - 1);
        if (!idle(first[static_cast<size_t>(fuse_test::flattened(sizes, below))])) return false;
      } else {  // a slice of terms
        for (size_t k = 0; k < first.size(); ++k)
          if (fuse_test::digits(sizes, static_cast<int64_t>(k))[node.axes.back()] == sizes[node.axes.back()] - 1 &&
              !idle(first[k]))
            return false;
      }
    }
    return true;
  }

  // Within the bounds of the graph as it was.
  bool agrees_in_numbers(const PrimGraph& mutated) {
    NativeDomain native(host_arithmetic());
    ExactDomain exact(host_arithmetic());
    PrimValues<ExactDomain> inputs;
    for (size_t k = 0; k < numbers_.size(); ++k) {
      inputs.emplace_back();
      for (const NativeDomain::Value& value : numbers_[k]) inputs.back().push_back(of_number(exact, k, value));
    }
    const PrimResult<ExactDomain> right = run_prims(graph_, exact, inputs);
    const PrimResult<NativeDomain> mine = run_prims(mutated, native, numbers_);
    const auto agree = [](DType dtype, const std::vector<Bounded>& due, const std::vector<NativeDomain::Value>& got) {
      for (size_t i = 0; i < due.size(); ++i)
        if (!agrees(dtype, due[i], got[i])) return false;
      return true;
    };
    for (size_t k = 0; k < right.outputs.size(); ++k)
      if (!agree(graph_.outputs[k].type.dtype, right.outputs[k], mine.outputs[k])) return false;
    for (size_t k = 0; k < right.write_backs.size(); ++k)
      if (!agree(graph_.write_backs[k].type.dtype, right.write_backs[k], mine.write_backs[k])) return false;
    return true;
  }
  Bounded of_number(const ExactDomain& exact, size_t input, const NativeDomain::Value& value) const {
    const DType dtype = graph_.inputs[input].type.dtype;
    if (is_float(dtype)) return exact.held(dtype, value.real);
    Bounded integer;
    integer.integer = value.integer;
    return integer;
  }
  static bool agrees(DType dtype, const Bounded& right, const NativeDomain::Value& mine) {
    if (right.reasons != 0) return true;
    if (!is_float(dtype)) return right.integer == mine.integer;
    return agreement(right.value, right.bound, mine.real, limits(host_format(dtype)).largest) != Agreement::beyond;
  }

  std::string text_;
  PrimGraph graph_;
  PrimValues<NativeDomain> numbers_;
  std::vector<Reference> references_;
};

// A straight-line program, which a graph of prims is; else nothing.
inline std::optional<std::string> straight_program(uint64_t seed) {
  SeededChoices choices(seed, "field program");
  const std::string text = generate::random_program(choices);
  const Program program = parse_program(text, "field");
  for (const Statement& statement : program.body)
    if (!std::holds_alternative<CallStatement>(statement.value)) return {};
  for (const Parameter& parameter : program.parameters)
    if (!parameter.tensor) return {};
  return text;
}

inline void try_mutants(FieldSubject& subject, uint64_t seed, int count, FieldTally& tally) {
  SeededChoices choices(seed, "field mutants");
  MutantMaker maker(subject.graph(), subject.used(), choices);
  for (int k = 0; k < count; ++k) {
    const FieldMutant operand = maker.operand_mutant();
    if (!operand.text.empty()) subject.judge(operand, tally);
    const FieldMutant arithmetic = maker.arithmetic_mutant();
    if (!arithmetic.text.empty()) subject.expect_equal(arithmetic, tally);
  }
  ++tally.programs;
}

inline void print(const FieldTally& tally) {
  std::cout << tally.programs << " programs: " << tally.unequal << " mutants of operands unequal (" << tally.second_seed
            << " by the second seed alone), " << tally.arithmetic << " mutants of arithmetic equal\n";
  for (const auto& [reason, count] : tally.masked) std::cout << "  masked: " << reason << ": " << count << "\n";
  for (const auto& [reason, count] : tally.numeric_only)
    std::cout << "  numbers only: " << reason << ": " << count << "\n";
  std::cout << std::flush;
}

// The first `count` straight programs from `seed` on.
inline FieldTally try_programs(uint64_t seed, int count, int mutants) {
  FieldTally tally;
  for (; tally.programs < count && !::testing::Test::HasFailure(); ++seed) {
    const std::optional<std::string> text = straight_program(seed);
    if (!text) continue;
    try {
      FieldSubject subject(*text, seed);
      try_mutants(subject, seed, mutants, tally);
    } catch (const UserError&) {  // nor would eager run it
    } catch (const Rejected&) {
    }
  }
  print(tally);
  return tally;
}

}  // namespace faultline::field_test
