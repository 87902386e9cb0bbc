// Program text: what is read, what is refused and with which line, and that printing is the inverse of parsing for programs that
// RapidCheck builds.
#include "runtime/ir/program_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <set>

#include "runtime/base/error.h"

namespace faultline {
namespace {

std::string message_of(std::string_view text) {
  try {
    parse_program(text, "f.fl");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ProgramText, OneLineProgram) {
  const Program program = parse_program("def clone65(x: f16[65]): y = aten.clone(x); return y", "f.fl");
  EXPECT_EQ(program.name, "clone65");
  ASSERT_EQ(program.parameters.size(), 1u);
  EXPECT_EQ(*program.parameters[0].tensor, contiguous_type(DType::f16, {65}));
  ASSERT_EQ(program.body.size(), 1u);
  const auto& call = std::get<CallStatement>(program.body[0].value);
  EXPECT_EQ(call.target, "aten.clone.default");
  EXPECT_EQ(call.results, std::vector<std::string>{"y"});
  EXPECT_EQ(call.arguments, ArgumentList{Argument{ValueName{"x"}}});
  EXPECT_EQ(program.returns, std::vector<std::string>{"y"});
  EXPECT_TRUE(program.calls.empty());
}

constexpr std::string_view kEverything = R"(# comments and blank lines do not count
self.layers.0.weight = tensor f16[2] = hex("00ff0102")
self.scale = tensor f32[4] = normal(3)
self.a = tensor f16[1]{offset=1 of=layers.0.weight}
self.n = -3

def f(x: f32[4,8]{stride=1,4}, n: int = 3, p: float = 1, flag: bool, b: f32[2]{offset=40 of=x}):
  s = aten.sum.dim_IntList(x, [None, -1, [1.5, "tanh", contiguous_format]], dtype = f32)
  v = s.item()
  c = v > -inf
  d = not c
  if c {
    y = aten.mul.Scalar(x, 2.0)
    if flag { aten.add_.Tensor(x, 1) }
  }
  else { y = aten.neg(x) }
  self.count = y
  w = self.count
  a, bb = aten.split.Tensor(x,
      2)
  return y, s, w
call f(x = normal(1), n = 3)
call f(x: f32[6,8] = address(), n = 4, p = -1e-5)
)";

TEST(ProgramText, EveryConstruct) {
  const Program program = parse_program(kEverything, "f.fl");
  EXPECT_EQ(program.attributes.size(), 4u);
  EXPECT_EQ(std::get<Scalar>(program.attributes.at("n").value), Scalar{int64_t{-3}});
  const auto& weight = std::get<Tensor>(program.attributes.at("layers.0.weight").value);
  EXPECT_EQ(weight.storage->at(1), std::byte{0xff});
  EXPECT_EQ(std::get<Tensor>(program.attributes.at("a").value).storage, weight.storage);
  EXPECT_EQ(program.attributes.at("scale").data, (DataSource{"normal", {3}}));
  EXPECT_EQ(program.parameters[0].tensor->strides, (Sizes{1, 4}));
  EXPECT_EQ(program.parameters[2].default_scalar, Scalar{1.0});
  EXPECT_EQ(program.parameters[4].alias_of, "x");
  ASSERT_EQ(program.body.size(), 8u);
  const auto& sum = std::get<CallStatement>(program.body[0].value);
  const ArgumentList inner{Argument{1.5}, Argument{Keyword{"tanh"}}, Argument{Keyword{"contiguous_format"}}};
  EXPECT_EQ(sum.arguments[1], Argument{(ArgumentList{Argument{NoneArgument{}}, Argument{int64_t{-1}}, Argument{inner}})});
  EXPECT_EQ(sum.keywords[0].second, Argument{DType::f32});
  EXPECT_EQ(std::get<ScalarStatement>(program.body[2].value).operands[1],
            Argument{-std::numeric_limits<double>::infinity()});
  const auto& branch = std::get<IfStatement>(program.body[4].value);
  EXPECT_EQ(branch.then_branch.size(), 2u);
  EXPECT_EQ(branch.else_branch.size(), 1u);
  ASSERT_EQ(program.calls.size(), 2u);
  EXPECT_EQ(program.calls[1].inputs.at("x").tensor, contiguous_type(DType::f32, {6, 8}));
  EXPECT_EQ(program.calls[1].inputs.at("p").scalar, Scalar{-1e-5});
  EXPECT_EQ(parse_program(to_text(program), "text"), program);
  EXPECT_EQ(parse_program(to_line(program), "line"), program);
  EXPECT_EQ(to_line(program).find('\n'), std::string::npos);
}

TEST(ProgramText, ProgramsThatDifferAreNotEqual) {
  const Program zero = parse_program("def f(x: f32[2]): y = aten.mul.Scalar(x, 0.0); return y", "f");
  EXPECT_NE(zero, parse_program("def f(x: f32[2]): y = aten.mul.Scalar(x, -0.0); return y", "f"));
  EXPECT_NE(zero, parse_program("def f(x: f32[2]): y = aten.mul.Scalar(x, 0); return y", "f"));
  EXPECT_NE(zero, parse_program("def f(x: f32[2]{offset=1}): y = aten.mul.Scalar(x, 0.0); return y", "f"));
  EXPECT_NE(zero, parse_program("self.a = 1; def f(x: f32[2]): y = aten.mul.Scalar(x, 0.0); return y", "f"));
  const std::string_view bytes = "self.a = tensor i8[1] = hex(\"0{}\"); def f(): return";
  const auto with = [&](char digit) { return std::string(bytes.substr(0, 30)) + digit + std::string(bytes.substr(32)); };
  EXPECT_NE(parse_program(with('1'), "f"), parse_program(with('2'), "f"));
}

struct Refused {
  std::string_view text, message;
};

constexpr Refused kRefused[] = {
    {"", "f.fl:1:1: expected 'self.' or 'def', found the end of the text"},
    {"dfe f(): return", "f.fl:1:1: expected 'self.' or 'def', found 'dfe'"},
    {"def f(x: f16[3]): y = aten.clone(xx); return y",
     "f.fl:1:34: expected a defined value or a constant, found 'xx', did you mean 'x'?"},
    {"def f(x: f16[3]):\n  y = aten.clone(x)\n  y = aten.neg(x)\n  return y",
     "f.fl:3:3: expected a new name, found 'y' again"},
    {"def f(x: f16[3]): return y", "f.fl:1:26: expected a defined value, found 'y', did you mean 'x'?"},
    {"def f(x: float16[3]): return x",
     "f.fl:1:10: expected a type such as f32[4], int, float or bool, found 'float16', did you mean 'f16'?"},
    {"def f(x: f16[3,-1]): return x", "f.fl:1:10: expected a tensor within bounds: size -1 is negative"},
    {"def f(x: f16[3]{stride=-1}): return x", "f.fl:1:10: expected a tensor within bounds: stride -1 is negative"},
    {"def f(x: f16[3]{offset=-1}): return x", "f.fl:1:10: expected a tensor within bounds: offset -1 is not in 0..2^40"},
    {"def f(x: f16[3]{stride=1,1}): return x", "f.fl:1:10: expected a tensor within bounds: 2 strides stand for 1 sizes"},
    {"def f(x: f16[1048576,1048577]): return x",
     "f.fl:1:10: expected a tensor within bounds: the tensor has more than 2^40 elements"},
    {"def f(x: f16[9223372036854775807,9223372036854775807]): return x",
     "f.fl:1:10: expected a tensor within bounds: the tensor has more than 2^40 elements"},
    {"def f(x: f16[1048577]{stride=1048576}): return x",
     "f.fl:1:10: expected a tensor within bounds: the storage has more than 2^40 elements"},
    {"def f(x: f16[0,1099511627776,1099511627776]): return x",
     "f.fl:1:10: expected a tensor within bounds: the tensor has more than 2^40 elements"},
    {"def f(x: f16[1,1,1,1,1,1,1,1,1]): return x", "f.fl:1:10: expected a tensor within bounds: rank 9 is above 8"},
    {"def f(x: f16[9223372036854775808]): return x",
     "f.fl:1:14: expected an integer of 64 bits, found '9223372036854775808'"},
    {"def f(x: f16[3]{of=y}): return x", "f.fl:1:20: expected a parameter above, found 'y'"},
    {"def f(x: f16[3], y: f32[3]{of=x}): return x", "f.fl:1:31: expected an owner of type f32, found f16"},
    {"def f(x: f16[3], y: f16[3]{of=x}, z: f16[1]{of=y}): return x",
     "f.fl:1:48: expected the owner 'x', found its alias 'y'"},
    {"def f(x: f16[3]): v = x.item(); if v { y = aten.neg(x) }; return y",
     "f.fl:1:66: expected a defined value on every path to here, found 'y'"},
    {"def f(x: f16[3]): if x { }; return x",
     "f.fl:1:22: expected a scalar, found the tensor 'x'; .item() reads its element"},
    {"def f(n: int): v = n.item(); return v", "f.fl:1:20: expected a tensor, found the scalar 'n'"},
    {"def f(x: f16[3]): v = x.sum(); return v",
     "f.fl:1:25: expected item() (ops are written aten.<name>(...)), found 'sum'"},
    {"def f(x: f16[3]): y = clone(x); return y", "f.fl:1:23: expected a defined scalar, found 'clone'"},
    {"def f(x: f16[3]): y = self.sale; return y", "f.fl:1:28: expected an attribute with a value, found 'sale'"},
    {"self.scale = 1; def f(): y = self.sale; return y",
     "f.fl:1:35: expected an attribute with a value, found 'sale', did you mean 'scale'?"},
    {"def f(if: f16[3]): return", "f.fl:1:7: expected a parameter's name, which no reserved word can be, found 'if'"},
    {"def f(x: f16[3]): y = aten.clone(x, memory_format = channels_first); return y",
     "f.fl:1:53: expected a defined value or a constant, found 'channels_first'"},
    {"def f(x: f16[3]): y = aten.add(x, alpha = 1, alpha = 2); return y",
     "f.fl:1:46: expected each keyword once, found 'alpha' again"},
    {"def f(x: f16[3]): y = aten.add(alpha = 1, x); return y",
     "f.fl:1:43: expected a keyword argument after a keyword argument, found 'x'"},
    {"def f(x: f16[3]): return x; call g()", "f.fl:1:34: expected 'f', found 'g'"},
    {"def f(xs: f16[3]): return xs; call f(x = zeros())",
     "f.fl:1:38: expected the name of a parameter, found 'x', did you mean 'xs'?"},
    {"def f(x: f16[3]): return x; call f(x = nomal(1))",
     "f.fl:1:40: expected a data source such as normal(1), found 'nomal', did you mean 'normal'?"},
    {"def f(x: f16[3]): return x; call f(x = full())",
     "f.fl:1:40: expected a data source: full() takes 1 number, not 0"},
    {"def f(x: f16[3]): return x; call f(x = integers(5, 5))",
     "f.fl:1:40: expected a data source: integers() draws from low <= x < high, at most 2^32 - 1 values, not 5 <= x < 5"},
    {"def f(n: int): return; call f(n = 1.5)", "f.fl:1:35: expected an integer"},
    {"self.a = tensor f32[2] = hex(\"00\"); def f(): return", "f.fl:1:30: expected at least 8 bytes, found 1"},
    {"def f(x: f16[3]): y = aten.gelu(x, \"tanh); return y", "f.fl:1:36: expected a closing quote"},
    {"def f(x: f16[3]): y = aten.mul(x, 1e999); return y",
     "f.fl:1:35: expected a number within the range of a double (or inf), found '1e999'"},
    {"def f(x: f16[3]): y = aten.clone(x) return y", "f.fl:1:37: expected ';' or a new line, found 'return'"},
    {"def f(x: f16[3]): y = aten.clone(x)", "f.fl:1:36: expected a statement or 'return', found the end of the text"},
    {"def f(x: f16[3]): @", "f.fl:1:19: expected program text, found '@'"},
};

TEST(ProgramText, RefusedWithOneLine) {
  for (const Refused& refused : kRefused) EXPECT_EQ(message_of(refused.text), refused.message) << refused.text;
}

TEST(ProgramText, DepthIsBounded) {
  const std::string lists = "def f(): y = aten.a(" + std::string(100000, '[');
  EXPECT_NE(message_of(lists).find("expected at most 64 nested lists"), std::string::npos);
  std::string branches = "def f(c: bool): ";
  for (int i = 0; i < 10000; ++i) branches += "if c { ";
  EXPECT_NE(message_of(branches).find("expected at most 64 nested 'if'"), std::string::npos);
}

TEST(ProgramText, RealsKeepTheirBits) {
  EXPECT_EQ(real_text(1), "1.0");
  EXPECT_EQ(real_text(-0.0), "-0.0");
  EXPECT_EQ(real_text(1e30), "1e+30");
  EXPECT_EQ(real_text(0.1), "0.1");
  EXPECT_EQ(real_text(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(real_text(std::numeric_limits<double>::quiet_NaN()), "nan");
}

// --- programs from RapidCheck --------------------------------------------------------------------------------------------

int pick(int n) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, n)); }
template <class T>
T pick_of(const std::vector<T>& items) { return items[static_cast<size_t>(pick(static_cast<int>(items.size())))]; }

double any_real() {
  const std::vector<double> special = {0.0, -0.0, 1.0, std::numeric_limits<double>::infinity(),
                                       -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(),
                                       std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max()};
  return pick(2) ? pick_of(special) : *rc::gen::arbitrary<double>();
}

Scalar any_scalar() {
  switch (pick(3)) {
    case 0: return *rc::gen::arbitrary<int64_t>();
    case 1: return any_real();
    default: return pick(2) == 1;
  }
}

TensorType any_type() {
  TensorType type;
  type.dtype = static_cast<DType>(pick(kDTypeCount));
  for (int rank = pick(4); rank > 0; --rank) type.sizes.push_back(pick(5));
  type.strides = contiguous_strides(type.sizes);
  if (pick(3) == 0)
    for (int64_t& stride : type.strides) stride = pick(20);
  if (pick(3) == 0) type.offset = pick(100);
  return type;
}

DataSource any_source() {
  switch (pick(6)) {
    case 0: return {"normal", {static_cast<double>(pick(1000))}};
    case 1: return {"integers", {-5, 7}};
    case 2: return {"address", {}};
    case 3: return {"full", {any_real()}};
    case 4: return {"values", {any_real(), any_real(), 3}};
    default: return {"uniform", {}};
  }
}

// Builds programs that the parser must accept: it keeps the same account of names, in its own way.
class Builder {
 public:
  Program build() {
    Program program;
    program.name = "f" + std::to_string(pick(10));
    for (int i = pick(4); i > 0; --i) add_attribute(program);
    for (int i = pick(4); i > 0; --i) add_parameter(program);
    program.body = statements(pick(12), 0);
    for (int i = pick(3); i > 0 && !all().empty(); --i) program.returns.push_back(pick_of(all()));
    for (int i = pick(3); i > 0; --i) program.calls.push_back(call_of(program));
    return program;
  }

