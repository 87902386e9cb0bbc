// What the oracle is scored on: small programs of every class of operations, in a type, and the data they are given.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkers/exact_integers.h"
#include "checkers/score/implementation.h"
#include "runtime/core/evidence.h"

namespace faultline {

// Program text with "TYPE" where the type under test stands.
struct ScoreProgram {
  std::string_view op_class, text;
};
std::span<const ScoreProgram> score_programs();
// The classes, each once, in the order of the programs.
std::vector<std::string> score_classes();

enum class ScoreData : uint8_t { normal, uniform, small, exact, wide };
inline constexpr int kScoreDataCount = 5;

// The arithmetic that results are held to. plain: host_arithmetic(). fast: division errs by 2.5 ulp, and results under
// the smallest normal number may be 0.
enum class Declared : uint8_t { plain, fast };

// For one thread: const functions remember what was costly.
class ScoreSubject {
 public:
  ScoreSubject(const ScoreProgram& program, DType dtype);

  DType dtype() const { return dtype_; }
  const PrimGraph& graph() const { return graph_; }
  const TensorType& output() const { return graph_.outputs[0].type; }
  // normal, uniform: floats of N(0,1) or on [0,1). small: of N(0,1) times four times the smallest normal number. exact:
  // integers, none of them 0, as large as keeps every output without error in every legal order (docs/sources.md,
  // Oracle: exact integers); where no size does, those of the sizes tried under which the bounds are closest. wide:
  // larger ones, so that every sum is exact and the output is rounded once. Indices are the same in all.
  std::vector<Numbers> inputs(ScoreData data, uint64_t seed) const;

  // Of the output.
  ElementReference reference(const std::vector<Numbers>& inputs, bool sharp, Declared declared = Declared::plain) const;
  // The same under another declaration.
  ElementReference reference(const std::vector<Numbers>& inputs, const Arithmetic& declared) const;
  // Of a node, without sharpness: how far it may lie from the exact value.
  std::vector<double> bounds_of(int node, const std::vector<Numbers>& inputs, Declared declared) const;

 private:
  PrimResult<ExactDomain> exact_run(const std::vector<Numbers>& inputs, const Arithmetic& declared,
                                    const ErrorProfile& profile, bool nodes) const;
  Numbers input(int index, const IntegerData& data, uint64_t seed) const;
  std::vector<Numbers> integers(const IntegerData& data, uint64_t seed) const;
  const ExactIntegers& exact_integers() const;

  DType dtype_;
  PrimGraph graph_;
  mutable std::optional<ExactIntegers> found_;  // when first asked for: most mistakes show without
};

}  // namespace faultline
