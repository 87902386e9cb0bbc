// One task a subject: its mistakes on all data, then its share of the controls.
#include "checkers/score/score.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "checkers/score/judge.h"
#include "checkers/score/mutants/mutant.h"
#include "checkers/score/rules/rule.h"
#include "runtime/base/parallel.h"

namespace faultline {

namespace {

constexpr DType kScoredTypes[] = {DType::f32, DType::f16, DType::bf16};
constexpr ScoreData kNatural[] = {ScoreData::normal, ScoreData::uniform};
constexpr ScoreData kIntegers[] = {ScoreData::exact, ScoreData::wide};

struct Part {
  ScoreCell cell;
  std::map<std::string, ScoreCount> missed;  // by mutant
};

class SubjectScore {
 public:
  SubjectScore(const ScoreProgram& program, DType dtype) : subject_(program, dtype) {
    part_.cell.op_class = program.op_class;
    part_.cell.dtype = dtype;
    part_.cell.caught.resize(kOwnJudges + rules.rows.size());
    part_.cell.alarms.resize(kOwnJudges + rules.rows.size());
  }

  void plant(uint64_t seed) {
    for (int d = 0; d < kScoreDataCount; ++d) {
      trials_[d] = make_trial(subject_, static_cast<ScoreData>(d), seed);
      conforming_[d] = compute(legal_implementation(subject_.graph(), seed), trials_[d].inputs);
    }
    constexpr uint64_t kEarlier = uint64_t{1} << 40;  // seeds of data that ran before
    earlier_ = make_trial(subject_, ScoreData::normal, kEarlier + seed).eager;
    for (const Mutant* mutant : mutants.rows) plant(*mutant, seed);
  }

  // Several implementations on the same data: the references cost most.
  void control(uint64_t first, int count) {
    constexpr int kOnSameData = 8;
    ScoreTrial trial;
    for (int c = 0; c < count; ++c) {
      const uint64_t seed = first + static_cast<uint64_t>(c);
      if (c % kOnSameData == 0)
        trial = make_trial(subject_, kNatural[static_cast<size_t>(c / kOnSameData) % std::size(kNatural)], seed);
      const Numbers result = compute(legal_implementation(subject_.graph(), seed), trial.inputs);
      if (same_bits(result, trial.eager)) continue;
      const std::vector<bool> accused = accusations(subject_, trial, result);
      for (size_t j = 0; j < accused.size(); ++j) part_.cell.alarms[j].add(accused[j]);
    }
  }

  const Part& part() const { return part_; }

 private:
  void plant(const Mutant& mutant, uint64_t seed) {
    Implementation wrong = legal_implementation(subject_.graph(), seed);
    MutantSite site{subject_.dtype(), subject_.output(), {}, seed, earlier_};
    for (const GraphInput& input : subject_.graph().inputs) site.inputs.push_back(input.type);
    if (!mutant.plant(wrong, site)) return;
    part_.cell.identical += !count(mutant, wrong);
  }

  struct Outcome {
    bool changed = false;
    std::vector<bool> accused;  // by judge
  };
  Outcome outcome(const Implementation& wrong, ScoreData data) const {
    const auto d = static_cast<size_t>(data);
    const Numbers result = compute(wrong, trials_[d].inputs);
    return {!same_bits(result, conforming_[d]), accusations(subject_, trials_[d], result)};
  }
  // One trial for all judges; false where no bit changes on the natural data.
  bool count(const Mutant& mutant, const Implementation& wrong) {
    bool changed = false;
    std::vector<bool> caught(part_.cell.caught.size(), false);
    for (const ScoreData data : kNatural) {
      const Outcome mine = outcome(wrong, data);
      changed |= mine.changed;
      for (size_t j = 0; j < caught.size(); ++j) caught[j] = caught[j] || (mine.changed && mine.accused[j]);
    }
    if (!changed) return false;
    for (const ScoreData data : kIntegers) {
      const Outcome mine = outcome(wrong, data);
      caught[kOracleJudge] = caught[kOracleJudge] || (mine.changed && mine.accused[kOracleJudge]);
    }
    for (size_t j = 0; j < caught.size(); ++j) part_.cell.caught[j].add(caught[j]);
    part_.missed[std::string(mutant.id)].add(!caught[kOracleJudge]);
    return true;
  }

