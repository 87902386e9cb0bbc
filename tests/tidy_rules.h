// The rules of docs/STYLE.md as functions from the tree to complaints. A rule is a row of kRules in tidy_test.cc, which
// also has to bring a small tree that breaks it.
#pragma once

#include <algorithm>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy_functions.h"
#include "tests/tidy_tree.h"

namespace faultline::tidy {

using Complaints = std::vector<std::string>;

inline constexpr int kFileLinesMax = 400;
inline constexpr int kFunctionLinesMax = 70;
inline constexpr int kColumnsMax = 120;

inline std::string at(const File& file, int line, const std::string& what) {
  return file.path + ":" + std::to_string(line) + ": " + what;
}

inline bool under(const std::string& path, std::string_view folder) {
  return path.starts_with(std::string(folder) + "/");
}

inline bool is_script(const std::string& path) {
  return path == "faultline" || path == "check" || path == ".ci/run" || path.ends_with(".sh");
}

// Code of any language; tables (.def, .inc), data and prose are not.
inline bool is_code(const std::string& path) {
  return is_cpp(path) || is_script(path) || ends_with_any(path, {".py", ".cmake", "CMakeLists.txt"});
}

inline Complaints file_length(const Tree& tree) {
  Complaints complaints;
  for (const auto& [path, file] : tree.files) {
    const int lines = static_cast<int>(lines_of(file.text).size());
    if (is_code(path) && lines > kFileLinesMax)
      complaints.push_back(
          at(file, lines, "the file has " + std::to_string(lines) + " lines, at most 400: split it by idea"));
  }
  return complaints;
}

inline Complaints function_length(const Tree& tree) {
  Complaints complaints;
  for (const auto& [path, file] : tree.files) {
    for (const FunctionExtent& function : FunctionScanner(file.code).scan()) {
      const int first = line_at(file.code, function.begin);
      const int lines = line_at(file.code, function.end) - first + 1;
      if (lines > kFunctionLinesMax)
        complaints.push_back(at(file, first, "the function has " + std::to_string(lines) + " lines, at most 70"));
    }
  }
  return complaints;
}

inline Complaints columns(const Tree& tree) {
  Complaints complaints;
  for (const auto& [path, file] : tree.files) {
    int number = 0;
    for (std::string_view line : lines_of(file.text)) {
      ++number;
      const auto columns = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; });  // UTF-8
      if (is_code(path) && columns > kColumnsMax)
        complaints.push_back(at(file, number, std::to_string(columns) + " columns, at most 120"));
    }
  }
  return complaints;
}

// A source opens with what it is for, in a sentence.
inline Complaints head_comment(const Tree& tree) {
  Complaints complaints;
  for (const auto& [path, file] : tree.files) {
    const std::vector<std::string_view> lines = lines_of(file.text);
    const size_t line = is_script(path) ? 1 : 0;
    const bool wanted = is_cpp(path) || is_script(path) || ends_with_any(path, {".py", ".def", ".cmake"});
    if (!wanted) continue;
    const std::string_view head = line < lines.size() ? lines[line] : "";
    const bool opens = head.starts_with("// ") || head.starts_with("# ") || head.starts_with("\"\"\"");
    if (!opens || head.size() < 20)
      complaints.push_back(at(file, 1, "open the file with a comment that says what it is for"));
  }
  return complaints;
}

struct Ban {
  const char* pattern;
  const char* instead;
  std::vector<std::string_view> allowed;  // folders whose business it is
};

// The clock's reading must not reach a result: time limits, progress and measurements have it, records have virtual
// ticks.
inline const std::vector<std::string_view> kClockFolders = {"bench", "cli", "runtime/backends"};

