// faultline corpus: public bugs, run as cases on the compilers that had them.
#include <algorithm>

#include <CLI/CLI.hpp>

#include "cli/interrupt.h"
#include "cli/progress_line.h"
#include "cli/public_corpus.h"
#include "reports/json.h"
#include "runtime/base/error.h"
#include "runtime/run/run_case.h"

namespace faultline {

namespace {

struct Arguments {
  std::vector<std::string> ids;
  std::string backend, file = "corpora/public/cases.jsonl";
  bool json = false, sweep = false, list = false;
};

std::vector<PublicBug> chosen(const Arguments& arguments) {
  std::vector<PublicBug> bugs = read_public_bugs(arguments.file);
  std::vector<std::string> known;
  for (const PublicBug& bug : bugs) known.push_back(bug.id);
  for (const std::string& id : arguments.ids)
    if (std::find(known.begin(), known.end(), id) == known.end())
      throw UserError(arguments.file + " has no bug '" + id + "'" + did_you_mean(id, known));
  std::erase_if(bugs, [&](const PublicBug& bug) {
    const bool other = !arguments.backend.empty() && bug.backend != arguments.backend;
    const bool unasked =
        !arguments.ids.empty() && std::find(arguments.ids.begin(), arguments.ids.end(), bug.id) == arguments.ids.end();
    return other || unasked;
  });
  if (bugs.empty()) throw UserError(arguments.file + " has no bug for backend '" + arguments.backend + "'");
  return bugs;
}

BugResult run_bug(const PublicBug& bug, const Arguments& arguments) {
  BugResult result{&bug, {}, {}};
  RunOptions options;
  options.sweep = arguments.sweep;
  try {
    result.verdict = run_case(parse_case(bug.case_line), options);
    if (!result.verdict->skipped.empty() && result.verdict->outcome == Outcome::unknown)
      result.failure = result.verdict->skipped.front();
  } catch (const UserError& error) {
    result.failure = error.what();
  }
  return result;
}

std::function<int(Console&)> declare(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  app.add_option("ID", arguments->ids, "bugs to run (all)")->type_name("");
  app.add_option("--backend", arguments->backend, "only those of this compiler")->type_name("NAME");
  app.add_option("--file", arguments->file, "another list of bugs")->type_name("FILE");
  app.add_flag("--list", arguments->list, "say which bugs there are, and run none");
  app.add_flag("--sweep", arguments->sweep, "repeat a mismatch at other sizes");
  app.add_flag("--json", arguments->json, "print one JSON object with every verdict");
  return [arguments](Console& console) {
    const std::vector<PublicBug> bugs = chosen(*arguments);
    if (arguments->list) {
      console.out << list_text(bugs);
      return 0;
    }
    ProgressLine line(console);
    std::vector<BugResult> results;
    for (const PublicBug& bug : bugs) {
      line.show("bugs", static_cast<int>(results.size()), static_cast<int>(bugs.size()));
      results.push_back(run_bug(bug, *arguments));
    }
    console.out << (arguments->json ? json_line(to_json(results)) + "\n" : to_text(results));
    return 0;
  };
}

}  // namespace

extern const Command command_corpus;
constinit const Command command_corpus{
    .id = "corpus",
    .summary = "public bugs, run as cases on the compilers that had them: which are seen, and in which layer",
    .examples =
        "./faultline corpus --list\n"
        "./faultline corpus --list --backend xla",
    .declare = declare,
};

}  // namespace faultline
