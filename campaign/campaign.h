// Cases by number, run by children of this program, until time or numbers are used up: `faultline fuzz`. The number is
// a position in a stream of programs, so that two campaigns with one seed try the same cases.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "campaign/job.h"
#include "campaign/store.h"

namespace faultline {

// A public bug that findings are held against.
struct KnownBug {
  std::string id, case_line;
};

struct CampaignStatus {
  int64_t cases = 0;     // in this call
  int64_t findings = 0;  // in all
  int64_t repeats = 0;   // cases of this call that showed a finding again
  int reducing = 0;
};

struct CampaignOptions {
  CampaignSubject subject;
  std::string folder;
  int jobs = 1;
  int64_t cases_end = 0;                 // numbers below this one; 0: no end
  std::vector<std::string> job_command;  // this program, serving
  std::vector<KnownBug> known;           // of this back end
  std::function<bool()> time_is_over;    // no new cases; those at work end
  // A reduction that still goes on is left; its case is a finding as it is.
  std::function<bool()> patience_is_over;
  std::function<bool()> stop;                           // at once; what is at work is tried again by the next call
  std::function<void(const CampaignStatus&)> progress;  // twice a second
};

struct CampaignResult {
  CampaignStatus status;
  bool interrupted = false;
  std::map<std::string, int64_t> outcomes;  // of all calls
  std::vector<FindingRow> findings;
};

// Throws UserError: for a folder that cannot be used or is of another campaign, and where the back end is not there.
CampaignResult run_campaign(const CampaignOptions& options);

}  // namespace faultline
