// Where the lanes of a scan give what the judge gives, and may say "passes".
#pragma once

#include "checkers/comparison/judge.h"
#include "checkers/comparison/scan.h"

namespace faultline {

struct ScanLimits {
  ScanForm form = ScanForm::f32;
  ScanBound bound;
  bool widens = false;    // 8-bit floats
  size_t lane_bytes = 4;  // of an element as the scan reads it
  bool usable = true;     // otherwise every element is judged by itself
};

ScanLimits scan_limits(const JudgeRules& rules);

}  // namespace faultline