  ScoreSubject subject_;
  ScoreTrial trials_[kScoreDataCount];
  Numbers conforming_[kScoreDataCount];
  Numbers earlier_;
  Part part_;
};

void merge(OracleScore& score, const Part& part) {
  const ScoreCell& mine = part.cell;
  auto cell = std::find_if(score.cells.begin(), score.cells.end(), [&](const ScoreCell& known) {
    return known.op_class == mine.op_class && known.dtype == mine.dtype;
  });
  if (cell == score.cells.end())
    score.cells.push_back(mine);
  else {
    for (size_t j = 0; j < mine.caught.size(); ++j) {
      cell->caught[j].add(mine.caught[j]);
      cell->alarms[j].add(mine.alarms[j]);
    }
    cell->identical += mine.identical;
  }
  for (const auto& [mutant, missed] : part.missed)
    if (missed.count > 0) score.misses.push_back({mutant, mine.op_class, mine.dtype, missed});
}

}  // namespace

OracleScore score_oracle(const ScoreOptions& options) {
  const std::span<const ScoreProgram> programs = score_programs();
  const int parts_count = static_cast<int>(programs.size() * std::size(kScoredTypes));
  std::vector<Part> parts(static_cast<size_t>(parts_count));
  std::vector<std::function<void()>> tasks;
  std::mutex reporting;
  int done = 0;
  for (int p = 0; p < parts_count; ++p)
    tasks.push_back([&, p] {
      SubjectScore mine(programs[static_cast<size_t>(p) / std::size(kScoredTypes)],
                        kScoredTypes[static_cast<size_t>(p) % std::size(kScoredTypes)]);
      for (int seed = 1; seed <= options.seeds; ++seed) mine.plant(static_cast<uint64_t>(seed));
      const int controls = (options.controls + parts_count - 1 - p) / parts_count;
      mine.control(uint64_t{1} << 32, controls);
      parts[static_cast<size_t>(p)] = mine.part();
      const std::lock_guard lock(reporting);
      if (options.progress) options.progress(++done, parts_count);
    });
  run_parallel(tasks, options.threads);

  OracleScore score;
  score.judges = {"sound", "sharp", "oracle"};
  score.seeds = options.seeds;
  score.controls = options.controls;
  for (const Rule* rule : rules.rows) score.judges.emplace_back(rule->id);
  for (const Part& part : parts) merge(score, part);
  std::stable_sort(score.misses.begin(), score.misses.end(), [](const ScoreMiss& a, const ScoreMiss& b) {
    return a.missed.count * b.missed.of > b.missed.count * a.missed.of;
  });
  return score;
}

int64_t counted_controls(const OracleScore& score) {
  int64_t counted = 0;
  for (const ScoreCell& cell : score.cells) counted += cell.alarms[kOracleJudge].of;
  return counted;
}

ScoreCell total_of(const OracleScore& score, DType dtype) {
  ScoreCell total;
  total.op_class = "all";
  total.dtype = dtype;
  total.caught.resize(score.judges.size());
  total.alarms.resize(score.judges.size());
  for (const ScoreCell& cell : score.cells) {
    if (cell.dtype != dtype) continue;
    for (size_t j = 0; j < total.caught.size(); ++j) {
      total.caught[j].add(cell.caught[j]);
      total.alarms[j].add(cell.alarms[j]);
    }
    total.identical += cell.identical;
  }
  return total;
}

Interval wilson(const ScoreCount& count) {
  if (count.of == 0) return {};
  const auto n = static_cast<double>(count.of);
  const double p = static_cast<double>(count.count) / n, z2 = kWilsonZ * kWilsonZ / n;
  const double centre = (p + z2 / 2) / (1 + z2), half = kWilsonZ * std::sqrt(p * (1 - p) / n + z2 / (4 * n)) / (1 + z2);
  return {std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

}  // namespace faultline
