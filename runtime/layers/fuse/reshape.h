// A reshape as a change of coordinates: row-major digits of one shape from those of another.
#pragma once

#include <optional>
#include <vector>

#include "runtime/layers/fuse/affine.h"

namespace faultline {

// Coordinates in shape `from` of the element that has the coordinates `to_coordinates` in shape `to`; nothing when they
// are not quasi-affine. `extents` are those of the iteration dims.
std::optional<std::vector<Affine>> reshaped(const Sizes& from, const Sizes& to,
                                            const std::vector<Affine>& to_coordinates,
                                            std::span<const int64_t> extents);

// The same with `to`'s own dims as iteration dims.
std::optional<std::vector<Affine>> reshaped_identity(const Sizes& from, const Sizes& to);

}  // namespace faultline