 private:
  std::string fresh() { return "v" + std::to_string(next_++); }
  std::vector<std::string> all() const {
    std::vector<std::string> names = tensors_;
    names.insert(names.end(), scalars_.begin(), scalars_.end());
    return names;
  }

  void add_attribute(Program& program) {
    Program::Attribute attribute;
    const std::string name = pick_of<std::string>({"scale", "layers.0.w", "count", "b"}) + std::to_string(next_++);
    const int kind = pick(4);
    if (kind == 0) {
      attribute.value = any_scalar();
    } else {
      attribute.type = any_type();
      Tensor tensor{attribute.type, nullptr};
      if (kind == 1) attribute.data = any_source();
      if (kind == 2) {
        tensor = make_tensor(attribute.type);
        for (std::byte& byte : *tensor.storage) byte = static_cast<std::byte>(pick(256));
      }
      attribute.value = tensor;
      const std::string alias = "a" + std::to_string(next_++);
      if (pick(3) == 0) {
        Program::Attribute other = attribute;
        other.alias_of = name;
        other.data = {};
        program.attributes[alias] = other;
        tensor_attributes_.push_back(alias);
      }
    }
    program.attributes[name] = attribute;
    (kind == 0 ? scalar_attributes_ : tensor_attributes_).push_back(name);
  }

