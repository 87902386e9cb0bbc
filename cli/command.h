// A command of the faultline program: one row. Its arguments are declared to CLI11, which reads them; then the action
// runs. Nothing here knows a process: main.cc brings the streams, tests bring strings.
#pragma once

#include <functional>
#include <ostream>
#include <string_view>

#include "reports/text.h"
#include "runtime/base/table.h"

namespace CLI {
class App;
}

namespace faultline {

// How output is to look; what main.cc finds out about the terminal.
struct ConsoleStyle {
  TextStyle report;       // of everything on `out`
  bool terminal = false;  // `out` is one: tables are broken at report.columns, else a row is a line
  bool progress = false;  // on `err`, in one line that is written over
  bool unicode = false;   // whoever reads `out` expects UTF-8
};

struct Console {
  std::ostream& out;
  std::ostream& err;
  ConsoleStyle style;
};

struct Command {
  std::string_view id;
  std::string_view summary;   // one clause, for the list of commands
  std::string_view examples;  // command lines, one a line; each runs from the root of the tree
  // Declares the arguments. What it returns runs once they have been read, and returns the exit code; it writes to
  // `out` only what is complete, and throws UserError before.
  std::function<int(Console&)> (*declare)(CLI::App& app) = nullptr;
};

#define COMMAND(name) extern const Command command_##name;
#include "cli/cli.def"
#undef COMMAND
extern const Table<Command> commands;

// The whole program but for the process: reads the arguments, runs one command, returns the exit code. A mistake of the
// user is one line on `err`, exit code 2, and nothing on `out`.
int run_command_line(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
                     const ConsoleStyle& style = {});

}  // namespace faultline
