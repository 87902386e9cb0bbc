// The two catalogues: families of places (WHERE, W) and of values (WHAT, V). A family proposes; the scorer prices.
// Adding one is one file in where/ or what/ and one line in where.def or what.def.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "runtime/base/table.h"

namespace faultline {

class Scorer;
class Proposals;

struct WhereFamily {
  std::string_view id;  // "W1"
  std::string_view name;
  std::string_view layers;  // comma-separated mechanisms it points to
  // Null: decided from other evidence than a position rule (another place, repeats, the absence of a rule).
  void (*propose)(Scorer&);
};

struct WhatFamily {
  std::string_view id;  // "V1"
  std::string_view name;
  std::string_view layers;
  bool moves;  // says which element stands here: needs data that differ from place to place
  void (*propose)(Proposals&);
};

// The rows, so that each has external linkage where it is defined.
#define WHERE(row) extern const WhereFamily where_##row;
#include "checkers/patterns/where.def"
#undef WHERE
#define WHAT(row) extern const WhatFamily what_##row;
#include "checkers/patterns/what.def"
#undef WHAT

extern const Table<WhereFamily> where_families;
extern const Table<WhatFamily> what_families;

}  // namespace faultline
