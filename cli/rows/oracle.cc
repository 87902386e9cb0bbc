// faultline oracle: what the oracle is worth.
#include <CLI/CLI.hpp>

#include "checkers/score/bars.h"
#include "cli/progress_line.h"
#include "reports/json.h"
#include "reports/score.h"
#include "runtime/base/parallel.h"

namespace faultline {

namespace {

std::function<int(Console&)> declare(CLI::App& app) {
  struct Arguments {
    std::string what;
    ScoreOptions options;
    bool json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  app.add_option("WHAT", arguments->what, "score: plant mistakes in results and arithmetic, and count what is seen")
      ->type_name("")
      ->required();
  app.add_option("--seeds", arguments->options.seeds, "how often each mistake is planted in each program (default 4)")
      ->check(CLI::Range(1, 100000))
      ->type_name("N");
  app.add_option(
         "--controls", arguments->options.controls,
         "conforming results to try, all together; those equal to eager's in every bit do not count (default 2000)")
      ->check(CLI::Range(0, 10000000))
      ->type_name("N");
  app.add_flag("--json", arguments->json, "print one JSON object with every count");
  return [arguments](Console& console) {
    if (arguments->what != "score")
      throw UserError("oracle: unknown '" + arguments->what + "'; 'faultline oracle score' is what there is");
    ProgressLine line(console);
    ScoreOptions options = arguments->options;
    options.threads = hardware_threads();
    if (console.style.progress) options.progress = [&](int done, int of) { line.show("programs", done, of); };
    const OracleScore score = score_oracle(options);
    const int columns = console.style.terminal ? console.style.report.columns : 0;
    console.out << (arguments->json ? json_line(to_json(score)) + "\n" : to_text(score, columns));
    return exit_code(outcome_of(score));
  };
}

}  // namespace

extern const Command command_oracle;
constinit const Command command_oracle{
    .id = "oracle",
    .summary = "score: which mistakes the oracle sees, and whether it accuses what conforms, beside published rules",
    .examples =
        "./faultline oracle score --seeds 1 --controls 480\n"
        "./faultline oracle score --seeds 1 --controls 0 --json",
    .declare = declare,
};

}  // namespace faultline
