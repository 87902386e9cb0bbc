// Runs the command line inside the test, as a shell would hand it over.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "cli/command.h"

namespace faultline {

struct CommandResult {
  int code = 0;
  std::string out, err;
};

inline CommandResult faultline_command(std::vector<std::string> arguments, const ConsoleStyle& style = {}) {
  arguments.insert(arguments.begin(), "faultline");
  std::vector<const char*> argv;
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  std::ostringstream out, err;
  const int code = run_command_line(static_cast<int>(argv.size()), argv.data(), out, err, style);
  return {code, out.str(), err.str()};
}

// The words of a shell line, single quotes kept together.
inline std::vector<std::string> shell_words(const std::string& line) {
  std::vector<std::string> words;
  bool quoted = false, in_word = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
      if (!in_word) words.emplace_back();
      in_word = true;
    } else if (c == ' ' && !quoted) {
      in_word = false;
    } else {
      if (!in_word) words.emplace_back();
      words.back() += c;
      in_word = true;
    }
  }
  return words;
}

// Command lines of a row's examples, without "./faultline".
inline std::vector<std::vector<std::string>> example_lines(const Command& command) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream text{std::string(command.examples)};
  for (std::string line; std::getline(text, line);) {
    std::vector<std::string> words = shell_words(line);
    if (words.empty() || words[0] != "./faultline") continue;
    words.erase(words.begin());
    lines.push_back(words);
  }
  return lines;
}

}  // namespace faultline
