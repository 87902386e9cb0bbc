// Program text: what is read, and what is refused with which line.
#include "runtime/ir/program_text.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <cmath>
#include <limits>

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
  EXPECT_EQ(sum.arguments[1],
            Argument{(ArgumentList{Argument{NoneArgument{}}, Argument{int64_t{-1}}, Argument{inner}})});
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
  const auto with = [&](char digit) {
    return std::string(bytes.substr(0, 30)) + digit + std::string(bytes.substr(32));
  };
  EXPECT_NE(parse_program(with('1'), "f"), parse_program(with('2'), "f"));
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void expect_reads_back(const std::string& text, const std::string& name) {
  const Program program = parse_program(text, name);
  EXPECT_EQ(parse_program(to_text(program), "text"), program) << name;
  EXPECT_EQ(parse_program(to_line(program), "line"), program) << name;
}

TEST(ProgramText, EveryProgramOfTheCorpus) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(FAULTLINE_SOURCE_DIR) + "/corpora/programs")) {
    if (entry.path().extension() != ".fl") continue;
    expect_reads_back(file_text(entry.path()), entry.path().filename());
    ++count;
  }
  EXPECT_GE(count, 13);
}

// The fenced blocks of the document that hold a program.
TEST(ProgramText, EveryProgramOfTheDocument) {
  std::string text = file_text(std::string(FAULTLINE_SOURCE_DIR) + "/docs/program-text.md");
  int count = 0;
  for (size_t begin = text.find("```\n"); begin != std::string::npos; begin = text.find("```\n", begin + 4)) {
    const size_t end = text.find("```", begin + 4);
    const std::string block = text.substr(begin + 4, end - begin - 4);
    begin = end;
    if (block.find("def ") == std::string::npos || block.rfind("program ", 0) == 0) continue;
    expect_reads_back(block, "docs/program-text.md");
    ++count;
  }
  EXPECT_EQ(count, 2);
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
    {"def f(x: f16[3]{offset=-1}): return x",
     "f.fl:1:10: expected a tensor within bounds: offset -1 is not in 0..2^40"},
    {"def f(x: f16[3]{stride=1,1}): return x",
     "f.fl:1:10: expected a tensor within bounds: 2 strides stand for 1 sizes"},
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
     "f.fl:1:40: expected a data source: integers() draws from low <= x < high, at most 2^32 - 1 values, not 5 <= x "
     "< 5"},
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

TEST(ProgramText, DataKeepTheSignOfZero) {
  const Program program =
      parse_program("def f(x: f32[3]): y = aten.clone(x); return y\ncall f(x=values(-0, 0, -0.0))", "f");
  const auto numbers = program.calls.at(0).inputs.at("x").data.parameters;
  ASSERT_EQ(numbers.size(), 3u);
  EXPECT_TRUE(std::signbit(numbers[0]));
  EXPECT_FALSE(std::signbit(numbers[1]));
  EXPECT_TRUE(std::signbit(numbers[2]));
  EXPECT_EQ(parse_program(to_text(program), "text"), program);
}

}  // namespace
}  // namespace faultline
