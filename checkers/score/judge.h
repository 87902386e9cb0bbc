// A result against its references, in the ways that the score compares.
#pragma once

#include "checkers/score/mutants/mutant.h"
#include "checkers/score/subject.h"

namespace faultline {

// One set of data for a subject, with everything that a judge needs.
struct ScoreTrial {
  std::vector<Numbers> inputs;
  ElementReference sound, sharp;
  Numbers eager;                      // conforming, in the order of the prims
  std::vector<double> squares_bound;  // Implementation's; empty where no variance is computed
};
ScoreTrial make_trial(const ScoreSubject& subject, ScoreData data, uint64_t seed, Declared declared = Declared::plain);

// Where mistakes of a seed stand in the subject, and what its memory held before.
MutantSite mutant_site(const ScoreSubject& subject, uint64_t seed);

// Whether each judge accuses: sound and sharp, both on these data alone (kOracleJudge: either), then the rules.
std::vector<bool> accusations(const ScoreSubject& subject, const ScoreTrial& trial, const Numbers& result);

bool same_bits(const Numbers& a, const Numbers& b);

}  // namespace faultline
