// The rows of one kind (faults, checkers, targets, ...) in the order of their .def file. Rows are constinit objects
// named in a registry.cc that includes the .def, so neither link order nor static constructors can lose one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/error.h"

namespace faultline {

template <class Row>
struct Table {
  std::span<const Row* const> rows;

  const Row* find(std::string_view id) const {
    for (const Row* row : rows)
      if (row->id == id) return row;
    return nullptr;
  }

  std::vector<std::string> ids() const {
    std::vector<std::string> names;
    for (const Row* row : rows) names.emplace_back(row->id);
    return names;
  }

  // Throws UserError "unknown <kind> 'x', did you mean 'y'?".
  const Row& at(std::string_view id, std::string_view kind) const {
    if (const Row* row = find(id)) return *row;
    const std::vector<std::string> names = ids();
    throw UserError("unknown " + std::string(kind) + " '" + std::string(id) + "'" + did_you_mean(id, names));
  }
};

}  // namespace faultline
