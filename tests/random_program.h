// Random programs as text: one to eight statements over the operators that decompose knows, valid but for what eager
// alone can tell. Every decision comes from Choices. random_program() is the entry; the other headers of this name hold
// the kinds of calls.
#pragma once

#include "tests/random_program_updates.h"

namespace faultline::random_test {

using Emit = bool (*)(RandomScope&);

// Either branch defines the same name with the same type.
inline void emit_branches(RandomScope& s, const std::string& condition) {
  static constexpr const char* kOps[] = {"neg(", "abs(", "mul.Scalar(", "add.Scalar(", "sign("};
  const RandomValue x = s.numbers();
  const RandomValue result{.name = s.new_name(), .dtype = x.dtype, .sizes = x.sizes};
  const auto branch = [&] {
    return s.block([&] {
      if (s.one_in(4)) emit_write(s);
      const std::string op = s.one_of(kOps);
      s.line(result.name + " = aten." + op + x.name + (op.find("Scalar") == std::string::npos ? ")" : ", 2)"));
    });
  };
  const std::string first = branch(), second = branch();
  s.line("if " + condition + " { " + first + " } else { " + second + " }");
  s.add(result);
}

// A number read from a tensor: as an operand, or to branch on.
inline bool emit_item(RandomScope& s) {
  static constexpr const char* kOps[] = {"sum", "amax", "mean", "any"};
  const std::string op = s.one_of(kOps);
  const RandomValue x = op == "mean" ? s.floats() : s.numbers();
  if (!has_elements(x)) return false;
  const DType dtype = op == "any" ? DType::boolean : op == "sum" ? sum_type(x.dtype) : x.dtype;
  const RandomValue scalar = s.call(op, x.name, dtype, {});
  const std::string read = s.new_name();
  s.line(read + " = " + scalar.name + ".item()");
  if (op == "any") {
    emit_branches(s, read);
  } else if (s.one_in(2)) {
    const std::string condition = s.new_name();
    s.line(condition + " = " + read + s.one_of({" > 0.5", " < -3", " >= 2"}));
    emit_branches(s, condition);
  } else {
    const RandomValue y = s.floats();
    s.call(s.one_of({"mul.Scalar", "add.Scalar"}), y.name + ", " + read, y.dtype, y.sizes);
  }
  return true;
}

inline bool emit_scalar(RandomScope& s) {
  if (s.one_in(3)) {
    emit_branches(s, s.scalar_parameter("bool", "True", "False"));
    return true;
  }
  const RandomValue x = s.floats();
  const std::string scalar =
      s.one_in(2) ? s.scalar_parameter("int", "3", "-2") : s.scalar_parameter("float", "0.5", "2.0");
  s.call(s.one_of({"mul.Scalar", "add.Scalar", "sub.Scalar"}), x.name + ", " + scalar, x.dtype, x.sizes);
  return true;
}

// State: a tensor that is read, written in place or replaced; a number that counts calls.
inline bool emit_state(RandomScope& s) {
  if (s.one_in(3)) {
    const std::string path = "self.n" + number(static_cast<int64_t>(s.attribute_count()));
    s.scalar_attribute(path + " = 1");
    const std::string read = s.new_name(), next = s.new_name();
    s.line(read + " = " + path);
    if (s.one_in(4)) {  // nothing asks for it
      if (s.one_in(2)) s.line(next + " = " + read + " + 1");
      return true;
    }
    const RandomValue x = s.floats();
    s.call("mul.Scalar", x.name + ", " + read, x.dtype, x.sizes);
    s.line(next + " = " + read + " + 1");
    s.line(path + " = " + next);
    return true;
  }
  const RandomValue x = s.floats();
  RandomValue state = s.attribute(x);
  const std::string path = state.name;
  state.name = s.new_name();
  state.writable = true;
  s.line(state.name + " = " + path);
  s.add(state);
  if (s.one_in(3)) {
    write_into(s, state);
  } else if (s.one_in(2)) {
    const RandomValue next = s.call("add.Tensor", state.name + ", " + x.name, x.dtype, x.sizes);
    s.line(path + " = " + next.name);
  }
  return true;
}

struct Kind {
  Emit emit;
  int weight;
};
inline constexpr Kind kKinds[] = {
    {emit_arithmetic, 8},    {emit_function, 4},  {emit_keeping, 3},  {emit_activation, 5}, {emit_predicate, 2},
    {emit_gate, 1},          {emit_special, 1},   {emit_quotient, 2}, {emit_power, 2},      {emit_comparison, 3},
    {emit_logic, 2},         {emit_choice, 4},    {emit_ternary, 3},  {emit_cast, 5},       {emit_write, 3},
    {emit_sum, 6},           {emit_extreme, 3},   {emit_moments, 1},  {emit_softmax, 3},    {emit_norm, 3},
    {emit_product, 8},       {emit_attention, 1}, {emit_order, 2},    {emit_reshape, 3},    {emit_shape, 3},
    {emit_turn, 4},          {emit_expand, 2},    {emit_part, 4},     {emit_unbind, 1},     {emit_diagonal, 2},
    {emit_join, 4},          {emit_pad, 2},       {emit_shift, 4},    {emit_scatter, 2},    {emit_index, 5},
    {emit_update, 5},        {emit_put, 2},       {emit_scan, 3},     {emit_taken, 2},      {emit_creation, 2},
    {emit_write_through, 5}, {emit_item, 2},      {emit_scalar, 2},   {emit_state, 3},      {emit_convolution, 3},
    {emit_pool, 3},          {emit_resize, 2},    {emit_border, 2}};

inline bool emit_some(RandomScope& s) {
  int64_t total = 0;
  for (const Kind& kind : kKinds) total += kind.weight;
  int64_t rest = s.below(total);
  for (const Kind& kind : kKinds) {
    if (rest < kind.weight) return kind.emit(s);
    rest -= kind.weight;
  }
  return false;
}

// "def f(x0: f16[65]): v0 = aten.neg(x0); return v0", with attributes in front and calls behind where it has some.
inline std::string random_program(Choices& choices, Shapes shapes = Shapes::ordinary) {
  RandomScope scope(choices, shapes);
  const int statements = 1 + static_cast<int>(scope.below(8));
  int done = 0;
  for (int attempt = 0; attempt < 40 && done < statements; ++attempt) done += emit_some(scope);
  if (done == 0) scope.call("neg", scope.parameter({.name = "", .sizes = {65}}).name, DType::f32, {65});
  const std::vector<RandomValue>& values = scope.values();
  std::vector<std::string> returns = scope.required();
  if (!values.empty()) returns.push_back(values.back().name);
  const auto count = static_cast<int64_t>(values.size());
  const int64_t more = scope.below(4);
  for (int64_t k = 0; k < more && count > 0; ++k) {  // mostly late ones
    const std::string& name = values[count - 1 - scope.below(1 + scope.below(count))].name;
    if (std::find(returns.begin(), returns.end(), name) == returns.end()) returns.push_back(name);
  }
  return scope.text(returns, scope.one_in(5) ? 2 : 1);
}

}  // namespace faultline::random_test
