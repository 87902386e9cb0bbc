// An integer of a reference that may be one of several: an index among elements that are equal within their errors.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace faultline {

struct IndexChoice {
  std::shared_ptr<const std::vector<int64_t>> among;  // rising
  int64_t row = 0;    // other than 0: choices of one row with different places are different numbers
  int64_t place = 0;  // in the row
};

}  // namespace faultline
