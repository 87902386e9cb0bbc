// A run with a progress line, and its verdict in one of the two forms.
#include "cli/run_report.h"

#include <utility>

#include <CLI/CLI.hpp>

#include "cli/progress_line.h"
#include "cli/whole_file.h"
#include "reports/json.h"
#include "reports/picture.h"
#include "runtime/base/error.h"
#include "runtime/base/parallel.h"

namespace faultline {

void ReportArguments::declare(CLI::App& app) {
  app.add_flag("--json", json, "print a verdict as one JSON object on a line");
  app.add_flag("--picture", picture, "draw where the wrong elements are, in the tensor and on the device");
  app.add_flag("--ascii", ascii, "draw without block characters, as where the locale is not UTF-8");
  app.add_option("--record", record, "write the verdict as JSON to a file as well")->type_name("FILE");
  app.add_option("--svg", svg, "write the picture as SVG")->type_name("FILE");
}

void ReportArguments::check() const {
  if (json && picture) throw UserError("--picture is text and --json is not: give one of them, or --svg FILE");
  if (ascii && !picture) throw UserError("--ascii says how --picture draws, which is not given");
  if (!record.empty()) check_writable(record, "--record");
  if (!svg.empty()) check_writable(svg, "--svg");
}

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

int run_and_print(const Case& test_case, RunOptions options, const ReportArguments& report, Console& console) {
  report.check();
  options.places = report.draws();
  const Verdict verdict = run_shown(test_case, std::move(options), console);
  if (!report.record.empty()) write_whole(report.record, json_line(to_json(verdict)) + "\n", "--record");
  if (!report.svg.empty()) write_whole(report.svg, picture_svg(verdict), "--svg");
  print(verdict, report.json, console);
  if (report.picture) {
    PictureStyle style;
    style.unicode = console.style.unicode && !report.ascii;
    style.colour = console.style.report.colour;
    style.columns = console.style.report.columns;
    console.out << picture_text(verdict, style);
  }
  return exit_code(verdict.outcome);
}

}  // namespace faultline