  void add_parameter(Program& program) {
    Parameter parameter;
    parameter.name = fresh();
    if (pick(3) == 0) {
      const Scalar value = any_scalar();
      const ScalarType types[] = {ScalarType::integer, ScalarType::real, ScalarType::boolean};
      parameter.scalar = types[value.index()];
      if (pick(2)) parameter.default_scalar = value;
      scalars_.push_back(parameter.name);
    } else {
      parameter.tensor = any_type();
      const Parameter* owner = program.parameters.empty() ? nullptr : &program.parameters.front();
      if (owner && owner->tensor && pick(2)) {
        parameter.tensor->dtype = owner->tensor->dtype;
        parameter.alias_of = owner->name;
      }
      tensors_.push_back(parameter.name);
    }
    program.parameters.push_back(parameter);
  }

  CallSpec call_of(const Program& program) {
    CallSpec call;
    for (const Parameter& parameter : program.parameters) {
      if (pick(2)) continue;
      CallInput input;
      if (parameter.tensor) {
        if (pick(2)) input.tensor = any_type();
        if (parameter.alias_of.empty() && (pick(2) || !input.tensor)) input.data = any_source();
        if (!input.tensor && input.data.generator.empty()) continue;
      } else {
        input.scalar = *parameter.scalar == ScalarType::real      ? Scalar{any_real()}
                       : *parameter.scalar == ScalarType::integer ? Scalar{*rc::gen::arbitrary<int64_t>()}
                                                                  : Scalar{true};
      }
      call.inputs[parameter.name] = input;
    }
    return call;
  }

