// The table of checkers, in the order of checkers.def.
#include "checkers/checker.h"

#include "taxonomy/mechanism.h"

namespace faultline {

static constexpr const Checker* kRows[] = {
#define CHECKER(name) &checker_##name,
#include "checkers/checkers.def"
#undef CHECKER
};
constinit const Table<Checker> checkers{kRows};

std::vector<Observation> observe(const Evidence& evidence) {
  std::vector<Observation> observations;
  for (const Checker* checker : checkers.rows) {
    std::vector<Observation> found = checker->check(evidence);
    observations.insert(observations.end(), found.begin(), found.end());
  }
  return observations;
}

std::string counted(int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::vector<CheckLine> check_lines(const Evidence& evidence, const std::vector<Observation>& observations) {
  std::vector<CheckLine> lines;
  for (const Checker* checker : checkers.rows) {
    CheckLine line{std::string(checker->id), checker->covers(evidence), 0};
    for (const Observation& observation : observations) line.found += observation.checker == checker->id;
    lines.push_back(std::move(line));
  }
  return lines;
}

Outcome outcome_of_promise(Layer layer, std::string_view promise) {
  const Mechanism* mechanism = mechanism_of(layer, promise);
  return mechanism != nullptr && mechanism->symptoms == "P" ? Outcome::slow : Outcome::wrong_value;
}

}  // namespace faultline