inline const std::vector<Ban>& bans() {
  static const std::vector<Ban> rows = {
      {"std::\\w+_distribution", "Choices::below: distributions differ between libraries", {}},
      {"std::(ranges::)?(random_)?shuffle\\b", "a Fisher-Yates over Choices::below", {}},
      {"\\b(random_device|mt19937(_64)?|default_random_engine|minstd_rand0?)\\b", "Choices, or philox for a coin", {}},
      {"(^|[^\\w.>:])s?rand\\s*\\(|std::s?rand\\b", "Choices", {}},
      {"\\b(system_clock|gettimeofday|localtime|gmtime)\\b|(^|[^\\w.>:])(std::)?time\\s*\\(", "virtual ticks", {}},
      {"\\b(steady_clock|high_resolution_clock|clock_gettime)\\b", "virtual ticks", kClockFolders},
      {"\\b__(DATE|TIME|TIMESTAMP)__", "the version", {}},
      {"^(?!.*operator\\(\\)).*std::hash\\b", "a hash with a written definition, but in a container's hasher", {}},
      {"std::w?s?regex\\b|std::regex_\\w+", "a hand-written scan: std::regex recurses once a character", {"tests"}},
      {"std::v?format(_to)?\\b", "fmt::format: g++ 12 has no std::format", {}},
      {"(^|[^\\w.>:])assert\\s*\\(", "FAULTLINE_CHECK, which stays on in release builds", {}},
      {"\\busing\\s+namespace\\s+std\\b", "the names, one by one", {}},
  };
  return rows;
}

inline Complaints banned_calls(const Tree& tree) {
  Complaints complaints;
  for (const Ban& ban : bans()) {
    const std::regex pattern(ban.pattern);
    for (const auto& [path, file] : tree.files) {
      const std::string& name = path;
      if (std::any_of(ban.allowed.begin(), ban.allowed.end(), [&](auto folder) { return under(name, folder); }))
        continue;
      int number = 0;
      for (std::string_view line : lines_of(file.code)) {
        ++number;
        std::cmatch match;
        if (std::regex_search(line.data(), line.data() + line.size(), match, pattern))
          complaints.push_back(at(file, number, "'" + match.str() + "' is banned; use " + ban.instead));
      }
    }
  }
  return complaints;
}

// Looking up in a hash table is fine; walking one puts the library's order into the result, unless the line says why
// not: "order does not matter: <reason>".
inline Complaints hash_order(const Tree& tree) {
  Complaints complaints;
  const std::regex declared("unordered_\\w+\\s*<[^;{}()]*>[&\\s]+(\\w+)");
  for (const auto& [path, file] : tree.files) {
    for (std::sregex_iterator it(file.code.begin(), file.code.end(), declared), end; it != end; ++it) {
      const std::string name = (*it)[1];
      const std::regex walked("for\\s*\\([^;)]*:\\s*(\\w+(\\.|->))*" + name + "\\s*\\)|\\b" + name +
                              "\\s*\\.\\s*begin\\s*\\(");
      for (std::sregex_iterator walk(file.code.begin(), file.code.end(), walked); walk != end; ++walk) {
        const int line = line_at(file.code, static_cast<size_t>(walk->position()));
        if (lines_of(file.text)[static_cast<size_t>(line) - 1].find("order does not matter: ") ==
            std::string_view::npos)
          complaints.push_back(
              at(file, line, "'" + name + "' is walked in hash order; use an ordered container, or sort first"));
      }
    }
  }
  return complaints;
}

// Which accelerator it is, is asked nowhere but in the targets' own files: everybody else reads the row's columns.
inline Complaints target_names(const Tree& tree) {
  Complaints complaints;
  const std::string name = "\"(gpu|tpu|wse|lpu|spyre)\"";
  const std::regex compared("[!=]=\\s*(std::string(_view)?\\()?" + name + "|" + name + "\\s*[!=]=");
  for (const auto& [path, file] : tree.files) {
    if (under(path, "runtime/targets") || under(path, "tests")) continue;
    for (std::sregex_iterator it(file.literals.begin(), file.literals.end(), compared), end; it != end; ++it)
      complaints.push_back(at(file, line_at(file.literals, static_cast<size_t>(it->position())),
                              "a target is compared by name: add a column to the target's row"));
  }
  return complaints;
}

// Notes to oneself and paths of one machine. The patterns are cut in two so that this file is clean.
inline Complaints left_overs(const Tree& tree) {
  Complaints complaints;
  const std::regex words(
      "\\b(TO"
      "DO|FIX"
      "ME|XX"
      "X|HA"
      "CK)\\b|(^|[\\s\"'`(=])/(ro"
      "ot|ho"
      "me|wo"
      "rk)/");
  for (const auto& [path, file] : tree.files) {
    int number = 0;
    for (std::string_view line : lines_of(file.text)) {
      ++number;
      std::cmatch match;
      if (std::regex_search(line.data(), line.data() + line.size(), match, words))
        complaints.push_back(
            at(file, number, "'" + match.str() + "': finish it, or write the limit down in docs/limits.md"));
    }
  }
  return complaints;
}

}  // namespace faultline::tidy
