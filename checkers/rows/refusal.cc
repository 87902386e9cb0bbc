// Did the backend take the program, and did it end?
#include <optional>

#include "checkers/checker.h"
#include "checkers/rung_judgement.h"

namespace faultline {

// By class, never by text, which no compiler keeps.
static std::optional<Observation> parity(const Evidence& evidence) {
  const std::string &eager = evidence.eager_raised, &actual = evidence.actual_raised;
  if (!evidence.crashed.empty() || !evidence.rejected_subject.empty() ||
      class_of_error(eager) == class_of_error(actual))
    return {};
  if (actual.empty()) return Observation{"refusal", Outcome::wrong_value, -1, "returns where eager raises " + eager};
  if (eager.empty()) return Observation{"refusal", Outcome::crashed, -1, "raises where eager returns: " + actual};
  return Observation{"refusal", Outcome::wrong_value, -1, "raises " + actual + ", eager raises " + eager};
}

static std::vector<Observation> check(const Evidence& evidence) {
  std::vector<Observation> found;
  if (std::optional<Observation> unequal = parity(evidence)) found.push_back(*std::move(unequal));
  if (!evidence.crashed.empty()) found.push_back({"refusal", Outcome::crashed, -1, evidence.crashed});
  if (!evidence.rejected_subject.empty())
    found.push_back({"refusal", Outcome::rejected, -1, evidence.rejected_subject + ": " + evidence.rejected_why});
  return found;
}

static std::string covers(const Evidence&) { return "what eager takes and the backend refuses, and the reverse"; }

constinit const Checker checker_refusal{
    "refusal", "the backend refused the program or aborted", "errors", check, "free", covers};

}  // namespace faultline
