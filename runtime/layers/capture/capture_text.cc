// Text of a capture: line by line, with each segment's own text in between.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "runtime/base/error.h"
#include "runtime/ir/artefact_text.h"
#include "runtime/ir/program_text.h"
#include "runtime/ir/text_types.h"
#include "runtime/layers/capture/capture.h"

namespace faultline {

std::string to_text(const Position& position) {
  std::string text;
  for (size_t i = 0; i < position.size(); ++i) {
    if (i != 0) text += '.';
    text += i % 2 == 0 ? std::to_string(position[i]) : std::string(position[i] == 0 ? "then" : "else");
  }
  return text;
}

std::string to_text(const Guard& guard) {
  switch (guard.kind) {
    case Guard::Kind::tensor_type: return fmt::format("{} is {}", name_text(guard.name), to_text(guard.type));
    case Guard::Kind::scalar_value: return fmt::format("{} equals {}", name_text(guard.name), to_text(guard.value));
    case Guard::Kind::same_storage: return fmt::format("{} shares {}", name_text(guard.name), name_text(guard.other));
    default: return fmt::format("{} apart {}", name_text(guard.name), name_text(guard.other));
  }
}

static std::string names_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name_text(name);
  return text;
}

std::string to_text(const Capture& capture) {
  std::string text = fmt::format("capture {}\n", capture.name);
  for (const CaptureEntry& entry : capture.entries) {
    text += fmt::format("{} at {}\n", entry.eager ? "eager" : "entry", to_text(entry.position));
    for (const Guard& guard : entry.guards) text += fmt::format("  guard {}\n", to_text(guard));
    text += fmt::format("  inputs {}\n", names_text(entry.inputs));
    std::istringstream lines(to_text(entry.segment));
    for (std::string line; std::getline(lines, line);) text += fmt::format("  | {}\n", line);
    for (const auto& [name, value] : entry.scalars)
      text += fmt::format("  scalar {} = {}\n", name_text(name), to_text(value));
    if (entry.exit.breaks) {
      text += fmt::format("  break {} = {} resume {}\n", name_text(entry.exit.result), name_text(entry.exit.tensor),
                          to_text(entry.exit.resume));
    } else {
      text += fmt::format("  return {}\n", names_text(entry.exit.returned));
    }
  }
  return text;
}

namespace {

Position parse_position(TextLexer& lexer, std::string_view text) {
  Position position;
  std::istringstream parts{std::string(text)};
  for (std::string part; std::getline(parts, part, '.');) {
    const bool branch = position.size() % 2 == 1;
    if (branch && part == "then")
      position.push_back(0);
    else if (branch && part == "else")
      position.push_back(1);
    else if (!branch && !part.empty() && part.find_first_not_of("0123456789") == std::string::npos && part.size() < 9)
      position.push_back(std::stoi(part));
    else
      lexer.fail_at(lexer.token().begin, fmt::format("expected a position like 2.then.1, found '{}'", text));
  }
  return position;
}

std::vector<std::string> parse_names(TextLexer& lexer) {
  std::vector<std::string> names;
  if (lexer.token().kind == TokenKind::end) return names;
  do names.push_back(take_name(lexer));
  while (lexer.take_symbol(","));
  return names;
}

Guard parse_guard(TextLexer& lexer) {
  Guard guard;
  guard.name = take_name(lexer);
  if (lexer.take_word("is")) {
    guard.type = take_type(lexer);
  } else if (lexer.take_word("equals")) {
    guard.kind = Guard::Kind::scalar_value;
    guard.value = parse_scalar(lexer, "a scalar");
  } else if (lexer.take_word("shares") || lexer.at_word("apart")) {
    guard.kind = lexer.take_word("apart") ? Guard::Kind::apart : Guard::Kind::same_storage;
    guard.other = take_name(lexer);
  } else {
    lexer.expected("is, equals, shares or apart");
  }
  return guard;
}

// Positions are not tokens ("2.then.1"), so they are cut off the line before it is read.
std::string_view cut_after(std::string_view& line, std::string_view word) {
  const size_t at = line.rfind(word);
  if (at == std::string_view::npos) return {};
  const std::string_view position = line.substr(at + word.size());
  line = line.substr(0, at);
  return position;
}

// An entry's lines end in its one exit; `has_exit` remembers it.
void parse_line(CaptureEntry& entry, bool& has_exit, std::string_view line, const std::string& place) {
  const std::string_view resume = line.starts_with("break ") ? cut_after(line, " resume ") : std::string_view();
  TextLexer lexer(line, place);
  if (has_exit) lexer.expected("entry or eager after an exit");
  has_exit = lexer.at_word("break") || lexer.at_word("return");
  if (lexer.take_word("guard")) {
    entry.guards.push_back(parse_guard(lexer));
  } else if (lexer.take_word("inputs")) {
    entry.inputs = parse_names(lexer);
  } else if (lexer.take_word("scalar")) {
    const std::string name = take_name(lexer);
    if (!lexer.take_symbol("=")) lexer.expected("'='");
    entry.scalars[name] = parse_scalar(lexer, "a scalar");
  } else if (lexer.take_word("break")) {
    entry.exit.breaks = true;
    entry.exit.result = take_name(lexer);
    if (!lexer.take_symbol("=")) lexer.expected("'='");
    entry.exit.tensor = take_name(lexer);
    entry.exit.resume = parse_position(lexer, resume);
  } else if (lexer.take_word("return")) {
    entry.exit.returned = parse_names(lexer);
  } else {
    lexer.expected("guard, inputs, scalar, break or return");
  }
  if (lexer.token().kind != TokenKind::end) lexer.expected("the end of the line");
}

}  // namespace

Capture parse_capture(std::string_view text) {
  Capture capture;
  std::string segment;
  int number = 0;
  bool has_exit = false;
  std::istringstream lines{std::string(text)};
  const auto close_segment = [&] {
    if (!segment.empty()) capture.entries.back().segment = parse_segment(segment);
    segment.clear();
  };
  for (std::string whole; std::getline(lines, whole);) {
    const std::string place = fmt::format("capture:{}", ++number);
    std::string_view line = whole;
    while (line.starts_with(" ")) line.remove_prefix(1);
    if (number == 1) {
      if (!line.starts_with("capture "))
        throw UserError(fmt::format("{}: expected 'capture <name>', found '{}'", place, line));
      capture.name = line.substr(8);
    } else if (line.starts_with("entry at ") || line.starts_with("eager at ")) {
      close_segment();
      capture.entries.emplace_back();
      has_exit = false;
      capture.entries.back().eager = line.starts_with("eager");
      TextLexer lexer("", place);
      capture.entries.back().position = parse_position(lexer, line.substr(9));
    } else if (capture.entries.empty()) {
      throw UserError(
          fmt::format("{}: expected 'entry at <position>' or 'eager at <position>', found '{}'", place, line));
    } else if (line.starts_with("| ")) {
      segment += std::string(line.substr(2)) + "\n";
    } else {
      parse_line(capture.entries.back(), has_exit, line, place);
    }
  }
  close_segment();
  return capture;
}

}  // namespace faultline
