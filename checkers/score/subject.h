// What the oracle is scored on: small programs of every class of operations, in a type, and the data they are given.
#pragma once

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

enum class ScoreData : uint8_t { normal, uniform, exact, wide };
inline constexpr int kScoreDataCount = 4;

class ScoreSubject {
 public:
  ScoreSubject(const ScoreProgram& program, DType dtype);

  DType dtype() const { return dtype_; }
  const PrimGraph& graph() const { return graph_; }
  const TensorType& output() const { return graph_.outputs[0].type; }
  // normal, uniform: floats of N(0,1) or on [0,1). exact: integers, none of them 0, as large as keeps every output
  // without error in every legal order (docs/sources.md, Oracle: exact integers); where no size does, those of the
  // sizes tried under which the bounds are closest. wide: larger ones, so that every sum is exact and the output is
  // rounded once. Indices are the same in all.
  std::vector<Numbers> inputs(ScoreData data, uint64_t seed) const;

  // Of the output under a declared arithmetic.
  ElementReference reference(const std::vector<Numbers>& inputs, bool sharp,
                             const Arithmetic& declared = host_arithmetic()) const;

 private:
  Numbers input(int index, const IntegerData& data, uint64_t seed) const;
  std::vector<Numbers> integers(const IntegerData& data, uint64_t seed) const;

  DType dtype_;
  PrimGraph graph_;
  ExactIntegers found_;
};

}  // namespace faultline
