// Of the table of operators this file knows names, argument orders and how types are promoted.
#include "generate/elements.h"

#include <algorithm>

namespace faultline::generate {

static int kind_of(DType dtype) { return is_float(dtype) ? 2 : dtype == DType::boolean ? 0 : 1; }

static DType float_of(DType dtype) { return is_float(dtype) ? dtype : DType::f32; }

DType sum_type(DType dtype) { return is_float(dtype) ? dtype : DType::i64; }

static DType promoted(const RandomValue& a, const RandomValue& b) {
  if ((a.rank() == 0) == (b.rank() == 0)) return promote(a.dtype, b.dtype);
  const RandomValue &high = a.rank() == 0 ? b : a, &low = a.rank() == 0 ? a : b;
  return kind_of(low.dtype) <= kind_of(high.dtype) ? high.dtype : promote(high.dtype, low.dtype);
}

static DType with_number(DType dtype, bool real) {
  if (real) return float_of(dtype);
  return dtype == DType::boolean ? DType::i64 : dtype;
}

struct Number {
  std::string text;
  bool real;
};

static Number some_number(RandomScope& s, bool zero = true) {
  static const Number kNumbers[] = {{"2", false},  {"0.5", true}, {"-1.5", true}, {"3", false},
                                    {"-1", false}, {"0.1", true}, {"1", false}};
  if (zero && s.one_in(20)) return s.one_in(2) ? Number{"0", false} : Number{"0.0", true};
  return s.one_of(kNumbers);
}

bool emit_keeping(RandomScope& s) {
  static constexpr const char* kOps[] = {"neg",   "abs",    "sign", "sgn",      "floor",    "ceil",      "round",
                                         "trunc", "square", "relu", "negative", "absolute", "nan_to_num"};
  const RandomValue x = s.numbers();
  s.call(s.one_of(kOps), x.name, x.dtype, x.sizes);
  return true;
}

bool emit_function(RandomScope& s) {
  static constexpr const char* kOps[] = {"exp",   "tanh",  "sigmoid", "sqrt", "rsqrt", "reciprocal", "log",
                                         "sin",   "cos",   "erf",     "exp2", "expm1", "log2",       "log10",
                                         "log1p", "tan",   "asin",    "acos", "atan",  "sinh",       "cosh",
                                         "asinh", "acosh", "atanh",   "erfc", "lgamma"};
  static constexpr const char* kLimited[] = {"sqrt", "rsqrt", "log",   "log2",  "log10", "log1p",
                                             "asin", "acos",  "acosh", "atanh", "lgamma"};
  const std::string op = s.one_of(kOps);
  RandomValue x = s.one_in(6) ? s.any() : s.floats();
  const bool limited = std::find(std::begin(kLimited), std::end(kLimited), op) != std::end(kLimited);
  if (limited && is_float(x.dtype) && !s.one_in(5)) {  // mostly inside the function's domain
    if (op == "acosh") return false;
    x = s.parameter({.name = "", .dtype = x.dtype, .sizes = x.sizes}, "uniform($)");
  }
  s.call(op, x.name, float_of(x.dtype), x.sizes);
  return true;
}

bool emit_special(RandomScope& s) {
  static constexpr const char* kOps[] = {"neg", "abs",  "isnan", "isinf", "isfinite",    "nan_to_num", "relu",
                                         "exp", "tanh", "clone", "floor", "logical_not", "sign",       "atan"};
  const RandomValue x =
      s.hidden_parameter(s.typed(s.some_float(), s.some_rank()), "values(0,-0.0,1,-1,inf,-inf,nan,65504,1e-7,0.1)");
  const std::string result = s.new_name();
  s.line(result + " = aten." + s.one_of(kOps) + "(" + x.name + ")");
  s.required().push_back(result);
  return true;
}

bool emit_predicate(RandomScope& s) {
  static constexpr const char* kOps[] = {"isnan", "isinf", "isfinite", "logical_not", "logical_not"};
  if (s.one_in(4)) {
    const RandomValue x = s.integers();
    s.call("bitwise_not", x.name, x.dtype, x.sizes);
    return true;
  }
  const RandomValue x = s.any();
  s.call(s.one_of(kOps), x.name, DType::boolean, x.sizes);
  return true;
}

bool emit_activation(RandomScope& s) {
  static constexpr const char* kOps[] = {"relu({})",
                                         "relu6({})",
                                         "hardtanh({})",
                                         "hardtanh({}, -0.5, 0.25)",
                                         "silu({})",
                                         "mish({})",
                                         "gelu({})",
                                         "gelu({}, approximate = \"tanh\")",
                                         "leaky_relu({})",
                                         "leaky_relu({}, 0.2)",
                                         "elu({})",
                                         "elu({}, 2.0)",
                                         "selu({})",
                                         "celu({})",
                                         "hardsigmoid({})",
                                         "hardswish({})",
                                         "softplus({})",
                                         "softplus({}, 2, 1.0)",
                                         "log_sigmoid({})",
                                         "threshold({}, 0.25, -3.0)",
                                         "hardshrink({})",
                                         "dropout({}, 0.5, False)",
                                         "frac({})",
                                         "clamp({}, -0.5, 0.5)",
                                         "clamp_min({}, 0.1)",
                                         "clamp_max({}, 0.25)"};
  const RandomValue x = s.floats();
  std::string text = s.one_of(kOps);
  text.replace(text.find("{}"), 2, x.name);
  const size_t open = text.find('(');
  const std::string arguments = text.substr(open + 1, text.size() - open - 2);
  if (text.starts_with("dropout"))  // gives its operand back
    s.view("dropout", arguments, x, x.sizes);
  else
    s.call(text.substr(0, open), arguments, x.dtype, x.sizes);
  return true;
}

bool emit_gate(RandomScope& s) {
  const RandomValue x = s.floats(1);
  if (s.one_in(2)) {
    const int64_t channels = x.rank() == 1 ? 1 : x.sizes[1];
    const RandomValue weight = s.of_type(x.dtype, {s.one_in(2) ? channels : 1});
    s.call("prelu", x.name + ", " + weight.name, x.dtype, x.sizes);
    return true;
  }
  const int64_t dim = s.below(x.rank());
  if (x.sizes[dim] % 2 != 0) return false;
  Sizes sizes = x.sizes;
  sizes[dim] /= 2;
  s.call("glu", x.name + ", " + std::to_string(dim), x.dtype, sizes);
  return true;
}

// A second operand: most often of the same dtype.
static RandomValue partner(RandomScope& s, const RandomValue& x) {
  const DType dtype = s.one_in(4) ? s.some_dtype() : x.dtype;
  return s.expandable(dtype, x.sizes);
}

bool emit_arithmetic(RandomScope& s) {
  static constexpr const char* kOps[] = {"add",     "mul",   "sub", "div", "maximum",
                                         "minimum", "atan2", "add", "mul", "rsub"};
  const std::string op = s.one_of(kOps);
  const RandomValue x = s.numbers();
  const bool of_two = op == "maximum" || op == "minimum" || op == "atan2";
  const auto result = [&](DType dtype) { return op == "div" || op == "atan2" ? float_of(dtype) : dtype; };
  if (!of_two && s.one_in(3)) {
    const Number number = some_number(s, op != "div");
    const std::string factor = (op == "add" || op == "sub") && !number.real && s.one_in(3) ? ", 2" : "";
    s.call(op + ".Scalar", x.name + ", " + number.text + factor, result(with_number(x.dtype, number.real)), x.sizes);
    return true;
  }
  RandomValue a = x, b = partner(s, x);
  if (op.ends_with("sub") && (a.dtype == DType::boolean || b.dtype == DType::boolean)) return false;
  if (s.one_in(3)) std::swap(a, b);
  const std::string factor = (op == "add" || op == "sub") && s.one_in(4) ? ", alpha = 2" : "";
  s.call(op + (of_two ? "" : ".Tensor"), a.name + ", " + b.name + factor, result(promoted(a, b)),
         broadcast(a.sizes, b.sizes));
  return true;
}

bool emit_quotient(RandomScope& s) {
  static constexpr const char* kOps[] = {"floor_divide", "fmod.Tensor", "remainder.Tensor", "div.Tensor_mode"};
  const std::string op = s.one_of(kOps);
  const RandomValue x = s.numbers();
  if (op != "floor_divide" && s.one_in(2)) {
    const Number number = some_number(s, false);
    const std::string name = op.substr(0, op.find('.'));
    const std::string mode = name == "div" ? ", rounding_mode = \"floor\"" : "";
    s.call(name + (name == "div" ? ".Scalar_mode" : ".Scalar"), x.name + ", " + number.text + mode,
           with_number(x.dtype, number.real), x.sizes);
    return true;
  }
  const bool exact = is_integer(x.dtype);
  const RandomValue type{.name = "", .dtype = x.dtype, .sizes = x.sizes};
  const RandomValue y = exact ? s.parameter(type, "integers(1,9,$)") : partner(s, x);
  if (is_integer(y.dtype) && !exact) return false;
  const std::string mode = s.one_in(2) ? "trunc" : "floor";
  s.call(op, x.name + ", " + y.name + (op.starts_with("div") ? ", rounding_mode = \"" + mode + "\"" : ""),
         promoted(x, y), broadcast(x.sizes, y.sizes));
  return true;
}

bool emit_power(RandomScope& s) {
  const RandomValue x = s.numbers();
  const bool real = is_float(x.dtype);
  switch (s.below(4)) {
    case 0:
      if (!real) return false;
      s.call("pow.Scalar", s.one_of({"2", "0.5", "1", "3"}) + std::string(", ") + x.name, x.dtype, x.sizes);
      return true;
    case 1: {
      if (!real) return false;
      const RandomValue y = s.parameter({.name = "", .dtype = x.dtype, .sizes = x.sizes}, "integers(0,4,$)");
      s.call("pow.Tensor_Tensor", x.name + ", " + y.name, x.dtype, x.sizes);
      return true;
    }
    default: {
      const std::string exponent =
          real ? s.one_of({"2", "3", "4", "-1", "-2", "1", "0", "0.5", "2", "3"}) : s.one_of({"2", "3", "1", "0", "4"});
      s.call("pow.Tensor_Scalar", x.name + ", " + exponent, x.dtype, x.sizes);
      return true;
    }
  }
}

bool emit_comparison(RandomScope& s) {
  static constexpr const char* kOps[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  const std::string op = s.one_of(kOps);
  const RandomValue x = s.any();
  if (s.one_in(2)) {
    s.call(op + ".Scalar", x.name + ", " + some_number(s).text, DType::boolean, x.sizes);
    return true;
  }
  const RandomValue y = partner(s, x);
  s.call(op + ".Tensor", x.name + ", " + y.name, DType::boolean, broadcast(x.sizes, y.sizes));
  return true;
}

bool emit_logic(RandomScope& s) {
  static constexpr const char* kLogic[] = {"logical_and", "logical_or", "logical_xor"};
  static constexpr const char* kBits[] = {"bitwise_and", "bitwise_or", "bitwise_xor"};
  static constexpr const char* kShifts[] = {"bitwise_left_shift", "bitwise_right_shift"};
  if (s.one_in(2)) {
    const RandomValue x = s.any(), y = partner(s, x);
    s.call(s.one_of(kLogic), x.name + ", " + y.name, DType::boolean, broadcast(x.sizes, y.sizes));
    return true;
  }
  const RandomValue x = s.integers();
  if (s.one_in(3)) {
    s.call(s.one_of(kShifts) + std::string(".Tensor_Scalar"), x.name + s.one_of({", 1", ", 2", ", 3"}), x.dtype,
           x.sizes);
    return true;
  }
  const RandomValue y = s.expandable(x.dtype, x.sizes);
  s.call(s.one_of(kBits) + std::string(".Tensor"), x.name + ", " + y.name, x.dtype, x.sizes);
  return true;
}

bool emit_choice(RandomScope& s) {
  const RandomValue x = s.any();
  const RandomValue mask = s.expandable(DType::boolean, x.sizes);
  if (s.one_in(3)) {
    const Number number = some_number(s);
    if (number.real && !is_float(x.dtype)) return false;
    s.call("masked_fill.Scalar", x.name + ", " + mask.name + ", " + number.text, x.dtype, x.sizes);
    return true;
  }
  if (s.one_in(3)) {
    const Number number = some_number(s);
    s.call("where.ScalarOther", mask.name + ", " + x.name + ", " + number.text, with_number(x.dtype, number.real),
           x.sizes);
    return true;
  }
  const RandomValue y = partner(s, x);
  s.call("where.self", mask.name + ", " + x.name + ", " + y.name, promoted(x, y), broadcast(x.sizes, y.sizes));
  return true;
}

bool emit_ternary(RandomScope& s) {
  const RandomValue x = s.floats();
  const RandomValue y = s.expandable(x.dtype, x.sizes), z = s.expandable(x.dtype, x.sizes);
  const std::string two = x.name + ", " + y.name, three = two + ", " + z.name;
  switch (s.below(5)) {
    case 0: s.call("lerp.Scalar", two + s.one_of({", 0.25", ", 0.75"}), x.dtype, x.sizes); break;
    case 1: s.call("lerp.Tensor", three, x.dtype, x.sizes); break;
    case 2: s.call("addcmul", three + s.one_of({"", ", value = 0.5"}), x.dtype, x.sizes); break;
    case 3: s.call("addcdiv", three + s.one_of({"", ", value = 0.5"}), x.dtype, x.sizes); break;
    default: s.call("clamp.Tensor", three, x.dtype, x.sizes); break;
  }
  return true;
}

bool emit_cast(RandomScope& s) {
  const RandomValue x = s.any();
  const DType to = s.some_dtype();
  const std::string type(name(to));
  const auto of = [&](DType dtype) {
    RandomValue result = x;
    result.dtype = dtype;
    result.index_end = 0;
    return result;
  };
  switch (s.below(4)) {
    case 0: s.call("to.dtype", x.name + ", " + type, of(to)); break;
    case 1: s.call("_to_copy", x.name + ", dtype = " + type, to, x.sizes); break;
    case 2: s.call("clone", x.name + s.one_of({"", ", memory_format = contiguous_format"}), x.dtype, x.sizes); break;
    default: s.view("contiguous", x.name, x, x.sizes); break;
  }
  return true;
}

void write_into(RandomScope& s, const RandomValue& x) {
  static constexpr const char* kFloatOps[] = {"exp_", "tanh_", "sigmoid_", "sqrt_", "relu_", "neg_", "abs_"};
  std::string call;
  const bool real = is_float(x.dtype);
  switch (s.below(7)) {
    case 0: call = "zero_(" + x.name + ")"; break;
    case 1: call = "fill_.Scalar(" + x.name + ", " + (real ? some_number(s).text : "2") + ")"; break;
    case 2: call = "copy_(" + x.name + ", " + s.expandable(s.some_dtype(), x.sizes, x.storage).name + ")"; break;
    case 3: call = real ? s.one_of(kFloatOps) + ("(" + x.name + ")") : "mul_.Scalar(" + x.name + ", 3)"; break;
    case 4:
      call = "masked_fill_.Scalar(" + x.name + ", " + s.expandable(DType::boolean, x.sizes, x.storage).name + ", 1)";
      break;
    case 5: call = (real ? "clamp_(" + x.name + ", -0.5, 0.75)" : "add_.Scalar(" + x.name + ", 1)"); break;
    default: {
      const DType other = real && s.one_in(3) ? s.some_dtype() : x.dtype;
      call = s.one_of({"add_.Tensor(", "mul_.Tensor(", "sub_.Tensor("}) + x.name + ", " +
             s.expandable(other, x.sizes, x.storage).name + ")";
    }
  }
  if (s.one_in(2)) return s.line("aten." + call);
  RandomValue same = x;
  same.name = s.new_name();
  s.line(same.name + " = aten." + call);
  s.add(same);
}

bool emit_write(RandomScope& s) {
  const RandomValue x =
      s.value([](const RandomValue& v) { return v.writable && v.index_end == 0 && v.dtype != DType::boolean; },
              [](RandomScope& scope) { return scope.typed(scope.some_float(), scope.some_rank()); });
  if (!x.writable) return false;
  write_into(s, x);
  return true;
}

}  // namespace faultline::generate
