// The text form of a Program (docs/program-text.md): the unit of corpora, case lines and reports.
#pragma once

#include <string>
#include <string_view>

#include "runtime/ir/program.h"

namespace faultline {

// Throws UserError "<file_name>:<line>:<column>: expected X, found 'Y'[, did you mean 'z'?]". What it returns is
// checked: every name is defined before its use on every path and once, tensor types are within kMaxRank and
// kMaxElements.
Program parse_program(std::string_view text, std::string_view file_name);

// Both read back to an equal Program. to_text: a statement a line. to_line: one line, separated by "; ".
std::string to_text(const Program& program);
std::string to_line(const Program& program);

// The statement with this number in reading order, counting those inside an `if`, as "y = aten.neg.default(x)".
std::string statement_text(const Program& program, int number);

std::string to_text(const Argument& argument);
std::string to_text(const Scalar& scalar);
std::string to_text(const DataSource& source);
// The shortest decimal that reads back as the same double, never to be taken for an integer: "1.0", "1e+30", "-inf",
// "nan".
std::string real_text(double value);

inline constexpr int kMaxRank = 8;
inline constexpr int64_t kMaxElements = int64_t{1} << 40;

// Empty when a program may have this type, else what is wrong with it: rank, size, stride or storage out of bounds.
// Safe for any numbers, where storage_elements() and contiguous_strides() would overflow.
std::string type_problem(const Sizes& sizes, const Sizes* strides, int64_t offset);

// Words of the text form that cannot name a value: statements, constants, dtypes, and the keywords that stand without
// quotes.
bool is_reserved_word(std::string_view word);
// Memory formats, layouts and devices: a Keyword that prints without quotes.
bool is_bare_keyword(std::string_view word);
bool is_identifier(std::string_view word);
// "layers.0.weight": identifiers or numbers, joined by dots.
bool is_attribute_path(std::string_view path);

}  // namespace faultline
