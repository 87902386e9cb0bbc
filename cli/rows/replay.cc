// faultline replay: case lines exactly as reports print them, one or a file of them.
#include <filesystem>
#include <map>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/interrupt.h"
#include "cli/run_report.h"
#include "faults/fault_gate.h"
#include "runtime/base/error.h"
#include "runtime/base/read_text.h"
#include "runtime/run/subject.h"

namespace faultline {

namespace {

struct Line {
  std::string place;  // "cases.txt:3: ", empty on the command line
  Case test_case;
};

// What can be wrong with a case is said before the first of them runs.
void check(const Case& test_case) {
  make_model(test_case.backend);
  check_faults(test_case.faults);
}

Line read_line(const std::string& text, const std::string& folder, const std::string& place) {
  try {
    Line line{place, parse_case(text, folder)};
    check(line.test_case);
    return line;
  } catch (const UserError& error) {
    throw UserError(place + error.what());
  }
}

// Empty lines and those that begin with # say nothing. Files of programs are looked for beside the file of cases.
std::vector<Line> read_file(const std::string& path) {
  std::istringstream file(read_text(path));
  const std::string folder = std::filesystem::path(path).parent_path().string();
  std::vector<Line> lines;
  int number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    if (text.find_first_not_of(" \t\r") == std::string::npos || text.starts_with("#")) continue;
    if (text.ends_with("\r")) text.pop_back();
    lines.push_back(read_line(text, folder.empty() ? "." : folder, fmt::format("{}:{}: ", path, number)));
  }
  if (lines.empty()) throw UserError(fmt::format("{}: holds no case line", path));
  return lines;
}

// A real failure counts more than a case that could not be judged, and the first failure names the exit code.
int worse(int left, int right) {
  const int unknown = exit_code(Outcome::unknown);
  const auto weight = [&](int code) { return code == 0 ? 0 : code == unknown ? 1 : 2; };
  return weight(right) > weight(left) ? right : left;
}

// One line a case, and the report of those that are not as expected.
int run_all(const std::vector<Line>& lines, bool json, Console& console) {
  int code = 0;
  std::map<std::string, int> counts;
  const NotesInterrupts signals;
  size_t done = 0;
  for (const Line& line : lines) {
    Verdict verdict;
    try {
      verdict = run_shown(line.test_case, {}, console);
    } catch (const UserError& error) {
      throw UserError(line.place + error.what());
    }
    const int mine = exit_code(verdict.outcome);
    code = worse(code, mine);
    ++counts[std::string(name(verdict.outcome))];
    if (json || mine != 0) print(verdict, json, console);
    if (!json) console.out << fmt::format("{:<16}{}\n{}", name(verdict.outcome), verdict.case_line, mine ? "\n" : "");
    console.out.flush();
    ++done;
    if (signals.interrupted()) break;
  }
  std::vector<std::string> parts;
  for (const auto& [outcome, count] : counts) parts.push_back(fmt::format("{} {}", count, outcome));
  if (!json) console.out << fmt::format("{} cases: {}\n", done, fmt::join(parts, ", "));
  if (!signals.interrupted()) return code;
  console.err << fmt::format("faultline: interrupted after {} of {} cases\n", done, lines.size());
  return kInterruptedExit;
}

std::function<int(Console&)> declare(CLI::App& app) {
  struct Arguments {
    std::string subject;
    ReportArguments report;
  };
  const auto arguments = std::make_shared<Arguments>();
  app.add_option("CASE", arguments->subject, "a case line, or @FILE with one on each line")->required()->type_name("");
  arguments->report.declare(app);
  return [arguments](Console& console) {
    const ReportArguments& report = arguments->report;
    if (!arguments->subject.starts_with("@")) return run_and_print(parse_case(arguments->subject), {}, report, console);
    if (report.draws()) throw UserError("a picture is of one case, not of a file of them");
    report.check();
    return run_all(read_file(arguments->subject.substr(1)), report.json, console);
  };
}

}  // namespace

extern const Command command_replay;
constinit const Command command_replay{
    .id = "replay",
    .summary = "run a case line of a report again, or a file of them",
    .examples =
        "./faultline replay 'on=spyre fault=schedule.piece_floor(*) program=def f(x: f16[65]): y = aten.clone(x); "
        "return y'\n"
        "./faultline replay 'on=spyre(cores=1) program=@corpora/programs/softmax_rows.fl' --json",
    .declare = declare,
};

}  // namespace faultline
