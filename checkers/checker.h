// A checker looks at the Evidence of one run and says what is not as it should be. It sees neither the Case nor the
// faults.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/table.h"
#include "runtime/core/evidence.h"
#include "runtime/core/verdict.h"

namespace faultline {

struct Observation {
  std::string_view checker;
  Outcome outcome = Outcome::wrong_value;
  int tensor = -1;   // of Evidence::tensors, or -1
  std::string text;  // one sentence with both sides
};

struct Checker {
  std::string_view id;
  std::string_view summary;
  std::string_view needs;  // which part of the evidence it reads
  std::vector<Observation> (*check)(const Evidence& evidence) = nullptr;
  std::string_view cost;  // "free", "a second run", ...
  // What of this evidence it looks at: "2 outputs"; empty: nothing, it was not there.
  std::string (*covers)(const Evidence& evidence) = nullptr;
};

#define CHECKER(name) extern const Checker checker_##name;
#include "checkers/checkers.def"
#undef CHECKER
extern const Table<Checker> checkers;

std::vector<Observation> observe(const Evidence& evidence);

// "1 output", "2 outputs".
std::string counted(int64_t count, std::string_view noun);

// Every checker in the order of the table, with its part of the observations.
std::vector<CheckLine> check_lines(const Evidence& evidence, const std::vector<Observation>& observations);

// What a broken promise makes of a run: slow where its kind costs nothing but time.
Outcome outcome_of_promise(Layer layer, std::string_view promise);

}  // namespace faultline
