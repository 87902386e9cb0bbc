// Random calls that move elements into new tensors: joining, padding, shifting, indexing; creation; and writes through
// views.
#pragma once

#include "generate/scope.h"

namespace faultline::generate {

bool emit_join(RandomScope& s);
bool emit_pad(RandomScope& s);
bool emit_shift(RandomScope& s);
bool emit_scatter(RandomScope& s);
// An index that may stand for a dim of this size.
RandomValue some_index(RandomScope& s, int64_t size, const Sizes& sizes, bool wide);
bool emit_index(RandomScope& s);
bool emit_creation(RandomScope& s);
// A part of a tensor is written, and the whole is seen afterwards.
bool emit_write_through(RandomScope& s);

}  // namespace faultline::generate
