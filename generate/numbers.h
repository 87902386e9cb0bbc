// Random calls whose results mix elements: reductions, softmax and norms, products of matrices, attention, sorting.
#pragma once

#include "generate/scope.h"

namespace faultline::generate {

std::string flag(bool on);
// Some dims of x, ascending; at least one where there is one.
Sizes some_dims(RandomScope& s, const RandomValue& x);
Sizes without(const RandomValue& x, const Sizes& dims, bool keep);
bool has_elements(const RandomValue& x);
bool emit_sum(RandomScope& s);
bool emit_extreme(RandomScope& s);
bool emit_moments(RandomScope& s);
bool emit_softmax(RandomScope& s);
bool emit_norm(RandomScope& s);
int64_t some_width(RandomScope& s);
bool emit_product(RandomScope& s);
bool emit_attention(RandomScope& s);
bool emit_order(RandomScope& s);

}  // namespace faultline::generate
