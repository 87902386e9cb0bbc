// The parts of program text that stand outside a body: numbers, tensor types and data sources.
#pragma once

#include <string>

#include "runtime/ir/program.h"
#include "runtime/ir/text_lexer.h"

namespace faultline {

// [-]digits, within int64.
int64_t parse_integer(TextLexer& lexer, std::string_view what);
// Whether the current token can start a number: digits, '-', inf, nan.
bool at_number(const TextLexer& lexer);
// An int64_t or a double; never bool.
Scalar parse_number(TextLexer& lexer, std::string_view what);
// A number, True or False.
Scalar parse_scalar(TextLexer& lexer, std::string_view what);

struct TypeText {
  TensorType type;
  std::string alias_of;    // "of=a", an attribute path or a name
  size_t alias_begin = 0;  // where that name stands
};
// "f16[4]{stride=2 offset=2 of=a}"; `may_alias` says whether "of=" may stand there.
TypeText parse_type(TextLexer& lexer, bool may_alias);

// "normal(3)", "values(1,2.5)".
DataSource parse_data_source(TextLexer& lexer);

}  // namespace faultline
