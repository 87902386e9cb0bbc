// Carriage return and "erase to the end of the line": what every terminal knows.
#include "cli/progress_line.h"

#include <fmt/format.h>

namespace faultline {

ProgressLine::~ProgressLine() {
  if (shown_) console_.err << "\r\x1b[K" << std::flush;
}

void ProgressLine::show(std::string_view stage, int done, int total) {
  const auto now = std::chrono::steady_clock::now();
  if (stage != stage_) {
    stage_ = stage;
    start_ = now;
  }
  const double spent = std::chrono::duration<double>(now - start_).count();
  const double left = done > 0 ? spent / done * (total - done) : 0;
  std::string line = fmt::format("\r\x1b[K{} {}/{}", stage, done, total);
  if (spent + left >= 10) line += fmt::format(", {:.0f} s left", left);
  console_.err << line << std::flush;
  shown_ = true;
}

}  // namespace faultline
