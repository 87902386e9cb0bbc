// A hand-written scanner: one token ahead, positions as byte offsets, turned into line and column only for a message.
#include "runtime/ir/text_lexer.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "runtime/base/error.h"
#include "runtime/ir/program_text.h"

namespace faultline {

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}
static bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }
static int hex_value(char c) { return is_digit(c) ? c - '0' : c - 'a' + 10; }

void TextLexer::skip_blanks() {
  while (next_ < text_.size()) {
    const char c = text_[next_];
    if (c == '#') {
      while (next_ < text_.size() && text_[next_] != '\n') ++next_;
    } else if (c == ' ' || c == '\t' || c == '\r' || (c == '\n' && groups_ > 0)) {
      ++next_;
    } else {
      return;
    }
  }
}

size_t TextLexer::scan_number(size_t at, TokenKind* kind) const {
  const auto digits = [&] {
    const size_t start = at;
    while (at < text_.size() && is_digit(text_[at])) ++at;
    return at > start;
  };
  digits();
  *kind = TokenKind::integer;
  if (at + 1 < text_.size() && text_[at] == '.' && is_digit(text_[at + 1])) {
    ++at;
    digits();
    *kind = TokenKind::real;
  }
  if (at < text_.size() && (text_[at] == 'e' || text_[at] == 'E')) {
    const size_t before = at++;
    if (at < text_.size() && (text_[at] == '+' || text_[at] == '-')) ++at;
    if (!digits()) fail_at(before, "expected digits after the exponent's 'e'");
    *kind = TokenKind::real;
  }
  if (at < text_.size() && is_word_character(text_[at]))
    fail_at(at, fmt::format("expected the end of a number, found '{}'", text_[at]));
  return at;
}

size_t TextLexer::scan_string(size_t at) const {
  const size_t begin = at++;
  while (at < text_.size() && text_[at] != '"') {
    if (static_cast<unsigned char>(text_[at]) < ' ' || static_cast<unsigned char>(text_[at]) > '~')
      fail_at(at, "expected a printable character or an escape in a string");
    if (text_[at] != '\\') {
      ++at;
      continue;
    }
    const std::string_view escape = text_.substr(at, 4);
    if (escape.size() > 1 && (escape[1] == '"' || escape[1] == '\\'))
      at += 2;
    else if (escape.size() == 4 && escape[1] == 'x' && is_hex_digit(escape[2]) && is_hex_digit(escape[3]))
      at += 4;
    else
      fail_at(at, "expected an escape \\\", \\\\ or \\x and two lower-case hexadecimal digits");
  }
  if (at >= text_.size()) fail_at(begin, "expected a closing quote");
  return at + 1;
}

size_t TextLexer::scan_symbol(size_t at) const {
  static constexpr std::array<std::string_view, 5> two = {"//", "<=", ">=", "==", "!="};
  if (std::find(two.begin(), two.end(), text_.substr(at, 2)) != two.end()) return at + 2;
  if (std::string_view("()[]{}:,.=+-*/%<>").find(text_[at]) != std::string_view::npos) return at + 1;
  const auto byte = static_cast<unsigned char>(text_[at]);
  if (byte < ' ' || byte > '~') fail_at(at, fmt::format("expected program text, found byte 0x{:02x}", byte));
  fail_at(at, fmt::format("expected program text, found '{}'", text_[at]));
}

void TextLexer::advance() {
  skip_blanks();
  const size_t begin = next_;
  TokenKind kind = TokenKind::end;
  if (begin < text_.size()) {
    const char c = text_[begin];
    if (c == '\n' || c == ';') {
      kind = TokenKind::separator;
      next_ = begin + 1;
    } else if (is_digit(c)) {
      next_ = scan_number(begin, &kind);
    } else if (is_word_character(c)) {
      kind = TokenKind::word;
      while (next_ < text_.size() && is_word_character(text_[next_])) ++next_;
    } else if (c == '"') {
      kind = TokenKind::string;
      next_ = scan_string(begin);
    } else {
      kind = TokenKind::symbol;
      next_ = scan_symbol(begin);
    }
  }
  token_ = {kind, text_.substr(begin, next_ - begin), begin};
}

std::string TextLexer::unquoted() const {
  const std::string_view inner = token_.text.substr(1, token_.text.size() - 2);
  std::string result;
  for (size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] != '\\') {
      result += inner[i];
    } else if (inner[i + 1] == 'x') {
      result += static_cast<char>(hex_value(inner[i + 2]) * 16 + hex_value(inner[i + 3]));
      i += 3;
    } else {
      result += inner[++i];
    }
  }
  return result;
}

std::string TextLexer::take_path(std::string_view symbol) {
  if (!at_symbol(symbol)) expected(fmt::format("'{}'", symbol));
  const size_t begin = token_.begin + symbol.size();
  size_t end = begin;
  while (end < text_.size() && (is_word_character(text_[end]) || text_[end] == '.')) ++end;
  const std::string_view path = text_.substr(begin, end - begin);
  if (!is_attribute_path(path))
    fail_at(begin, fmt::format("expected an attribute name, found '{}'", path.substr(0, 40)));
  next_ = end;
  advance();
  return std::string(path);
}

void TextLexer::take_open(std::string_view symbol) {
  if (!at_symbol(symbol)) expected(fmt::format("'{}'", symbol));
  ++groups_;
  advance();
}

void TextLexer::take_close(std::string_view symbol) {
  if (!at_symbol(symbol)) expected(fmt::format("'{}'", symbol));
  --groups_;
  advance();
}

void TextLexer::expected(std::string_view what, std::string_view suggestion) const {
  std::string found = "the end of the text";
  if (at_separator())
    found = token_.text == ";" ? "';'" : "the end of the line";
  else if (token_.kind == TokenKind::string)
    found = std::string(token_.text.substr(0, 40));
  else if (token_.kind != TokenKind::end)
    found = fmt::format("'{}'", token_.text.substr(0, 40));
  fail_at(token_.begin, fmt::format("expected {}, found {}{}", what, found, suggestion));
}

void TextLexer::fail_at(size_t begin, std::string_view message) const {
  const std::string_view before = text_.substr(0, begin);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  throw UserError(fmt::format("{}:{}:{}: {}", file_name_, line, begin - line_begin + 1, message));
}

}  // namespace faultline
