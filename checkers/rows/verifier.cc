// Broken promises of the artefacts. No results of the program are involved: those of layer 8 are about single steps.
#include <fmt/format.h>

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

static std::string covers(const Evidence& evidence) {
  int64_t ran = 0;
  for (const VerifierEvidence& verifier : evidence.verifiers) ran += verifier.ran;
  return ran == 0 ? "" : fmt::format("promises of {} layers", ran);
}

constinit const Checker checker_verifier{
    "verifier", "an artefact breaks a promise of its layer", "verifiers", check, "static", covers};

}  // namespace faultline
