// Runs a case for the commands that print a verdict.
#pragma once

#include <string>

#include "cli/command.h"
#include "runtime/run/run_case.h"

namespace faultline {

// How a verdict is to be shown: the arguments that those commands share.
struct ReportArguments {
  bool json = false, picture = false, ascii = false;
  std::string svg, record;

  void declare(CLI::App& app);
  // Throws UserError: of arguments that do not go together, and of a file that cannot be written.
  void check() const;
  bool draws() const { return picture || !svg.empty(); }
};

// With progress where the console shows it.
Verdict run_shown(const Case& test_case, RunOptions options, Console& console);

void print(const Verdict& verdict, bool json, Console& console);

// Runs, prints, returns the verdict's exit code.
int run_and_print(const Case& test_case, RunOptions options, const ReportArguments& report, Console& console);

}  // namespace faultline