  Argument argument(int depth) {
    switch (pick(depth < 3 ? 8 : 7)) {
      case 0: return {NoneArgument{}};
      case 1: return {pick(2) == 1};
      case 2: return {*rc::gen::arbitrary<int64_t>()};
      case 3: return {any_real()};
      case 4: return {static_cast<DType>(pick(kDTypeCount))};
      case 5: return {Keyword{pick(2) ? pick_of<std::string>({"contiguous_format", "tanh", "", "a\"b\\c", "ij,jk->ik"})
                                      : *rc::gen::arbitrary<std::string>()}};
      case 6: return all().empty() ? Argument{NoneArgument{}} : Argument{ValueName{pick_of(all())}};
      default: {
        ArgumentList list;
        for (int i = pick(4); i > 0; --i) list.push_back(argument(depth + 1));
        return {list};
      }
    }
  }

  Argument scalar_operand() {
    if (!scalars_.empty() && pick(2)) return {ValueName{pick_of(scalars_)}};
    return std::visit([](auto value) { return Argument{value}; }, any_scalar());
  }

  Statement call_statement() {
    CallStatement call;
    call.target = pick_of<std::string>({"aten.clone.default", "aten.add.Tensor", "aten.add_.Tensor", "prims.sum.default"});
    for (int i = pick(4); i > 0; --i) call.arguments.push_back(argument(0));
    for (const char* name : {"dtype", "alpha", "if"})
      if (pick(4) == 0) call.keywords.emplace_back(name, argument(0));
    for (int i = pick(4); i > 0; --i) call.results.push_back(fresh());
    tensors_.insert(tensors_.end(), call.results.begin(), call.results.end());
    return {call};
  }

