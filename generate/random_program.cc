// How often each kind of call is made, calls that steer (branches, reads of data, state), and the program around them.
#include "generate/random_program.h"

#include <algorithm>

#include "generate/elements.h"
#include "generate/moves.h"
#include "generate/numbers.h"
#include "generate/updates.h"
#include "generate/views.h"
#include "generate/windows.h"

namespace faultline::generate {

using Emit = bool (*)(RandomScope&);

// Either branch defines the same name with the same type.
static void emit_branches(RandomScope& s, const std::string& condition) {
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
static bool emit_item(RandomScope& s) {
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

static bool emit_scalar(RandomScope& s) {
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
static bool emit_state(RandomScope& s) {
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

namespace {

// Passes on what another driver decides, and keeps it for a second run.
class KeptChoices : public Choices {
 public:
  explicit KeptChoices(Choices& from) : from_(from) {}
  uint32_t below(uint32_t n) override {
    list_.push_back(from_.below(n));
    return list_.back();
  }
  const std::vector<uint32_t>& list() const { return list_; }

 private:
  Choices& from_;
  std::vector<uint32_t> list_;
};

struct Kind {
  Emit emit;
  int weight;
  int reported;  // its weight by public reports of bugs in compilers
};

constexpr Kind kKinds[] = {{emit_arithmetic, 8, 9},
                           {emit_function, 4, 5},
                           {emit_keeping, 3, 3},
                           {emit_activation, 5, 5},
                           {emit_predicate, 2, 2},
                           {emit_gate, 1, 1},
                           {emit_special, 1, 4},
                           {emit_quotient, 2, 4},
                           {emit_power, 2, 2},
                           {emit_comparison, 3, 4},
                           {emit_logic, 2, 4},
                           {emit_choice, 4, 4},
                           {emit_ternary, 3, 3},
                           {emit_cast, 5, 8},
                           {emit_write, 3, 6},
                           {emit_sum, 6, 6},
                           {emit_extreme, 3, 4},
                           {emit_moments, 1, 2},
                           {emit_softmax, 3, 3},
                           {emit_norm, 3, 3},
                           {emit_product, 8, 5},
                           {emit_attention, 1, 1},
                           {emit_order, 2, 3},
                           {emit_reshape, 3, 6},
                           {emit_shape, 3, 5},
                           {emit_turn, 4, 7},
                           {emit_expand, 2, 5},
                           {emit_part, 4, 8},
                           {emit_unbind, 1, 3},
                           {emit_diagonal, 2, 4},
                           {emit_join, 4, 6},
                           {emit_pad, 2, 4},
                           {emit_shift, 4, 6},
                           {emit_scatter, 2, 3},
                           {emit_index, 5, 6},
                           {emit_update, 5, 6},
                           {emit_put, 2, 4},
                           {emit_scan, 3, 4},
                           {emit_taken, 2, 2},
                           {emit_creation, 2, 3},
                           {emit_write_through, 5, 10},
                           {emit_item, 2, 1},
                           {emit_scalar, 2, 2},
                           {emit_state, 3, 4},
                           {emit_convolution, 3, 3},
                           {emit_pool, 3, 3},
                           {emit_resize, 2, 2},
                           {emit_border, 2, 2}};

int weight_of(const Kind& kind, const ProgramStyle& style) { return style.as_reported ? kind.reported : kind.weight; }

bool emit_some(RandomScope& s, const ProgramStyle& style) {
  int64_t total = 0;
  for (const Kind& kind : kKinds) total += weight_of(kind, style);
  int64_t rest = s.below(total);
  for (const Kind& kind : kKinds) {
    if (rest < weight_of(kind, style)) return kind.emit(s);
    rest -= weight_of(kind, style);
  }
  return false;
}

// Emits statements; gives the names to return.
std::vector<std::string> fill(RandomScope& scope, const ProgramStyle& style) {
  const int statements =
      style.operations_min + static_cast<int>(scope.below(style.operations_max - style.operations_min + 1));
  int done = 0;
  for (int attempt = 0; attempt < 5 * style.operations_max && done < statements; ++attempt)
    done += emit_some(scope, style);
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
  return returns;
}

// A second call with another size in place of one that the parameters have. The same decisions are taken again with
// that size; where they lead to the same function, it is one that both sizes fit.
std::string with_second_size(RandomScope& scope, const std::vector<std::string>& returns, const ProgramStyle& style,
                             const std::vector<uint32_t>& list) {
  static constexpr int64_t kOthers[] = {1, 2, 3, 4, 7, 8, 9, 16, 17, 33, 65};
  const Sizes sizes = scope.changeable_sizes();
  if (sizes.empty()) return scope.text(returns, 2);
  const int64_t from = sizes[scope.below(static_cast<int64_t>(sizes.size()))];
  const int64_t to = scope.one_of(kOthers);
  RecordedChoices again(list);
  RandomScope second(again, style, {from, to});
  if (fill(second, style) != returns || !scope.is_same_function(second)) return scope.text(returns, 2);
  return scope.text(returns, 2, &second);
}

}  // namespace

std::string random_program(Choices& choices, const ProgramStyle& style) {
  KeptChoices kept(choices);
  RandomScope scope(kept, style);
  const std::vector<std::string> returns = fill(scope, style);
  const std::vector<uint32_t> list = kept.list();
  if (style.as_reported && scope.one_in(4)) return with_second_size(scope, returns, style, list);
  return scope.text(returns, scope.one_in(5) ? 2 : 1);
}

}  // namespace faultline::generate
