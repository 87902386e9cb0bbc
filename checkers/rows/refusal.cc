// Did the backend take the program, and did it end?
#include "checkers/checker.h"

namespace faultline {

static std::vector<Observation> check(const Evidence& evidence) {
  std::vector<Observation> found;
  if (!evidence.crashed.empty()) found.push_back({"refusal", Outcome::crashed, -1, evidence.crashed});
  if (!evidence.rejected_subject.empty())
    found.push_back({"refusal", Outcome::rejected, -1, evidence.rejected_subject + ": " + evidence.rejected_why});
  return found;
}

static std::string covers(const Evidence&) { return "what eager takes and the backend refuses, and the reverse"; }

constinit const Checker checker_refusal{
    "refusal", "the backend refused the program or aborted", "errors", check, "free", covers};

}  // namespace faultline
