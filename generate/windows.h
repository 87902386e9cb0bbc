// Random calls that slide windows over images: convolution, pooling, folding; borders, other sizes; batch statistics.
#pragma once

#include "generate/scope.h"

namespace faultline::generate {

bool emit_convolution(RandomScope& s);
bool emit_pool(RandomScope& s);
// Columns of images, and images of other sizes.
bool emit_resize(RandomScope& s);
bool emit_border(RandomScope& s);

}  // namespace faultline::generate
