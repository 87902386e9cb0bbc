// A mistake that a compiler or a machine may make in an implementation. A row plants it; whether it shows, and how, is
// what the oracle is scored on.
#pragma once

#include <string_view>

#include "checkers/score/implementation.h"
#include "runtime/base/philox.h"
#include "runtime/base/table.h"

namespace faultline {

// A conforming run of the same program on other data: what memory holds where nothing was stored since.
struct EarlierRun {
  std::vector<Numbers> inputs, values;  // values: by node
  Numbers output;
};

struct MutantSite {
  DType dtype = DType::f32;  // of the floats
  TensorType output;
  std::vector<TensorType> inputs;
  uint64_t seed = 0;  // of the choice of the place; the same place whatever the data
  EarlierRun earlier;

  PhiloxStream stream(std::string_view name) const { return PhiloxStream(seed, name); }
};

struct Mutant {
  std::string_view id;
  std::string_view summary;
  std::string_view group;  // output, layout, operand, program, arithmetic
  // Makes a conforming implementation wrong. False: it has no place in this one.
  bool (*plant)(Implementation& implementation, const MutantSite& site) = nullptr;
};

#define MUTANT(name) extern const Mutant mutant_##name;
#include "checkers/score/mutants/mutants.def"
#undef MUTANT
extern const Table<Mutant> mutants;

}  // namespace faultline
