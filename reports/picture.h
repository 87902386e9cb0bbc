// The wrong positions of every wrong tensor as maps, in logical and in device coordinates: for a terminal, and as SVG.
#pragma once

#include <string>

#include "runtime/core/verdict.h"

namespace faultline {

struct PictureStyle {
  bool unicode = false;  // block characters; else "." ":" "+" "%" "#"
  bool colour = false;
  int columns = 100;
  int rows = 24;  // of a map at most
};

// A section of a report. A cell of a map stands for one element, or where the map does not fit for a block of them:
// then it shows the share of them that is wrong, and any wrong element shows.
std::string picture_text(const Verdict& verdict, const PictureStyle& style = {});

// A whole SVG document of the same maps with finer cells; equal verdicts give equal bytes.
std::string picture_svg(const Verdict& verdict);

}  // namespace faultline
