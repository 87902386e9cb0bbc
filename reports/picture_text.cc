// Maps as characters. Two maps of a tensor stand side by side where both fit without a reduction, else one below the
// other.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "reports/columns.h"
#include "reports/picture.h"
#include "reports/wrong_plane.h"

namespace faultline {

namespace {

struct Glyphs {
  std::array<std::string_view, 5> shades;  // by PlaneCell::shade
  std::string_view padding, bar, rule, crossing;
};
constexpr Glyphs kUnicode = {{"·", "░", "▒", "▓", "█"}, "╌", "│", "─", "┼"};
constexpr Glyphs kAscii = {{".", ":", "+", "%", "#"}, "_", "|", "-", "+"};

const Glyphs& glyphs_of(const PictureStyle& style) { return style.unicode ? kUnicode : kAscii; }

enum class Ink : uint8_t { plain, wrong, faint };

// Text in which a change of colour is one sequence, not one a character.
class Inked {
 public:
  explicit Inked(bool colour) : colour_(colour) {}
  void add(std::string_view text, Ink ink) {
    if (colour_ && ink != ink_) text_ += ink == Ink::plain ? "\x1b[0m" : ink == Ink::wrong ? "\x1b[0;31m" : "\x1b[0;2m";
    ink_ = ink;
    text_ += text;
  }
  std::string text() {
    add("", Ink::plain);
    return text_;
  }

 private:
  bool colour_;
  Ink ink_ = Ink::plain;
  std::string text_;
};

void add_cell(const PlaneCell& cell, const Glyphs& glyphs, Inked& line) {
  if (!cell.exists) return line.add(" ", Ink::plain);
  if (cell.is_padding()) return line.add(glyphs.padding, Ink::faint);
  const int shade = cell.shade();
  line.add(glyphs.shades[static_cast<size_t>(shade)], shade > 0 ? Ink::wrong : Ink::plain);
}

std::string without_trailing_blanks(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

// A map's lines: title, axes, the cells behind the names of their rows, the numbers of the first and the last column.
std::vector<std::string> draw(const WrongPlane& plane, const PlaneCells& cells, const PictureStyle& style) {
  const Glyphs& glyphs = glyphs_of(style);
  std::vector<std::string> lines = {plane.title, axes_text(plane, cells)};
  if (!plane.note.empty()) lines.push_back(plane.note);
  size_t margin = 0;
  for (int64_t r = 0; r < cells.rows; ++r) margin = std::max(margin, plane.row_name(r * cells.step_down).size());
  const auto is_bar = [&](int64_t column) { return has_line(plane.unit_across, cells.step_across, column); };
  std::string rule;
  int64_t width = cells.columns;
  for (int64_t c = 0; c < cells.columns; ++c) {
    if (is_bar(c)) ++width;
    rule += std::string(is_bar(c) ? glyphs.crossing : "") + std::string(glyphs.rule);
  }
  // Rules take rows of the screen: not one for every few cells.
  const bool has_rules = !cells.is_reduced() || plane.unit_down >= 4 * cells.step_down;
  for (int64_t r = 0; r < cells.rows; ++r) {
    if (has_rules && has_line(plane.unit_down, cells.step_down, r))
      lines.push_back(std::string(margin + 1, ' ') + rule);
    Inked line(style.colour);
    line.add(fmt::format("{:>{}} ", plane.row_name(r * cells.step_down), margin), Ink::plain);
    for (int64_t c = 0; c < cells.columns; ++c) {
      if (is_bar(c)) line.add(cells.at(r, c).exists ? glyphs.bar : " ", Ink::plain);
      add_cell(cells.at(r, c), glyphs, line);
    }
    lines.push_back(without_trailing_blanks(line.text()));
  }
  const std::string last = plane.width > 1 ? std::to_string(plane.width - 1) : "";
  lines.push_back(without_trailing_blanks(fmt::format(
      "{:{}} 0{:>{}}", "", margin, last, std::max<int64_t>(width - 1, static_cast<int64_t>(last.size()) + 1))));
  return lines;
}

int width_of(const std::vector<std::string>& lines) {
  int width = 0;
  for (const std::string& line : lines) width = std::max(width, display_width(line));
  return width;
}

std::string beside(const std::vector<std::string>& left, const std::vector<std::string>& right, int gap) {
  std::string text;
  const int width = width_of(left) + gap;
  for (size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    std::string line = "    " + (i < left.size() ? left[i] : "");
    if (i < right.size()) line += std::string(static_cast<size_t>(width - display_width(line) + 4), ' ') + right[i];
    text += without_trailing_blanks(line) + "\n";
  }
  return text;
}

std::string draw_tensor(const std::vector<WrongPlane>& planes, const PictureStyle& style) {
  constexpr int kIndent = 4, kGap = 4, kNames = 12;  // what names of rows may take
  std::vector<std::vector<std::string>> maps;
  bool reduced = false;
  for (const WrongPlane& plane : planes) {
    const PlaneCells cells = shrink(plane, std::max(16, style.columns - kIndent - kNames), style.rows);
    reduced = reduced || cells.step_across > 1;
    maps.push_back(draw(plane, cells, style));
  }
  if (maps.size() == 2 && !reduced && kIndent + width_of(maps[0]) + kGap + width_of(maps[1]) <= style.columns)
    return beside(maps[0], maps[1], kGap);
  std::string text;
  for (size_t i = 0; i < maps.size(); ++i) text += (i > 0 ? "\n" : "") + beside(maps[i], {}, kGap);
  return text;
}

std::string legend(const PictureStyle& style) {
  const Glyphs& glyphs = glyphs_of(style);
  return fmt::format("{} right, {}{}{}{} wrong: up to 1/4, 1/2, 3/4, all of a cell, {} padding", glyphs.shades[0],
                     glyphs.shades[1], glyphs.shades[2], glyphs.shades[3], glyphs.shades[4], glyphs.padding);
}

}  // namespace

std::string picture_text(const Verdict& verdict, const PictureStyle& style) {
  std::string maps;
  for (const WrongTensor& tensor : verdict.tensors) {
    const std::vector<WrongPlane> planes = planes_of(tensor);
    if (planes.empty()) continue;
    maps += "\n" + hanging("  ", picture_headline(tensor), style.columns) + "\n" + draw_tensor(planes, style);
    if (planes.size() == 1) maps += "\n    device coordinates are not known: no buffer of the device has this shape\n";
  }
  const std::string head = style.colour ? "\n\x1b[1mpicture\x1b[0m\n" : "\npicture\n";
  if (maps.empty()) return head + "  nothing to show: there is no tensor with wrong elements\n";
  return head + hanging("  ", legend(style), style.columns) + maps;
}

}  // namespace faultline
