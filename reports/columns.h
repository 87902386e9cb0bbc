// Laying out text for people: paragraphs with a hanging indent, and rows of cells under one another. Widths count
// code points; nothing is ever cut, a word longer than the line stands alone on it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace faultline {

// Words of `text` after `first`, broken before `columns`; continuation lines begin with as many blanks as `first` is
// wide. Ends in a newline. `columns` 0: never broken.
std::string hanging(std::string_view first, std::string_view text, int columns);

using TextRow = std::vector<std::string>;

// Every column as wide as its widest cell, two blanks between columns, the last one hanging. `indent` blanks lead each
// line. Empty cells at the end of a row leave no blanks behind.
std::string table_text(std::span<const TextRow> rows, int indent, int columns);

// Code points but for colour sequences, which is what a terminal's columns are for the text that verdicts hold.
int display_width(std::string_view text);

}  // namespace faultline
