// The table of commands, what is said about them, and the way from arguments to an exit code.
#include <algorithm>
#include <exception>
#include <new>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/command.h"
#include "reports/columns.h"
#include "runtime/backends/model/model_stack.h"
#include "runtime/base/error.h"
#include "runtime/core/verdict.h"

namespace faultline {

static constexpr const Command* kRows[] = {
#define COMMAND(name) &command_##name,
#include "cli/cli.def"
#undef COMMAND
};
constinit const Table<Command> commands{kRows};

namespace {

constexpr std::string_view kExitCodes =
    "exit codes: 0 as expected, 1 a mismatch, 2 usage, 10 missed, 11 false alarm, 12 not exercised,\n"
    "            13 unknown, 14 crashed, 15 hung, 16 slow, 17 rejected";

std::string indented(std::string_view lines) {
  std::string text;
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    text += fmt::format("  {}\n", lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return text;
}

std::string help() {
  std::string text =
      "faultline: plants faults in AI-accelerator compiler stacks, finds them, and names the layer they came from\n\n"
      "usage: faultline COMMAND [ARGUMENTS]\n\ncommands:\n";
  std::vector<TextRow> rows;
  for (const Command* command : commands.rows)
    rows.push_back({std::string(command->id), std::string(command->summary)});
  text += table_text(rows, 2, 0);
  text += "\nexamples:\n";
  for (const Command* command : commands.rows)
    text += fmt::format("  {}\n", command->examples.substr(0, command->examples.find('\n')));
  return text + fmt::format("\n'faultline COMMAND --help' says more about one.\n\n{}\n", kExitCodes);
}

// What CLI11 did not expect: an option that does not exist, or one argument too many.
UserError unexpected(const CLI::App& app, const Command& command) {
  const std::string word = app.remaining().front();
  const std::string see = fmt::format("; see 'faultline {} --help'", command.id);
  if (!word.starts_with("-")) return UserError(fmt::format("{}: unexpected argument '{}'{}", command.id, word, see));
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::string option = word.substr(0, word.find('='));
  const std::string meant = did_you_mean(option, names);
  return UserError(fmt::format("{}: unknown option '{}'{}", command.id, option, meant.empty() ? see : meant));
}

// One line in the words of the project: lower case first.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.size() > 1 && text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a') text[0] = static_cast<char>(text[0] + 32);
  while (text.ends_with(' ') || text.ends_with('.')) text.pop_back();
  return text;
}

int run_command(const Command& command, std::vector<std::string> arguments, Console& console) {
  CLI::App app(std::string(command.summary) + "\n", fmt::format("faultline {}", command.id));
  app.footer(fmt::format("examples:\n{}\n{}", indented(command.examples), kExitCodes));
  app.get_formatter()->column_width(34);
  app.set_help_flag("-h,--help", "this text");
  app.allow_extras();
  const auto action = command.declare(app);
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    console.out << app.help();
    return 0;
  } catch (const CLI::ParseError& error) {
    if (!app.remaining().empty()) throw unexpected(app, command);
    throw UserError(fmt::format("{}: {}; see 'faultline {} --help'", command.id, one_line(error.what()), command.id));
  }
  if (!app.remaining().empty()) throw unexpected(app, command);
  return action(console);
}

const Command& command_named(const std::string& name) {
  const Command* command = commands.find(name);
  if (command != nullptr) return *command;
  throw UserError(fmt::format("unknown command '{}'{}; 'faultline --help' lists the commands", name,
                              did_you_mean(name, commands.ids())));
}

int dispatch(std::vector<std::string> arguments, Console& console) {
  if (arguments.empty()) throw UserError("expected a command; 'faultline --help' lists them");
  const std::string first = arguments.front();
  arguments.erase(arguments.begin());
  if (first == "help" && !arguments.empty()) return run_command(command_named(arguments.front()), {"--help"}, console);
  if (first == "help" || first == "--help" || first == "-h") {
    console.out << help();
    return 0;
  }
  if (first == "--version") {
    console.out << "faultline " << FAULTLINE_VERSION << "\n";
    return 0;
  }
  return run_command(command_named(first), std::move(arguments), console);
}

}  // namespace

int run_command_line(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
                     const ConsoleStyle& style) {
  Console console{out, err, style};
  try {
    return dispatch(std::vector<std::string>(argv + std::min(argc, 1), argv + argc), console);
  } catch (const UserError& error) {
    err << "faultline: " << error.what() << "\n";
    return 2;
  } catch (const Rejected& rejected) {
    err << "faultline: rejected: " << rejected.subject() << ": " << rejected.what() << "\n";
    return exit_code(Outcome::rejected);
  } catch (const Crashed& crashed) {
    err << "faultline: the backend crashed: " << crashed.what() << "\n";
    return exit_code(Outcome::crashed);
  } catch (const std::bad_alloc&) {
    err << "faultline: out of memory\n";
    return exit_code(Outcome::unknown);
  } catch (const std::exception& error) {
    err << "faultline: internal error: " << error.what() << "\n";
    return exit_code(Outcome::unknown);
  }
}

}  // namespace faultline
