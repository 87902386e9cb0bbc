// A result against its references, in the ways that the score compares.
#pragma once

#include "checkers/score/subject.h"

namespace faultline {

// One set of data for a subject, with everything that a judge needs.
struct ScoreTrial {
  std::vector<Numbers> inputs;
  ElementReference sound, sharp;
  Numbers eager;  // conforming, in the order of the prims
};
ScoreTrial make_trial(const ScoreSubject& subject, ScoreData data, uint64_t seed);

// Whether each judge accuses: sound and sharp, both on these data alone (kOracleJudge: either), then the rules.
std::vector<bool> accusations(const ScoreSubject& subject, const ScoreTrial& trial, const Numbers& result);

bool same_bits(const Numbers& a, const Numbers& b);

}  // namespace faultline
