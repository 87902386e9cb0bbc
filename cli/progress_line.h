// One line on a terminal, written over as work goes on, with the time that is left, and gone at the end. Commands whose
// console shows no progress do not make one.
#pragma once

#include <chrono>
#include <string_view>

#include "cli/command.h"

namespace faultline {

class ProgressLine {
 public:
  explicit ProgressLine(Console& console) : console_(console), start_(std::chrono::steady_clock::now()) {}
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // The time left is of this stage, from how long the parts done took; it is shown from ten seconds on.
  void show(std::string_view stage, int done, int total);

 private:
  Console& console_;
  std::chrono::steady_clock::time_point start_;  // of the stage
  std::string stage_;
  bool shown_ = false;
};

}  // namespace faultline
