// faultline ladder: one case with every rung, verifier and substitution, also when nothing is wrong.
#include "cli/case_arguments.h"
#include "cli/run_report.h"
#include "cli/trace_file.h"

namespace faultline {

static std::function<int(Console&)> declare(CLI::App& app) {
  struct Arguments {
    CaseArguments test_case;
    ReportArguments report;
    std::string trace;
  };
  const auto arguments = std::make_shared<Arguments>();
  arguments->test_case.declare(app);
  arguments->report.declare(app);
  app.add_option("--trace", arguments->trace, "write the device's events, for Perfetto or chrome://tracing")
      ->type_name("FILE");
  return [arguments](Console& console) {
    RunOptions options;
    options.ladder = true;
    if (!arguments->trace.empty()) options.trace = trace_writer(arguments->trace);
    return run_and_print(arguments->test_case.make(console.err), options, arguments->report, console);
  };
}

extern const Command command_ladder;
constinit const Command command_ladder{
    .id = "ladder",
    .summary = "run a program on every rung, good or bad: which layer's output still agrees with eager",
    .examples =
        "./faultline ladder corpora/programs/clone65.fl\n"
        "./faultline ladder corpora/programs/clone65.fl --fault 'layout.pad_floor(*)'\n"
        "./faultline ladder 'def f(x: f16[8,100]): y = aten.sum.dim_IntList(x, [1]); return y' --option lx=off",
    .declare = declare,
};

}  // namespace faultline