  Statement scalar_statement() {
    ScalarStatement statement;
    statement.op = pick_of<std::string>({"+", "-", "*", "/", "//", "%", "<", "<=", ">", ">=", "==", "!=", "and", "or", "not"});
    for (int i = statement.op == "not" ? 1 : 2; i > 0; --i) statement.operands.push_back(scalar_operand());
    statement.result = fresh();
    scalars_.push_back(statement.result);
    return {statement};
  }

  Statement if_statement(int depth) {
    IfStatement statement;
    statement.condition = pick_of(scalars_);
    const auto tensors = tensors_, scalars = scalars_;
    statement.then_branch = statements(pick(3), depth + 1);
    const std::string both = fresh();
    statement.then_branch.push_back({CallStatement{{both}, "aten.ones.default", {}, {}}});
    tensors_ = tensors, scalars_ = scalars;
    if (pick(2)) {
      statement.else_branch = statements(pick(3), depth + 1);
      statement.else_branch.push_back({CallStatement{{both}, "aten.zeros.default", {}, {}}});
      tensors_ = tensors, scalars_ = scalars;
      tensors_.push_back(both);
    }
    return {statement};
  }

  Statement statement(int depth) {
    switch (pick(7)) {
      case 0:
        if (!tensors_.empty()) {
          ItemStatement item{fresh(), pick_of(tensors_)};
          scalars_.push_back(item.result);
          return {item};
        }
        [[fallthrough]];
      case 1: return scalar_statement();
      case 2:
        if (!scalars_.empty() && depth < 3) return if_statement(depth);
        [[fallthrough]];
      case 3:
        if (!tensor_attributes_.empty()) {
          ReadAttribute read{fresh(), pick_of(tensor_attributes_)};
          tensors_.push_back(read.result);
          return {read};
        }
        [[fallthrough]];
      case 4: return {WriteAttribute{"written", scalar_operand()}};
      default: return call_statement();
    }
  }

