// The tidy rules about which file may know which, and about files that nothing uses.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/tidy_rules.h"

namespace faultline::tidy {

struct Include {
  std::string path;
  bool quoted;
  int line;
};

inline std::vector<Include> includes_of(const File& file) {
  std::vector<Include> includes;
  const std::regex directive("^[ \\t]*#[ \\t]*include[ \\t]*([<\"])([^>\"]+)[>\"]");
  int number = 0;
  for (std::string_view line : lines_of(file.literals)) {
    ++number;
    std::cmatch match;
    if (std::regex_search(line.data(), line.data() + line.size(), match, directive))
      includes.push_back({match[2], match[1] == "\"", number});
  }
  return includes;
}

// The ranks of docs/STYLE.md, in its order: a file includes its own rank and lower ones. The longest folder that fits
// counts.
inline const std::vector<std::pair<std::string_view, int>> kRanks = {
    {"runtime/base", 0},
    {"taxonomy", 1},
    {"runtime/ir", 1},
    {"runtime/core", 1},
    {"runtime/numerics", 2},
    {"runtime/exact", 2},
    {"runtime/eager", 2},
    {"runtime/layers", 3},
    {"runtime/device", 3},
    {"runtime/targets", 4},
    {"runtime/backends", 5},
    {"faults", 6},
    {"checkers", 6},
    {"runtime/run", 7},
    {"generate", 7},
    {"reports", 8},
    {"reduce", 8},
    {"campaign", 8},
    {"labs", 8},
    {"cli", 9},
    {"python", 9},
    {"tests", 10},
    {"bench", 10},
};

inline std::optional<int> rank_of(const std::string& path) {
  for (const auto& [folder, rank] : kRanks)
    if (under(path, folder)) return rank;
  return std::nullopt;
}

inline Complaints include_ranks(const Tree& tree) {
  Complaints complaints;
  for (const auto& [path, file] : tree.files) {
    if (!is_cpp(path)) continue;
    const std::optional<int> rank = rank_of(path);
    if (!rank) complaints.push_back(at(file, 1, "the folder has no rank: give it one in tests/tidy_structure.h"));
    for (const Include& include : includes_of(file)) {
      if (!include.quoted) continue;
      if (!tree.files.contains(include.path)) {
        complaints.push_back(
            at(file, include.line, "\"" + include.path + "\" is no file when read from the project root"));
      } else if (rank && rank_of(include.path).value_or(0) > *rank) {
        complaints.push_back(at(file, include.line, "\"" + include.path + "\" has a higher rank than this file"));
      }
    }
  }
  return complaints;
}

// Everything that `path` includes, directly or through others, with the file that includes it.
inline std::map<std::string, std::string> reached_from(const Tree& tree, const std::string& path) {
  std::map<std::string, std::string> reached;
  std::vector<std::string> pending = {path};
  while (!pending.empty()) {
    const std::string from = pending.back();
    pending.pop_back();
    const auto file = tree.files.find(from);
    if (file == tree.files.end()) continue;
    for (const Include& include : includes_of(file->second))
      if (include.quoted && reached.emplace(include.path, from).second) pending.push_back(include.path);
  }
  return reached;
}

// Checkers see evidence, never what was planted: not even through a header of a header. Faults do not see checkers.
inline Complaints blindness(const Tree& tree) {
  struct Wall {
    std::string_view from, to;
  };
  const std::vector<Wall> walls = {{"checkers", "faults"},
                                   {"taxonomy", "faults"},
                                   {"faults", "checkers"},
                                   {"checkers", "runtime/core/case.h"},
                                   {"taxonomy", "runtime/core/case.h"}};
  Complaints complaints;
  for (const auto& [path, file] : tree.files) {
    for (const Wall& wall : walls) {
      if (!is_cpp(path) || !under(path, wall.from)) continue;
      for (const auto& [target, through] : reached_from(tree, path))
        if (target == wall.to || under(target, wall.to))
          complaints.push_back(at(file, 1, "must not know " + target + ", which it reaches through " + through));
    }
  }
  return complaints;
}

// What kind of mechanism explains a result is decided where nothing planted can be seen: runtime/run, which sees faults
// and checkers alike, does not have the names of the kinds.
inline Complaints kinds_behind_the_wall(const Tree& tree) {
  Complaints complaints;
  for (const auto& [path, file] : tree.files) {
    if (!is_cpp(path) || !under(path, "runtime/run")) continue;
    for (const Include& include : includes_of(file))
      if (under(include.path, "taxonomy"))
        complaints.push_back(at(file, include.line, "what decides a kind belongs to checkers/, behind the wall"));
  }
  return complaints;
}

inline Complaints torch_includes(const Tree& tree) {
  Complaints complaints;
  for (const auto& [path, file] : tree.files) {
    if (!is_cpp(path) || under(path, "runtime/eager") || under(path, "runtime/backends")) continue;
    for (const Include& include : includes_of(file))
      if (std::regex_search(include.path, std::regex("^(torch|ATen|c10|caffe2)/")))
        complaints.push_back(at(file, include.line, "torch headers are for runtime/eager and runtime/backends alone"));
  }
  return complaints;
}

// A source that this build does not compile, or a header that nobody includes. A folder of which nothing is compiled is
// optional (a torch module without torch, benchmarks) if a CMakeLists.txt above it asks for a package.
inline Complaints dead_files(const Tree& tree) {
  std::set<std::string> included, live_folders;
  const auto folder_of = [](const std::string& path) { return path.substr(0, path.find_last_of('/') + 1); };
  for (const auto& [path, file] : tree.files)
    for (const Include& include : includes_of(file)) included.insert(include.path);
  for (const std::string& path : tree.compiled) live_folders.insert(folder_of(path));
  const auto optional = [&](std::string folder) {
    if (live_folders.contains(folder) || folder == "tests/") return false;
    for (; !folder.empty(); folder = folder_of(folder.substr(0, folder.size() - 1))) {
      const auto list = tree.files.find(folder + "CMakeLists.txt");
      if (list != tree.files.end())
        return std::regex_search(list->second.text, std::regex("find_package|FAULTLINE_FUZZ"));
    }
    return false;
  };
  Complaints complaints;
  for (const auto& [path, file] : tree.files) {
    if (path.ends_with(".cc") && !tree.compiled.contains(path) && !optional(folder_of(path)))
      complaints.push_back(at(file, 1, "no library or program compiles this file"));
    if (path.ends_with(".h") && !included.contains(path))
      complaints.push_back(at(file, 1, "nobody includes this header"));
  }
  return complaints;
}

inline Complaints header_guard(const Tree& tree) {
  Complaints complaints;
  for (const auto& [path, file] : tree.files)
    if (path.ends_with(".h") && file.literals.find("\n#pragma once\n") == std::string::npos)
      complaints.push_back(at(file, 1, "a header needs #pragma once"));
  return complaints;
}

// A table <name>.def beside a folder rows/: one file a line, one line a file. CMake says so as well, at configure time.
inline Complaints table_rows(const Tree& tree) {
  Complaints complaints;
  const std::regex entry("^[A-Z_]+\\(([a-z0-9_]+)(, *([a-z0-9_]+))?");
  for (const auto& [path, table] : tree.files) {
    const std::string rows = path.substr(0, path.find_last_of('/') + 1) + "rows/";
    const auto first = tree.files.lower_bound(rows);
    if (!path.ends_with(".def") || first == tree.files.end() || !first->first.starts_with(rows)) continue;
    std::set<std::string> wanted;
    int number = 0;
    for (std::string_view line : lines_of(table.text)) {
      ++number;
      std::cmatch match;
      if (!std::regex_search(line.data(), line.data() + line.size(), match, entry)) continue;
      const std::string row = rows + match.str(1) + (match[3].matched ? "/" + match.str(3) : "") + ".cc";
      wanted.insert(row);
      if (!tree.files.contains(row)) complaints.push_back(at(table, number, "the row has no file " + row));
    }
    for (auto file = first; file != tree.files.end() && file->first.starts_with(rows); ++file)
      if (file->first.ends_with(".cc") && !wanted.contains(file->first))
        complaints.push_back(at(file->second, 1, "the file has no row in " + path));
  }
  return complaints;
}

// A page that is cited by its name is one that the reader has: in the tree, from its root or beside the file. Addresses
// may name other pages. In C++ only comments cite.
inline Complaints cited_pages(const Tree& tree) {
  Complaints complaints;
  const std::regex page("[^\\s\"'`()<>,;:\\[\\]]+(://)?[^\\s\"'`()<>,;]*\\.md\\b");
  for (const auto& [path, file] : tree.files) {
    std::string text = file.text;
    if (is_cpp(path))
      for (size_t i = 0; i < text.size(); ++i)
        if (text[i] != '\n' && file.literals[i] == text[i]) text[i] = ' ';
    const std::string folder = path.substr(0, path.find_last_of('/') + 1);
    for (std::sregex_iterator match(text.begin(), text.end(), page), end; match != end; ++match) {
      std::string cited = match->str();
      if ((*match)[1].matched) continue;
      while (cited.starts_with('.') || cited.starts_with('/')) cited.erase(0, 1);
      if (!tree.files.contains(cited) && !tree.files.contains(folder + cited))
        complaints.push_back(
            at(file, line_at(text, static_cast<size_t>(match->position())), "there is no page " + cited));
    }
  }
  return complaints;
}

// GoogleTest passes a program without cases.
inline Complaints empty_tests(const Tree& tree) {
  Complaints complaints;
  const std::regex cases("\\b(TEST|TEST_F|TEST_P|TYPED_TEST|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\\s*\\(");
  for (const auto& [path, file] : tree.files)
    if (path.ends_with("_test.cc") && !std::regex_search(file.code, cases))
      complaints.push_back(at(file, 1, "the test has no case"));
  return complaints;
}

}  // namespace faultline::tidy
