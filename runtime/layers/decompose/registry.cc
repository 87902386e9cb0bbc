// The op table in the order of ops.def, and the look-up by target.
#include "runtime/layers/decompose/op.h"

#include <algorithm>

namespace faultline {

static constexpr const OpRow* kRows[] = {
#define OP(name) &op_##name,
#include "runtime/layers/decompose/ops.def"
#undef OP
};
constinit const Table<OpRow> ops{kRows};

std::string_view name(OpFamily family) {
  static constexpr std::string_view names[] = {"pointwise", "reduction", "normalisation", "contraction", "view",
                                               "movement",  "indexing",  "creation",      "check"};
  return names[static_cast<int>(family)];
}

static const OpRow* find_row(std::string_view id) {
  for (const OpRow* row : ops.rows)
    if (row->id == id || std::find(row->synonyms.begin(), row->synonyms.end(), id) != row->synonyms.end()) return row;
  return nullptr;
}

const OpRow* find_op(std::string_view target, bool* in_place) {
  if (in_place) *in_place = false;
  if (!target.starts_with("aten.")) return nullptr;
  std::string_view id = target.substr(5);
  id = id.substr(0, id.rfind('.'));
  if (const OpRow* row = find_row(id)) return row;
  const bool dunder = id.starts_with("__i") && id.ends_with("__");
  if (!dunder && (!id.ends_with("_") || id.ends_with("__"))) return nullptr;
  const OpRow* row = find_row(dunder ? "__" + std::string(id.substr(3)) : std::string(id.substr(0, id.size() - 1)));
  if (row && in_place) *in_place = true;
  return row;
}

bool has_own_type_sums(const PrimGraph& graph, int node) {
  const int origin = graph.nodes[node].origin;
  if (origin < 0 || graph.nodes[node].prim != Prim::reduce) return false;
  const OpRow* row = find_op(graph.origins[origin]);
  return row && row->own_type_sums;
}

}  // namespace faultline
