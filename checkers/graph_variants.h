// Graphs of prims that differ from a given one in one respect.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/ir/prim.h"

namespace faultline {

struct GraphVariant {
  std::string text;  // "%3: over dim 2 in place of 1"
  std::function<void(PrimGraph&)> edit;
};

struct VariantKind {
  std::string_view kind;  // of the taxonomy's rules
  std::vector<GraphVariant> (*of)(const PrimGraph& graph);
};

std::span<const VariantKind> variant_kinds();

}  // namespace faultline
