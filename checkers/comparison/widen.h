// Packed elements as numbers of one type.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/ir/dtype.h"

namespace faultline {

// What the bits of `elements` stand for, integers and bools as their number. To floats: what fits there.
void widen_to_doubles(DType dtype, const std::byte* from, int64_t elements, std::byte* to);
void widen_to_floats(DType dtype, const std::byte* from, int64_t elements, std::byte* to);

}  // namespace faultline
