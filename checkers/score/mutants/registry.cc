// The table of mutants, in the order of mutants.def.
#include "checkers/score/mutants/mutant.h"

namespace faultline {

static constexpr const Mutant* kRows[] = {
#define MUTANT(name) &mutant_##name,
#include "checkers/score/mutants/mutants.def"
#undef MUTANT
};
constinit const Table<Mutant> mutants{kRows};

}  // namespace faultline
