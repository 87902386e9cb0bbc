// faultline run: one case, and as much of the ladder as its result calls for.
#include "cli/case_arguments.h"
#include "cli/run_report.h"
#include "cli/trace_file.h"

namespace faultline {

static std::function<int(Console&)> declare(CLI::App& app) {
  struct Arguments {
    CaseArguments test_case;
    bool no_sweep = false;
    ReportArguments report;
    std::string trace;
  };
  const auto arguments = std::make_shared<Arguments>();
  arguments->test_case.declare(app);
  app.add_flag("--no-sweep", arguments->no_sweep, "do not repeat a mismatch at other sizes");
  arguments->report.declare(app);
  app.add_option("--trace", arguments->trace, "write the device's events, for Perfetto or chrome://tracing")
      ->type_name("FILE");
  return [arguments](Console& console) {
    RunOptions options;
    options.sweep = !arguments->no_sweep;
    if (!arguments->trace.empty()) options.trace = trace_writer(arguments->trace);
    return run_and_print(arguments->test_case.make(console.err), options, arguments->report, console);
  };
}

extern const Command command_run;
constinit const Command command_run{
    .id = "run",
    .summary = "compile and run a program, compare it with eager PyTorch, explain what differs",
    .examples =
        "./faultline run 'def f(x: f16[65]): y = aten.clone(x); return y'\n"
        "./faultline run corpora/programs/softmax_rows.fl --option cores=1\n"
        "./faultline run corpora/programs/clone65.fl --fault 'tile.trip_floor(*)' --json\n"
        "./faultline run corpora/programs/clone65.fl --fault 'schedule.piece_floor(*)' --memory zeroed\n"
        "./faultline run corpora/programs/clone65.fl --fault 'tile.trip_floor(*)' --picture --svg build/clone65.svg\n"
        "./faultline run corpora/programs/softmax_rows.fl --trace build/softmax_rows.json",
    .declare = declare,
};

}  // namespace faultline
