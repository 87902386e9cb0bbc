// Tokens of program text, one ahead. Newlines are tokens, except within parentheses and brackets; comments run from #
// to the end of the line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace faultline {

enum class TokenKind : uint8_t { word, integer, real, string, symbol, separator, end };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;  // as written; for `separator` a newline or ';'
  size_t begin = 0;
};

class TextLexer {
 public:
  TextLexer(std::string_view text, std::string_view file_name) : text_(text), file_name_(file_name) { advance(); }

  const Token& token() const { return token_; }
  // Moves to the next token. Throws UserError on a character that starts none.
  void advance();
  bool at_word(std::string_view word) const { return token_.kind == TokenKind::word && token_.text == word; }
  bool at_symbol(std::string_view symbol) const { return token_.kind == TokenKind::symbol && token_.text == symbol; }
  bool at_separator() const { return token_.kind == TokenKind::separator; }
  bool take_word(std::string_view word) { return at_word(word) && (advance(), true); }
  bool take_symbol(std::string_view symbol) { return at_symbol(symbol) && (advance(), true); }
  void skip_separators() {
    while (at_separator()) advance();
  }

  // The current token, a string, without its quotes and escapes.
  std::string unquoted() const;
  // At `symbol` (the '.' of "self.", the '=' of "of="): moves past it and the path right behind it
  // ("layers.0.weight").
  std::string take_path(std::string_view symbol);
  // A bracket or parenthesis and its end: in between newlines do not separate statements.
  void take_open(std::string_view symbol);
  void take_close(std::string_view symbol);

  // Throws UserError at the current token, or at the byte `begin`.
  [[noreturn]] void expected(std::string_view what, std::string_view suggestion = "") const;
  [[noreturn]] void fail_at(size_t begin, std::string_view message) const;

 private:
  void skip_blanks();
  size_t scan_number(size_t at, TokenKind* kind) const;
  size_t scan_string(size_t at) const;
  size_t scan_symbol(size_t at) const;

  std::string_view text_, file_name_;
  size_t next_ = 0;
  int groups_ = 0;
  Token token_;
};

}  // namespace faultline
