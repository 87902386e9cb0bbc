// The project's own text as the tidy rules see it: every file with its lines, and for C++ two blanked copies in which
// comments, or comments and literals, are spaces. Lines and columns are the same in all of them.
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace faultline::tidy {

struct File {
  std::string path;  // from the project root
  std::string text;
  std::string code;      // comments, literals and preprocessor lines blanked
  std::string literals;  // comments blanked
};

struct Tree {
  std::map<std::string, File> files;
  std::set<std::string> compiled;  // sources that this build folder compiles
};

inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

inline int line_at(std::string_view text, size_t position) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

inline bool ends_with_any(std::string_view path, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return path.ends_with(ending); });
}

inline bool is_cpp(std::string_view path) { return ends_with_any(path, {".h", ".cc"}); }

// The end of the literal or comment that starts at `i`, or `i` if none does.
inline size_t end_of_token(std::string_view text, size_t i) {
  const std::string_view rest = text.substr(i);
  const bool after_word = i > 0 && (std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0 || text[i - 1] == '_');
  size_t end = std::string_view::npos;
  if (rest.starts_with("//")) {
    end = text.find('\n', i);
  } else if (rest.starts_with("/*")) {
    end = text.find("*/", i + 2);
    if (end != std::string_view::npos) end += 2;
  } else if (rest.starts_with("R\"") && !after_word) {
    const size_t open = text.find('(', i);
    const std::string close = ")" + std::string(text.substr(i + 2, open - i - 2)) + "\"";
    end = text.find(close, open);
    if (end != std::string_view::npos) end += close.size();
  } else if (text[i] == '"' || (text[i] == '\'' && !after_word)) {  // 1'000 is a number
    end = i + 1;
    while (end < text.size() && text[end] != text[i]) end += text[end] == '\\' ? 2 : 1;
    ++end;
  } else {
    return i;
  }
  return std::min(end, text.size());
}

inline void blank(std::string& text, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i)
    if (text[i] != '\n') text[i] = ' ';
}

inline void blank_preprocessor_lines(std::string& code) {
  bool continued = false;
  for (size_t begin = 0; begin < code.size();) {
    const size_t end = std::min(code.find('\n', begin), code.size());
    const size_t first = code.find_first_not_of(" \t", begin);
    const bool directive = continued || (first < end && code[first] == '#');
    continued = directive && end > begin && code[end - 1] == '\\';
    if (directive) blank(code, begin, end);
    begin = end + 1;
  }
}

inline File make_file(std::string path, std::string text) {
  File file{std::move(path), std::move(text), {}, {}};
  if (!is_cpp(file.path)) return file;
  file.code = file.literals = file.text;
  for (size_t i = 0; i < file.text.size();) {
    const size_t end = end_of_token(file.text, i);
    if (end == i) {
      ++i;
      continue;
    }
    blank(file.code, i, end);
    if (file.text[i] == '/') blank(file.literals, i, end);
    i = end;
  }
  blank_preprocessor_lines(file.code);
  return file;
}

inline Tree make_tree(const std::vector<std::pair<std::string, std::string>>& files) {
  Tree tree;
  for (const auto& [path, text] : files) tree.files[path] = make_file(path, text);
  return tree;
}

inline std::string read_text(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// Build folders, virtual environments and caches are not the project's text; neither are binary files.
inline Tree read_tree(const std::filesystem::path& root, const std::filesystem::path& build) {
  namespace fs = std::filesystem;
  Tree tree;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::end(entry); ++entry) {
    const std::string name = entry->path().filename().string();
    const bool hidden = name.starts_with('.') && name != ".ci" && name != ".gitignore";
    if (entry->is_directory()) {
      const bool foreign = name == "build" || name == "__pycache__" || name.ends_with(".egg-info");
      if (hidden || foreign) entry.disable_recursion_pending();
      continue;
    }
    std::string text = hidden || !entry->is_regular_file() ? "" : read_text(entry->path());
    if (text.empty() || text.find('\0') != std::string::npos || name == "compile_commands.json") continue;
    const std::string path = fs::relative(entry->path(), root).generic_string();
    tree.files[path] = make_file(path, std::move(text));
  }
  const std::string commands = read_text(build / "compile_commands.json");
  const std::string key = "\"file\": \"" + root.generic_string() + "/";
  for (size_t at = commands.find(key); at != std::string::npos; at = commands.find(key, at + 1)) {
    const size_t begin = at + key.size();
    tree.compiled.insert(commands.substr(begin, commands.find('"', begin) - begin));
  }
  return tree;
}

}  // namespace faultline::tidy
