// The Python script of a finding, run once before anybody is told of it.
#pragma once

#include <string>

#include "runtime/core/case.h"
#include "runtime/core/verdict.h"

namespace faultline {

struct FindingScript {
  std::string text;    // empty: there is none for this back end yet
  std::string result;  // "reproduces", "does not reproduce", or why there is none
};

FindingScript finding_script(const Case& test_case, const Verdict& verdict);

}  // namespace faultline
