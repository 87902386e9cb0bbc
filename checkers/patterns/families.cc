// The tables of families.h, in the order of where.def and what.def.
#include "checkers/patterns/families.h"

namespace faultline {

namespace {

constexpr const WhereFamily* kWhere[] = {
#define WHERE(row) &where_##row,
#include "checkers/patterns/where.def"
#undef WHERE
};

constexpr const WhatFamily* kWhat[] = {
#define WHAT(row) &what_##row,
#include "checkers/patterns/what.def"
#undef WHAT
};

}  // namespace

constinit const Table<WhereFamily> where_families{kWhere};
constinit const Table<WhatFamily> what_families{kWhat};

}  // namespace faultline
