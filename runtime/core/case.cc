// Case lines: keys in the head, `fault=` last of them (its text has spaces), then `program=` to the end of the line.
#include "runtime/core/case.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>

#include "runtime/base/error.h"
#include "runtime/base/one_line.h"
#include "runtime/base/read_text.h"
#include "runtime/ir/program_text.h"
#include "runtime/ir/pt2/reader.h"

namespace faultline {

namespace {

constexpr std::string_view kMemoryNames[] = {"fresh", "zeroed", "stale"};

MemoryState memory_from_name(std::string_view text) {
  for (int i = 0; i < 3; ++i)
    if (kMemoryNames[i] == text) return static_cast<MemoryState>(i);
  const std::vector<std::string> names(std::begin(kMemoryNames), std::end(kMemoryNames));
  throw UserError(
      fmt::format("case: memory= wants fresh, zeroed or stale, found '{}'{}", text, did_you_mean(text, names)));
}

constexpr std::string_view kProfileNames[] = {"sound", "sharp"};

OracleProfile profile_from_name(std::string_view text) {
  for (int i = 0; i < 2; ++i)
    if (kProfileNames[i] == text) return static_cast<OracleProfile>(i);
  const std::vector<std::string> names(std::begin(kProfileNames), std::end(kProfileNames));
  throw UserError(fmt::format("case: oracle= wants sound or sharp, found '{}'{}", text, did_you_mean(text, names)));
}

BackendSpec parse_backend(std::string_view text) {
  BackendSpec backend;
  const size_t open = text.find('(');
  backend.id = text.substr(0, open);
  if (open == std::string_view::npos) return backend;
  if (!text.ends_with(")")) throw UserError(fmt::format("case: on={} has no closing ')'", text));
  std::string_view options = text.substr(open + 1, text.size() - open - 2);
  while (!options.empty()) {
    const size_t comma = std::min(options.find(','), options.size());
    const std::string_view option = options.substr(0, comma);
    const size_t equals = option.find('=');
    if (equals == std::string_view::npos)
      throw UserError(fmt::format("case: on={} wants option=value, found '{}'", backend.id, option));
    if (!backend.options.emplace(option.substr(0, equals), option.substr(equals + 1)).second)
      throw UserError(fmt::format("case: on={} is given {} twice", backend.id, option.substr(0, equals)));
    options.remove_prefix(std::min(comma + 1, options.size()));
  }
  return backend;
}

std::string to_text(const BackendSpec& backend) {
  std::string text;
  for (const auto& [key, value] : backend.options) text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, value);
  return text.empty() ? backend.id : fmt::format("{}({})", backend.id, text);
}

void read_head(Case& test_case, std::string_view head) {
  std::set<std::string_view> given;
  while (!head.empty()) {
    if (head.front() == ' ') {
      head.remove_prefix(1);
      continue;
    }
    if (head.starts_with("fault=")) {
      test_case.faults = parse_faults(head.substr(6));
      return;
    }
    const size_t end = std::min(head.find(' '), head.size());
    const std::string_view word = head.substr(0, end);
    head.remove_prefix(end);
    const size_t equals = std::min(word.find('='), word.size());
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = word.substr(std::min(equals + 1, word.size()));
    if (!given.insert(key).second) throw UserError(fmt::format("case: {}= is given twice", key));
    if (key == "seed") {
      const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), test_case.seed);
      if (error != std::errc{} || stop != value.data() + value.size())
        throw UserError(fmt::format("case: seed= wants a whole number from 0 to 2^64-1, found '{}'", value));
    } else if (key == "on") {
      test_case.backend = parse_backend(value);
    } else if (key == "memory") {
      test_case.memory = memory_from_name(value);
    } else if (key == "oracle") {
      test_case.oracle = profile_from_name(value);
    } else {
      const std::vector<std::string> names = {"seed", "on", "memory", "oracle", "fault", "program"};
      throw UserError(fmt::format("case: unknown key '{}'{}", key, did_you_mean(key, names)));
    }
  }
}

bool begins_as_archive(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return false;
  std::ifstream file(path, std::ios::binary);
  char magic[2] = {};
  return file.read(magic, 2) && magic[0] == 'P' && magic[1] == 'K';
}

}  // namespace

std::string_view name(OracleProfile profile) { return kProfileNames[static_cast<int>(profile)]; }

std::string_view name(MemoryState state) { return kMemoryNames[static_cast<int>(state)]; }

Program load_program(const std::string& path) {
  // What a pipe brings has to be text: an archive is read from its end.
  if (path.ends_with(".pt2") || begins_as_archive(path)) return read_pt2(path);
  return parse_program(read_text(path), path);
}

PythonSource load_python(std::string_view place, const std::string& base_directory) {
  const size_t colons = place.rfind("::");
  if (colons == std::string_view::npos || colons == 0 || !is_identifier(place.substr(colons + 2)))
    throw UserError(fmt::format("py:{} wants a file and a name in it, as in py:model.py::f", place));
  PythonSource python{std::string(place.substr(0, colons)), std::string(place.substr(colons + 2)), {}};
  const std::filesystem::path path(python.path);
  python.text = read_text(path.is_absolute() ? path.string() : (base_directory / path).string());
  return python;
}

Case parse_case(std::string_view line, const std::string& base_directory) {
  constexpr std::string_view kProgram = "program=";
  size_t at = line.starts_with(kProgram) ? 0 : line.find(" program=");
  if (at == std::string_view::npos) throw UserError("case: expected program=... at the end of the line");
  if (at != 0) ++at;
  Case test_case;
  need_one_line("case", line.substr(0, at));
  read_head(test_case, line.substr(0, at));
  const std::string_view program = line.substr(at + kProgram.size());
  if (program.starts_with("py:")) {
    test_case.python = load_python(program.substr(3), base_directory);
  } else if (program.starts_with("@")) {
    const std::filesystem::path path(program.substr(1));
    test_case.program_path = path.string();
    test_case.program = load_program(path.is_absolute() ? path.string() : (base_directory / path).string());
  } else {
    test_case.program = parse_program(program, "case");
  }
  return test_case;
}

std::string to_line(const Case& test_case) {
  std::string line;
  if (test_case.seed != 1) line += fmt::format("seed={} ", test_case.seed);
  line += fmt::format("on={} ", to_text(test_case.backend));
  if (test_case.memory != MemoryState::fresh) line += fmt::format("memory={} ", name(test_case.memory));
  if (test_case.oracle != OracleProfile::sound) line += fmt::format("oracle={} ", name(test_case.oracle));
  if (!test_case.faults.empty()) line += fmt::format("fault={} ", to_text(test_case.faults));
  line += "program=";
  if (!test_case.python.path.empty()) return line + "py:" + test_case.python.path + "::" + test_case.python.entry;
  return line + (test_case.program_path.empty() ? to_line(test_case.program) : "@" + test_case.program_path);
}

}  // namespace faultline
