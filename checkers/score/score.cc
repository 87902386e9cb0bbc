// One task a subject: its mistakes on all data, then its share of the controls.
#include "checkers/score/score.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>

#include "checkers/score/judge.h"
#include "checkers/score/mutants/mutant.h"
#include "checkers/score/rules/rule.h"
#include "runtime/base/parallel.h"

namespace faultline {

namespace {

constexpr DType kScoredTypes[] = {DType::f32, DType::f16, DType::bf16};
constexpr ScoreData kNatural[] = {ScoreData::normal, ScoreData::uniform};
struct ControlData {
  ScoreData data;
  Declared declared;
};
constexpr ControlData kControlData[] = {{ScoreData::normal, Declared::plain},
                                        {ScoreData::normal, Declared::fast},
                                        {ScoreData::uniform, Declared::plain},
                                        {ScoreData::small, Declared::fast}};
constexpr ScoreData kIntegers[] = {ScoreData::exact, ScoreData::wide};

struct Part {
  ScoreCell cell;
  std::map<std::string, ScoreCount> missed;       // by mutant
  std::array<int64_t, kFreedomCount> freedoms{};  // controls that count and took it
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
    for (std::optional<Planted>& planted : planted_) planted.reset();
    const MutantSite site = mutant_site(subject_, seed);
    for (const Mutant* mutant : mutants.rows) plant(*mutant, site);
  }

  // Several implementations on the same data: the references cost most. `turn` says which data come first.
  void control(uint64_t first, int count, int turn) {
    constexpr int kOnSameData = 8;
    ScoreTrial trial;
    Freedoms allowed = 0;
    for (int c = 0; c < count; ++c) {
      const uint64_t seed = first + static_cast<uint64_t>(c);
      if (c % kOnSameData == 0) {
        const ControlData& on = kControlData[static_cast<size_t>(turn + c / kOnSameData) % std::size(kControlData)];
        trial = make_trial(subject_, on.data, seed, on.declared);
        allowed = on.declared == Declared::fast ? kAllFreedoms : kAllFreedoms & ~kFastFreedoms;
      }
      control(trial, allowed, seed);
    }
  }

  const Part& part() const { return part_; }

 private:
  void control(const ScoreTrial& trial, Freedoms allowed, uint64_t seed) {
    Implementation legal = rewritten_implementation(subject_.graph(), allowed, seed);
    legal.squares_bound = trial.squares_bound;
    Freedoms taken = 0;
    const Numbers result = compute(legal, trial.inputs, &taken);
    if (same_bits(result, trial.eager)) return;
    const std::vector<bool> accused = accusations(subject_, trial, result);
    for (size_t j = 0; j < accused.size(); ++j) part_.cell.alarms[j].add(accused[j]);
    for (int f = 0; f < kFreedomCount; ++f)
      part_.freedoms[static_cast<size_t>(f)] += (taken & bit(static_cast<Freedom>(f))) != 0;
  }

  void plant(const Mutant& mutant, const MutantSite& site) {
    Implementation wrong = legal_implementation(subject_.graph(), site.seed);
    if (!mutant.plant(wrong, site)) return;
    part_.cell.identical += !count(mutant, wrong, site.seed);
  }

  // Data that mistakes are tried on, and what the implementation gives that they are planted in.
  struct Planted {
    ScoreTrial trial;
    Numbers conforming;
  };
  struct Outcome {
    bool changed = false;
    std::vector<bool> accused;  // by judge
  };
  // Made when first asked for.
  const Planted& planted(ScoreData data, uint64_t seed) {
    std::optional<Planted>& planted = planted_[static_cast<size_t>(data)];
    if (!planted) {
      planted.emplace();
      planted->trial = make_trial(subject_, data, seed);
      planted->conforming = compute(legal_implementation(subject_.graph(), seed), planted->trial.inputs);
    }
    return *planted;
  }
  Outcome outcome(const Implementation& wrong, ScoreData data, uint64_t seed) {
    const Planted& on = planted(data, seed);
    const Numbers result = compute(wrong, on.trial.inputs);
    if (same_bits(result, on.conforming)) return {};
    return {true, accusations(subject_, on.trial, result)};
  }
  // One trial for all judges; false where no bit changes on the natural data.
  bool count(const Mutant& mutant, const Implementation& wrong, uint64_t seed) {
    bool changed = false;
    std::vector<bool> caught(part_.cell.caught.size(), false);
    for (const ScoreData data : kNatural) {
      const Outcome mine = outcome(wrong, data, seed);
      changed |= mine.changed;
      for (size_t j = 0; j < mine.accused.size(); ++j) caught[j] = caught[j] || mine.accused[j];
    }
    if (!changed) return false;
    for (const ScoreData data : kIntegers) {
      if (caught[kOracleJudge]) break;
      const Outcome mine = outcome(wrong, data, seed);
      caught[kOracleJudge] = mine.changed && mine.accused[kOracleJudge];
    }
    for (size_t j = 0; j < caught.size(); ++j) part_.cell.caught[j].add(caught[j]);
    part_.missed[std::string(mutant.id)].add(!caught[kOracleJudge]);
    return true;
  }

  ScoreSubject subject_;
  std::optional<Planted> planted_[kScoreDataCount];
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
  for (size_t f = 0; f < score.freedoms.size(); ++f) score.freedoms[f].controls += part.freedoms[f];
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
      mine.control(uint64_t{1} << 32, controls, p);
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
  for (int f = 0; f < kFreedomCount; ++f) score.freedoms.push_back({std::string(name(static_cast<Freedom>(f))), 0});
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
