// A constant of the program, kept as written: a target's rounded constant is still the same literal. For floats the
// source double; `neutral` marks the neutral element of a reduction, which each target realises in numbers of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/ir/dtype.h"
#include "runtime/ir/function.h"

namespace faultline {

struct Literal {
  DType dtype = DType::f32;
  double real = 0;                   // for float dtypes
  int64_t integer = 0;               // for integer dtypes and bool (0 or 1)
  std::optional<Reduction> neutral;  // set: the value is neutral(op) and the fields above hold its IEEE form

  bool operator==(const Literal&) const;
};

// As text would have it: -0.0 is not 0.0, and a NaN is a NaN.
bool same_number(double a, double b);

// "0.1:f16", "7:i64", "true:bool", "neutral(max):f16". Floats print as the shortest decimal that reads back, inf, -inf,
// nan.
std::string to_text(const Literal& literal);

Literal real_literal(double value, DType dtype);
Literal integer_literal(int64_t value, DType dtype);
// sum, any: 0; prod, all: 1; max, argmax: -inf or the least integer; min, argmin: +inf or the greatest integer.
Literal neutral_literal(Reduction reduction, DType dtype);

}  // namespace faultline
