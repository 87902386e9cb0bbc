// Walking a program's nested blocks by Position.
#pragma once

#include <set>

#include "runtime/layers/capture/capture.h"

namespace faultline {

// Null at the end of the body.
const Statement* statement_at(const Program& program, const Position& position);
// The position after the statement, leaving blocks that are finished.
Position after(const Program& program, Position position);
// The first statement of a branch, or what follows the `if` when the branch is empty.
Position enter(const Program& program, Position position, bool then_branch);
// Names read by the statements from `position` on and by the return.
std::set<std::string> names_used_from(const Program& program, const Position& position);

}  // namespace faultline
