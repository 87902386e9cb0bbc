// Flattens, then divides by the strides from the outermost on.
#include "runtime/layers/fuse/reshape.h"

namespace faultline {

std::optional<std::vector<Affine>> reshaped(const Sizes& from, const Sizes& to,
                                            const std::vector<Affine>& to_coordinates,
                                            std::span<const int64_t> extents) {
  const Sizes to_strides = contiguous_strides(to), from_strides = contiguous_strides(from);
  Affine rest = constant_affine(0);
  for (size_t d = 0; d < to.size(); ++d) rest = sum(std::move(rest), scaled(to_coordinates[d], to_strides[d]));
  rest = simplified(rest, extents);
  std::vector<Affine> coordinates;
  for (size_t d = 0; d < from.size(); ++d) {
    const std::optional<Division> division = divided(rest, from_strides[d], extents);
    if (!division) return std::nullopt;
    coordinates.push_back(division->quotient);
    rest = division->remainder;
  }
  return coordinates;
}

std::optional<std::vector<Affine>> reshaped_identity(const Sizes& from, const Sizes& to) {
  std::vector<Affine> identity;
  for (size_t d = 0; d < to.size(); ++d) identity.push_back(index_affine(static_cast<int>(d)));
  return reshaped(from, to, identity, to);
}

}  // namespace faultline
