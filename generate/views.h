// Random calls that give views, or tensors that are views where eager can give one: other sizes, other orders, parts.
#pragma once

#include "generate/scope.h"

namespace faultline::generate {

std::string number(int64_t value);
bool emit_reshape(RandomScope& s);
bool emit_shape(RandomScope& s);
bool emit_turn(RandomScope& s);
bool emit_expand(RandomScope& s);
bool emit_part(RandomScope& s);
bool emit_unbind(RandomScope& s);
bool emit_diagonal(RandomScope& s);

}  // namespace faultline::generate
