// Makes the tensor that a DataSource names: every element of the storage, also those that the view skips, in storage
// order, so that what lies in the gaps is known as well.
//
//   normal(s), uniform(s)  a bell of variance 1 (Philox integers, |x| < 6); a grid on [0, 1). Rounded once to the
//                          dtype; integer dtypes take round(8*x) and floor(256*x) (saturating), bool takes x >= 0
//                          and x >= 1/2
//   integers(low,high,s)   low <= n < high
//   nonzero(most,each,s)   whole numbers n, 1 <= |n| <= most, of either sign; with `each` above 1 all but one of so
//   many
//                          elements, about, are 0
//   address()              element i carries the bits of i (modulo the element's width; bool: its lowest bit). All
//                          elements differ as long as the width allows, but the bits are arbitrary numbers, NaN and
//                          subnormals among them
//   arange()               the number i;  zeros(), ones(), full(v): one number
//   values(v0,v1,...)      repeated from the start as often as needed
//
// A number that an integer dtype cannot hold saturates, NaN becomes 0; a number other than 0 is True.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/ir/program.h"

namespace faultline {

inline constexpr int64_t kMaterialisedBytesMax = int64_t{1} << 32;

// `seed` and `name` (the input's) select the stream; a seed in the source replaces `seed`, so that two inputs of one
// source still differ. An empty generator: normal for floats, integers(-8,8) for integers (0..8 for u8), coin flips
// for bool. `elements_least`: the storage holds at least that many elements (other tensors share it). Throws
// UserError for a source that source_problem() refuses, or a storage above kMaterialisedBytesMax.
Tensor materialise(const TensorType& type, const DataSource& source, uint64_t seed, std::string_view name,
                   int64_t elements_least = 0);

// How many elements the storage of parameter `owner` needs for itself and every parameter that shares it; `types`
// gives the type of each parameter in this call, in order.
int64_t shared_storage_elements(const std::vector<Parameter>& parameters, const std::vector<TensorType>& types,
                                size_t owner);

}  // namespace faultline
