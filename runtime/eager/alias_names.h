// Gathers the values that leave a call, inputs first, then attributes, then outputs: each learns which earlier one it
// shares storage with.
#pragma once

#include <map>
#include <string>

#include <fmt/format.h>

#include "runtime/eager/interpreter.h"
#include "runtime/eager/snapshot.h"

namespace faultline {

class AliasNames {
 public:
  explicit AliasNames(Snapshot& snapshot) : snapshot_(snapshot) {}

  NamedValue add(std::string_view role, const std::string& name, const Value& value) {
    NamedValue named{name, snapshot_.copy(value), ""};
    const Tensor* tensor = value.tensor();
    if (tensor == nullptr) return named;
    std::string& first = owners_[tensor->storage.get()];
    named.alias = first;
    if (first.empty()) first = fmt::format("{} {}", role, name);
    return named;
  }

 private:
  Snapshot& snapshot_;
  std::map<const void*, std::string> owners_;  // looked up only, never walked
};

}  // namespace faultline
