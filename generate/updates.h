// Random calls that write to places named by integers or masks, and scans.
#pragma once

#include "generate/scope.h"

namespace faultline::generate {

bool emit_update(RandomScope& s);
// By indices of one or two dims.
bool emit_put(RandomScope& s);
bool emit_scan(RandomScope& s);
// Elements by number, and what flows back from a table.
bool emit_taken(RandomScope& s);

}  // namespace faultline::generate
