// Random calls that work element by element: functions, arithmetic with promotion and broadcasting, comparisons,
// selection, casts, and writes in place, often through a view. A function returns false where it has nothing to offer.
#pragma once

#include "generate/scope.h"

namespace faultline::generate {

DType sum_type(DType dtype);
bool emit_keeping(RandomScope& s);
bool emit_function(RandomScope& s);
// Infinities, NaN, the zeros and the ends of the formats, where each element goes its own way: norms and softmax of
// them are what their formula makes of them, in eager too.
bool emit_special(RandomScope& s);
bool emit_predicate(RandomScope& s);
bool emit_activation(RandomScope& s);
bool emit_gate(RandomScope& s);
bool emit_arithmetic(RandomScope& s);
// Divisors are parameters away from zero, as eager raises for integers.
bool emit_quotient(RandomScope& s);
bool emit_power(RandomScope& s);
bool emit_comparison(RandomScope& s);
bool emit_logic(RandomScope& s);
bool emit_choice(RandomScope& s);
bool emit_ternary(RandomScope& s);
bool emit_cast(RandomScope& s);
// Writes into `x`; the call's own result, if it is named, is the same tensor.
void write_into(RandomScope& s, const RandomValue& x);
bool emit_write(RandomScope& s);

}  // namespace faultline::generate
