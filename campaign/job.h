// One child of a campaign: this program again, which generates, runs and reduces cases. Eager PyTorch runs inside it,
// so that a program on which torch ends the process ends a child and no campaign. It speaks frames of JSON on
// descriptor 3, as workers do.
//
//   {"do": "settings", "backend": "...", ...}  first
//   {"do": "case", "number": 7}     -> {"outcome": "pass", ...}; a mismatch also has signature, verdict, report
//   {"do": "reduce"}                -> the last case, reduced: line, signature, verdict, report, script, ...
//   {"do": "sign", "line": "...", "folder": "..."}  -> {"signature": "..."} of a case line whose files are in that
//                                       folder; empty: nothing wrong
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/core/case.h"
#include "runtime/core/verdict.h"

namespace faultline {

// What decides a campaign's cases, but for the number.
struct CampaignSubject {
  BackendSpec backend;
  std::vector<FaultChain> faults;
  OracleProfile oracle = OracleProfile::sound;
  uint64_t seed = 1;
  int reduce_runs = 200;
};
nlohmann::json to_json(const CampaignSubject& subject);
CampaignSubject subject_of(const nlohmann::json& settings);

// The case with this number: a position in a stream of programs.
Case case_of(const CampaignSubject& subject, int64_t number);

// The answer to one request. `subject` is kept between requests, and so is the last case.
class JobServer {
 public:
  nlohmann::json answer(const nlohmann::json& request);

 private:
  nlohmann::json run(int64_t number);
  nlohmann::json reduce();

  CampaignSubject subject_;
  Case case_;
  Verdict verdict_;
};

// Until the other end closes; gives the exit code.
int serve_jobs();

}  // namespace faultline
