// Where the functions of a C++ file begin and end, found by braces alone: no parser, and good enough for the way this
// project is written. A brace opens a body if what stands before it since the last statement has a ')' and is no type,
// namespace, initializer or member initializer; everything inside a body belongs to it, lambdas included.
#pragma once

#include <cctype>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace faultline::tidy {

struct FunctionExtent {
  size_t begin = 0, end = 0;  // from the first character of its declaration to the closing brace
};

class FunctionScanner {
 public:
  // `code` has comments, literals and preprocessor lines blanked.
  explicit FunctionScanner(std::string_view code) : code_(code) {}

  std::vector<FunctionExtent> scan() {
    for (size_t i = 0; i < code_.size(); ++i) step(i);
    return functions_;
  }

 private:
  enum class Kind { scope, body, inside, initializer };
  struct Open {
    Kind kind;
    size_t header;
    int parentheses;
  };

  bool in_body() const {
    return !open_.empty() && (open_.back().kind == Kind::body || open_.back().kind == Kind::inside);
  }
  bool in_initializer() const { return !open_.empty() && open_.back().kind == Kind::initializer; }

  void step(size_t i) {
    switch (code_[i]) {
      case '(': ++parentheses_; break;
      case ')': --parentheses_; break;
      case ';': header_ = i + 1; break;
      case ',':
        if (in_initializer() && parentheses_ == open_.back().parentheses) header_ = i + 1;
        break;
      case '{':
        open_.push_back({classify(i), header_, parentheses_});
        header_ = i + 1;
        break;
      case '}': close(i); break;
      default: break;
    }
  }

  void close(size_t i) {
    if (open_.empty()) return;
    const Open closed = open_.back();
    open_.pop_back();
    if (closed.kind == Kind::body) functions_.push_back({code_.find_first_not_of(" \n\t", closed.header), i + 1});
    // After an initializer its declaration goes on: X::X() : a_{1} { ... }
    header_ = closed.kind == Kind::initializer ? closed.header : i + 1;
  }

  Kind classify(size_t brace) const {
    if (in_body()) return Kind::inside;
    std::string header(code_.substr(header_, brace - header_));
    static const std::regex margin("^\\s*((public|private|protected):\\s*)*|\\s+$");
    header = std::regex_replace(header, margin, "");
    const bool has_parameters = header.find(')') != std::string::npos;
    if (!has_parameters || starts_type(header)) return names_value(header) ? Kind::initializer : Kind::scope;
    if (header.ends_with('=') || header.ends_with('(') || header.ends_with(',')) return Kind::initializer;
    return names_member(header) ? Kind::initializer : Kind::body;
  }

  static bool starts_type(const std::string& header) {
    static const std::regex type("^(inline )?(namespace|class|struct|union|enum)\\b");
    return std::regex_search(header, type);
  }

  // "Row kRows[] =", "constinit const Fault fault_x": a value, whose braces hold no declarations.
  static bool names_value(const std::string& header) {
    return !header.empty() && !header.starts_with("template") && !header.starts_with("extern") && !starts_type(header);
  }

  // "X::X(int a) : a_": the brace of a member initializer, not of the body.
  static bool names_member(const std::string& header) {
    size_t colon = std::string::npos;
    for (size_t i = header.find(')'); i != std::string::npos && i + 1 < header.size(); ++i)
      if (header[i] == ':' && header[i + 1] != ':' && header[i - 1] != ':') colon = i;
    if (colon == std::string::npos) return false;
    const char last = header.back();
    return std::isalnum(static_cast<unsigned char>(last)) != 0 || last == '_' || last == '>';
  }

  std::string_view code_;
  size_t header_ = 0;
  int parentheses_ = 0;
  std::vector<Open> open_;
  std::vector<FunctionExtent> functions_;
};

}  // namespace faultline::tidy
