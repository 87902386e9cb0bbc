// What two findings must share to be the same bug: how the run ended or what is wrong, in which layer and by which
// mechanism, at which operation, and the class of the wrong positions or of what was said. Messages alone never decide.
#pragma once

#include <optional>
#include <string>

#include "runtime/core/verdict.h"

namespace faultline {

struct Signature {
  std::string outcome, layer, mechanism, operation, pattern;
  bool operator==(const Signature&) const = default;
};

Signature signature_of(const Verdict& verdict);
// "wrong_value; tile; tile.trip; aten.clone.default; tail of dim # beyond k*#"
std::string to_text(const Signature& signature);

// Eager raises and the compiled program does not, or raises something else: a difference in what is checked, if what
// raises is not dead code, which a compiler may drop.
bool is_about_errors(const Verdict& verdict);

// A real mismatch: not a pass, a doubt, or a failure of this program.
bool is_finding(const Verdict& verdict);

}  // namespace faultline
