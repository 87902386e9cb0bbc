// Maps as rectangles of whole pixels, one for each run of equal cells of a row. Nothing but the verdict goes in.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "reports/columns.h"
#include "reports/phrases.h"
#include "reports/picture.h"
#include "reports/wrong_plane.h"

namespace faultline {

namespace {

constexpr int64_t kPanel = 480, kPanelHeight = 384, kMargin = 40, kLine = 15;
constexpr int64_t kWidth = 2 * kPanel + 3 * kMargin;
constexpr int64_t kColumnsMax = 160, kRowsMax = 128, kSideMax = 24;
constexpr int kTextMax = 78, kHeadMax = 130;  // characters that fit over a panel, and over both

// What would end or open a tag, and bytes that XML has no place for: a name may hold anything.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : clean(text)) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += static_cast<unsigned char>(c) < 0x80 ? c : '?';
    }
  }
  return safe;
}

class Drawing {
 public:
  void text(int64_t left, int64_t baseline, std::string_view css, std::string_view words) {
    body_ += fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>\n", left, baseline, css, escaped(words));
  }
  // Lines of a paragraph from `baseline` down; how high they are.
  int64_t paragraph(int64_t left, int64_t baseline, std::string_view css, const std::string& words, int columns) {
    std::string lines = hanging("", words, columns);
    int64_t height = 0;
    for (size_t end = 0; (end = lines.find('\n')) != std::string::npos; lines.erase(0, end + 1), height += kLine)
      text(left, baseline + height, css, std::string_view(lines).substr(0, end));
    return height;
  }
  void box(int64_t left, int64_t top, int64_t width, int64_t height, std::string_view css) {
    body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{}\"/>\n", left, top, width,
                         height, css);
  }
  void stroke(int64_t left, int64_t top, std::string_view direction, int64_t length) {
    body_ += fmt::format("<path d=\"M{} {}{}{}\"/>\n", left, top, direction, length);
  }
  const std::string& body() const { return body_; }

 private:
  std::string body_;
};

std::string_view css_of(const PlaneCell& cell) {
  constexpr std::array<std::string_view, 5> kShades = {"right", "wrong1", "wrong2", "wrong3", "wrong4"};
  if (!cell.exists) return "";
  return cell.is_padding() ? "padding" : kShades[static_cast<size_t>(cell.shade())];
}

// Pixels of a cell: square, but higher where a map of few rows would be a thin line.
struct CellSize {
  int64_t width, height;
};

CellSize cell_size(const PlaneCells& cells) {
  const int64_t width = std::clamp<int64_t>(std::min(kPanel / cells.columns, kPanelHeight / cells.rows), 3, kSideMax);
  return {width, std::clamp<int64_t>(kPanelHeight / cells.rows, width, std::min(kSideMax, 3 * width))};
}

void draw_cells(const WrongPlane& plane, const PlaneCells& cells, int64_t left, int64_t top, Drawing& drawing) {
  const CellSize size = cell_size(cells);
  for (int64_t row = 0; row < cells.rows; ++row) {
    for (int64_t column = 0; column < cells.columns;) {
      const std::string_view css = css_of(cells.at(row, column));
      int64_t end = column + 1;
      while (end < cells.columns && css_of(cells.at(row, end)) == css) ++end;
      if (!css.empty())
        drawing.box(left + column * size.width, top + row * size.height, (end - column) * size.width, size.height, css);
      column = end;
    }
  }
  for (int64_t column = 1; column < cells.columns; ++column)
    if (has_line(plane.unit_across, cells.step_across, column))
      drawing.stroke(left + column * size.width, top, "v", cells.rows * size.height);
  for (int64_t row = 1; row < cells.rows; ++row)
    if (has_line(plane.unit_down, cells.step_down, row))
      drawing.stroke(left, top + row * size.height, "h", cells.columns * size.width);
}

