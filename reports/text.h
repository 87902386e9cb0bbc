// A verdict on one screen, for people: what is wrong first, then where it comes from, then what that rests on, then
// what to do about it.
#pragma once

#include <string>

#include "runtime/core/verdict.h"

namespace faultline {

struct TextStyle {
  bool colour = false;
  int columns = 100;  // 0: lines are never broken
};

// Sections that have nothing to say are left out; lists are cut where a screen would overflow and say how much the
// record has (to_json has everything). The replay line is never broken, so that it can be copied.
std::string to_text(const Verdict& verdict, const TextStyle& style = {});

}  // namespace faultline
