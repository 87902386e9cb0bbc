// Own judges by compare_elements; rules by their rows.
#include "checkers/score/judge.h"

#include <algorithm>
#include <bit>

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

// Of the output, as if eager had given anything of the same type.
TensorEvidence evidence_of(const ScoreSubject& subject, size_t elements) {
  TensorEvidence tensor;
  tensor.eager_type = tensor.actual_type = subject.output();
  tensor.eager.resize(elements);
  return tensor;
}

}  // namespace

bool same_bits(const Numbers& a, const Numbers& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return std::bit_cast<uint64_t>(x.real) == std::bit_cast<uint64_t>(y.real);
  });
}

ScoreTrial make_trial(const ScoreSubject& subject, ScoreData data, uint64_t seed, Declared declared) {
  ScoreTrial trial;
  trial.inputs = subject.inputs(data, seed);
  trial.sound = subject.reference(trial.inputs, false, declared);
  trial.sharp = subject.reference(trial.inputs, true, declared);
  if (const std::optional<int> node = sum_of_squares(subject.graph()))
    trial.squares_bound = subject.bounds_of(*node, trial.inputs, declared);
  Implementation plain;
  plain.graph = subject.graph();
  trial.eager = compute(plain, trial.inputs);
  return trial;
}

MutantSite mutant_site(const ScoreSubject& subject, uint64_t seed) {
  constexpr uint64_t kEarlier = uint64_t{1} << 40;  // seeds of data that ran before
  MutantSite site{subject.dtype(), subject.output(), {}, seed, {}};
  for (const GraphInput& input : subject.graph().inputs) site.inputs.push_back(input.type);
  Implementation plain;
  plain.graph = subject.graph();
  site.earlier.inputs = subject.inputs(ScoreData::normal, kEarlier + seed);
  site.earlier.values = compute_values(plain, site.earlier.inputs);
  site.earlier.output = compute(plain, site.earlier.inputs);
  return site;
}

std::vector<bool> accusations(const ScoreSubject& subject, const ScoreTrial& trial, const Numbers& result) {
  const ElementBits bits = bits_of(subject.dtype(), result);
  const TensorEvidence tensor = evidence_of(subject, bits.size());
  std::vector<bool> accused(kOwnJudges);
  accused[kSoundJudge] = compare_elements(tensor, trial.sound, bits).wrong > 0;
  const SuspectCount suspects = count_suspects(tensor, trial.sharp, bits);
  accused[kSharpJudge] = suspects.far > 0 || is_one_sided(suspects.above, suspects.below);
  accused[kOracleJudge] = accused[kSoundJudge] || accused[kSharpJudge];
  const std::vector<double> mine = doubles_of(result), eager = doubles_of(trial.eager);
  const RuleInput input{subject.dtype(), mine, eager, trial.sound.exact};
  for (const Rule* rule : rules.rows) accused.push_back(!rule->passes(input));
  return accused;
}

}  // namespace faultline