// One map with its words from `top` down; how high it is.
int64_t draw_plane(const WrongPlane& plane, int64_t left, int64_t top, Drawing& drawing) {
  const PlaneCells cells = shrink(plane, kColumnsMax, kRowsMax);
  const int64_t across = cells.columns * cell_size(cells).width, down = cells.rows * cell_size(cells).height;
  int64_t height = drawing.paragraph(left, top, "title", plane.title, kTextMax);
  height += drawing.paragraph(left, top + height, "plain", axes_text(plane, cells), kTextMax);
  if (!plane.note.empty()) height += drawing.paragraph(left, top + height, "plain", plane.note, kTextMax);
  const int64_t frame = top + height - kLine + 18;
  drawing.text(left, frame - 2, "axis", "0");
  if (plane.width > 1) drawing.text(left + across, frame - 2, "axis end", std::to_string(plane.width - 1));
  draw_cells(plane, cells, left, frame, drawing);
  drawing.box(left, frame, across, down, "frame");
  drawing.text(left - 3, frame + 9, "axis end", plane.row_name(0));
  if (cells.rows > 1)
    drawing.text(left - 3, frame + down - 1, "axis end", plane.row_name((cells.rows - 1) * cells.step_down));
  return frame + down - top;
}

void draw_legend(int64_t top, Drawing& drawing) {
  constexpr std::array<std::array<std::string_view, 2>, 6> kLegend = {{{"right", "right"},
                                                                       {"wrong1", "up to 1/4 of a cell wrong"},
                                                                       {"wrong2", "up to 1/2"},
                                                                       {"wrong3", "up to 3/4"},
                                                                       {"wrong4", "up to all"},
                                                                       {"padding", "padding"}}};
  int64_t left = kMargin;
  for (const auto& [css, words] : kLegend) {
    drawing.box(left, top - 10, 12, 12, css);
    drawing.text(left + 17, top, "plain", words);
    left += 45 + 6 * static_cast<int64_t>(words.size());
  }
}

constexpr std::string_view kStyle =
    "text{font:11px sans-serif;fill:#222}.head{font-size:14px;font-weight:bold}.title{font-weight:bold}"
    ".axis{font-size:9px}.end{text-anchor:end}.page{fill:#fff}.frame{fill:none;stroke:#777}.right{fill:#dfe7ee}"
    ".padding{fill:url(#hatch)}.wrong1{fill:#f6bdae}.wrong2{fill:#ec8468}"
    ".wrong3{fill:#d6492c}.wrong4{fill:#a31605}path{stroke:#2458a6;fill:none}"
    ".hatch{stroke:#aaa}";

}  // namespace

std::string picture_svg(const Verdict& verdict) {
  Drawing drawing;
  std::string description;
  int64_t top = kMargin;
  for (const WrongTensor& tensor : verdict.tensors) {
    const std::vector<WrongPlane> planes = planes_of(tensor);
    if (planes.empty()) continue;
    if (description.empty()) {
      draw_legend(top, drawing);
      top += 2 * kLine;
    }
    const std::string headline = picture_headline(tensor);
    description += headline + ". ";
    top += drawing.paragraph(kMargin, top, "head", headline, kHeadMax) + 6;
    int64_t height = 0, left = kMargin;
    for (const WrongPlane& plane : planes) {
      height = std::max(height, draw_plane(plane, left, top, drawing));
      left += kPanel + kMargin;
    }
    top += height + kMargin;
  }
  if (description.empty()) {
    description = "Nothing to show: there is no tensor with wrong elements. ";
    drawing.text(kMargin, top, "head", "nothing to show: there is no tensor with wrong elements");
    top += kLine;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "aria-labelledby=\"title description\">\n"
      "<title id=\"title\">Positions of wrong elements</title>\n<desc id=\"description\">{2}Case: {3}</desc>\n"
      "<defs><pattern id=\"hatch\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\">"
      "<path d=\"M0 4L4 0\" class=\"hatch\"/></pattern></defs>\n<style>{4}</style>\n<rect width=\"{0}\" height=\"{1}\" "
      "class=\"page\"/>\n{5}</svg>\n",
      kWidth, top, escaped(description), escaped(verdict.case_line), kStyle, drawing.body());
}

}  // namespace faultline
