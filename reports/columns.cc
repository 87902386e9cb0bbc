// Breaking and aligning lines.
#include "reports/columns.h"

#include <algorithm>

namespace faultline {

namespace {

std::string padded(std::string_view text, int width) {
  return std::string(text) + std::string(std::max(0, width - display_width(text)), ' ');
}

std::string without_trailing_blanks(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace

int display_width(std::string_view text) {
  int width = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b')
      i = std::min(text.find('m', i), text.size() - 1);
    else if ((text[i] & 0xc0) != 0x80)
      ++width;
  }
  return width;
}

std::string hanging(std::string_view first, std::string_view text, int columns) {
  const int margin = display_width(first);
  std::string lines, line(first);
  bool empty = true;  // no word on this line yet
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (!empty && columns > 0 && display_width(line) + 1 + display_width(word) > columns) {
      lines += line + "\n";
      line = std::string(margin, ' ');
      empty = true;
    }
    if (!empty) line += ' ';
    line += word;
    empty = false;
  }
  return lines + without_trailing_blanks(line) + "\n";
}

std::string table_text(std::span<const TextRow> rows, int indent, int columns) {
  std::vector<int> widths;
  for (const TextRow& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string text;
  for (const TextRow& row : rows) {
    std::string line(indent, ' ');
    for (size_t i = 0; i + 1 < row.size(); ++i) line += padded(row[i], widths[i] + 2);
    const bool whole = row.empty() || row.back().empty();
    text += whole ? without_trailing_blanks(line) + "\n" : hanging(line, row.back(), columns);
  }
  return text;
}

}  // namespace faultline
