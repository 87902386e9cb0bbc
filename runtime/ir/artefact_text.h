// What the text forms of artefacts (segments, prim graphs) share: types with their storage's owner, names, literals,
// lists.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/ir/literal.h"
#include "runtime/ir/prim.h"
#include "runtime/ir/text_lexer.h"

namespace faultline {

// A word as it is when it is an identifier, else in quotes: "self.layers.0.weight".
std::string name_text(const std::string& name);
std::string take_name(TextLexer& lexer);

// "x: f16[65], b: f16[4]{offset=2 of=x}".
std::string to_text(const std::vector<GraphInput>& inputs);
std::vector<GraphInput> take_inputs(TextLexer& lexer);

// A type without `of=`.
TensorType take_type(TextLexer& lexer);

// "%7".
std::string value_text(int value);
int take_value(TextLexer& lexer);

int64_t take_integer(TextLexer& lexer);
// An integer that can stand for a place in a list: not negative, and an int.
int take_index(TextLexer& lexer);
double take_real(TextLexer& lexer);
// "[1,2]".
std::string list_text(std::span<const int64_t> list);
std::vector<int64_t> take_list(TextLexer& lexer);

// Reads what to_text(Literal) writes.
Literal take_literal(TextLexer& lexer);

void take_line_end(TextLexer& lexer);

}  // namespace faultline
