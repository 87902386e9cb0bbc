// The oracle's own score: how many planted mistakes it sees, and how often it accuses a conforming result, by class of
// operations and type, beside the published rules on the same results.
//
// A trial is a mistake in one program in one type with one seed, on normal and on uniform data; a judge catches it if
// it accuses the result on either. Mistakes that leave every bit of both as it was are not counted. The judge `oracle`
// has exact-integer data to fall back on, as the sharp profile has.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/ir/dtype.h"

namespace faultline {

struct ScoreOptions {
  int seeds = 4;        // a mistake
  int controls = 2000;  // conforming results that are tried, all together; those whose bits are eager's do not count
  int threads = 1;
  std::function<void(int done, int of)> progress = {};  // called from any thread, one call at a time
};

// `of` includes the ones that count.
struct ScoreCount {
  int64_t count = 0, of = 0;
  void add(bool counts) {
    count += counts ? 1 : 0;
    ++of;
  }
  void add(const ScoreCount& other) {
    count += other.count;
    of += other.of;
  }
};

struct ScoreCell {
  std::string op_class;
  DType dtype = DType::f32;
  std::vector<ScoreCount> caught, alarms;  // by judge
  int64_t identical = 0;                   // mistakes that changed no bit, on any data
};

// A mistake that the judge `oracle` does not see, and how often.
struct ScoreMiss {
  std::string mutant, op_class;
  DType dtype = DType::f32;
  ScoreCount missed;
};

// A rewrite that conforms, and how many of the controls that count took it.
struct ScoreFreedom {
  std::string id;
  int64_t controls = 0;
};

struct OracleScore {
  // "sound": bounds of every order. "sharp": bounds that hold with a chance of 3e-8 a sum, one-sided crowds of suspects
  // included. "oracle": both, and exact data. Then the published rules.
  std::vector<std::string> judges;
  int seeds = 0;         // as asked for
  int64_t controls = 0;  // conforming results that were tried, those with eager's bits included
  std::vector<ScoreCell> cells;
  std::vector<ScoreMiss> misses;  // the most frequent first
  std::vector<ScoreFreedom> freedoms;
};

// Conforming results that counted: the same for every judge.
int64_t counted_controls(const OracleScore& score);

inline constexpr int kSoundJudge = 0, kSharpJudge = 1, kOracleJudge = 2, kOwnJudges = 3;

OracleScore score_oracle(const ScoreOptions& options);

// All cells of a type together.
ScoreCell total_of(const OracleScore& score, DType dtype);

// Wilson's interval at 95 %, two-sided (docs/sources.md, Oracle: score).
struct Interval {
  double low = 0, high = 1;
};
inline constexpr double kConfidence = 0.95, kWilsonZ = 1.95996;
Interval wilson(const ScoreCount& count);

}  // namespace faultline
