// A run with a progress line, and its verdict in one of the two forms.
#include "cli/run_report.h"

#include "cli/progress_line.h"
#include "reports/json.h"
#include "runtime/base/parallel.h"

namespace faultline {

Verdict run_shown(const Case& test_case, RunOptions options, Console& console) {
  ProgressLine line(console);
  options.threads = hardware_threads();
  if (console.style.progress)
    options.progress = [&line](std::string_view stage, int done, int total) { line.show(stage, done, total); };
  return run_case(test_case, options);
}

void print(const Verdict& verdict, bool json, Console& console) {
  if (json)
    console.out << json_line(to_json(verdict)) << "\n";
  else
    console.out << to_text(verdict, console.style.report);
}

int run_and_print(const Case& test_case, const RunOptions& options, bool json, Console& console) {
  const Verdict verdict = run_shown(test_case, options, console);
  print(verdict, json, console);
  return exit_code(verdict.outcome);
}

}  // namespace faultline
