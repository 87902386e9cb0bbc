// Broken promises of the artefacts. No results of the program are involved: those of layer 8 are about single steps.
#include "checkers/checker.h"

namespace faultline {

static std::vector<Observation> check(const Evidence& evidence) {
  std::vector<Observation> found;
  for (const VerifierEvidence& verifier : evidence.verifiers)
    for (const BrokenPromise& broken : verifier.findings)
      found.push_back(
          {"verifier", outcome_of_promise(verifier.layer, broken.promise), -1, broken.place + ": " + broken.text});
  return found;
}

constinit const Checker checker_verifier{"verifier", "an artefact breaks a promise of its layer", "verifiers", check,
                                         "static"};

}  // namespace faultline