  std::vector<Statement> statements(int count, int depth) {
    std::vector<Statement> result;
    for (int i = 0; i < count; ++i) result.push_back(statement(depth));
    return result;
  }

  int next_ = 0;
  std::vector<std::string> tensors_, scalars_, tensor_attributes_, scalar_attributes_;
};

RC_GTEST_PROP(ProgramTextProperty, PrintedProgramsReadBack, ()) {
  const Program program = Builder().build();
  const std::string text = to_text(program), line = to_line(program);
  RC_LOG() << text;
  RC_ASSERT(parse_program(text, "text") == program);
  RC_ASSERT(parse_program(line, "line") == program);
  RC_ASSERT(line.find('\n') == std::string::npos);
  RC_ASSERT(to_text(parse_program(line, "line")) == text);
}

// A damaged text is refused by UserError or is a program that again prints and reads back; anything else is a failure.
RC_GTEST_PROP(ProgramTextProperty, DamagedTextIsRefusedOrValid, ()) {
  std::string text = pick(2) ? std::string(kEverything) : to_text(Builder().build());
  for (int i = pick(4) + 1; i > 0; --i) {
    const size_t at = static_cast<size_t>(pick(static_cast<int>(text.size())));
    switch (pick(3)) {
      case 0: text.erase(at, static_cast<size_t>(pick(10) + 1)); break;
      case 1: text.insert(at, text.substr(static_cast<size_t>(pick(static_cast<int>(text.size()))), 12)); break;
      default: text[at] = static_cast<char>(pick(128));
    }
  }
  try {
    const Program program = parse_program(text, "damaged");
    RC_ASSERT(parse_program(to_text(program), "text") == program);
  } catch (const UserError& error) {
    const std::string line = error.what();
    RC_ASSERT(line.rfind("damaged:", 0) == 0u);
    RC_ASSERT(line.find('\n') == std::string::npos);
  }
}

}  // namespace
}  // namespace faultline
