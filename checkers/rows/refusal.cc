// Did the backend take the program, and does it raise where eager raises?
#include "checkers/checker.h"

namespace faultline {

static std::vector<Observation> check(const Evidence& evidence) {
  std::vector<Observation> found;
  if (!evidence.crashed.empty()) found.push_back({"refusal", Outcome::crashed, -1, evidence.crashed});
  if (!evidence.rejected_subject.empty())
    found.push_back({"refusal", Outcome::rejected, -1, evidence.rejected_subject + ": " + evidence.rejected_why});
  if (evidence.eager_error.empty() != evidence.backend_error.empty() && evidence.crashed.empty() &&
      evidence.rejected_subject.empty())
    found.push_back({"refusal", Outcome::wrong_value, -1,
                     evidence.eager_error.empty() ? "the backend raises and eager does not: " + evidence.backend_error
                                                  : "eager raises and the backend does not: " + evidence.eager_error});
  return found;
}

constinit const Checker checker_refusal{"refusal",
                                        "the backend refused, aborted, or raised where eager does not (or the reverse)",
                                        "errors", check, "free"};

}  // namespace faultline
