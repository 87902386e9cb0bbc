// Own judges by compare_elements; rules by their rows.
#include "checkers/score/judge.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "checkers/compare.h"
#include "checkers/score/rules/rule.h"
#include "checkers/score/score.h"
#include "checkers/suspects.h"

namespace faultline {

namespace {

ElementBits bits_of(DType dtype, const Numbers& numbers) {
  ElementBits bits;
  const NativeDomain domain(host_arithmetic());
  for (const NativeDomain::Value& number : numbers) bits.push_back(domain.to_host(dtype, number));
  return bits;
}

std::vector<double> doubles_of(const Numbers& numbers) {
  std::vector<double> doubles;
  for (const NativeDomain::Value& number : numbers) doubles.push_back(number.real);
  return doubles;
}

ElementVerdicts compared(const ScoreSubject& subject, const ElementReference& reference, const ElementBits& bits) {
  TensorEvidence tensor;
  tensor.eager_type = tensor.actual_type = subject.output();
  tensor.eager.resize(bits.size());
  return compare_elements(tensor, reference, bits);
}

// Far beyond its bound an element is wrong; less far it is a suspect, and counts in a one-sided crowd.
bool accuses_sharply(DType dtype, const ElementReference& reference, const ElementBits& bits) {
  int64_t above = 0, below = 0;
  for (size_t i = 0; i < bits.size(); ++i) {
    if (reference.untrusted[i] != 0) continue;
    const double difference = number_of(dtype, bits[i]) - reference.exact[i];
    if (std::abs(difference) <= reference.bound[i]) continue;
    if (!(std::abs(difference) <= kSuspectRatioMax * reference.bound[i])) return true;
    ++(difference > 0 ? above : below);
  }
  return is_one_sided(above, below);
}

}  // namespace

bool same_bits(const Numbers& a, const Numbers& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return std::bit_cast<uint64_t>(x.real) == std::bit_cast<uint64_t>(y.real);
  });
}

ScoreTrial make_trial(const ScoreSubject& subject, ScoreData data, uint64_t seed) {
  ScoreTrial trial;
  trial.inputs = subject.inputs(data, seed);
  trial.sound = subject.reference(trial.inputs, false);
  trial.sharp = subject.reference(trial.inputs, true);
  Implementation plain;
  plain.graph = subject.graph();
  trial.eager = compute(plain, trial.inputs);
  return trial;
}

std::vector<bool> accusations(const ScoreSubject& subject, const ScoreTrial& trial, const Numbers& result) {
  const ElementBits bits = bits_of(subject.dtype(), result);
  std::vector<bool> accused(kOwnJudges);
  accused[kSoundJudge] = compared(subject, trial.sound, bits).wrong > 0;
  accused[kSharpJudge] = accuses_sharply(subject.dtype(), trial.sharp, bits);
  accused[kOracleJudge] = accused[kSoundJudge] || accused[kSharpJudge];
  const std::vector<double> mine = doubles_of(result), eager = doubles_of(trial.eager);
  const RuleInput input{subject.dtype(), mine, eager, trial.sound.exact};
  for (const Rule* rule : rules.rows) accused.push_back(!rule->passes(input));
  return accused;
}

}  // namespace faultline
