// The emitter of StableHLO without a compiler: every sample's text holds together, literals keep their bits, and what
// has no meaning is rejected by its name.
#include "runtime/backends/emit/stablehlo.h"

#include <gtest/gtest.h>

#include "runtime/backends/emit/stablehlo_writer.h"
#include "runtime/base/error.h"
#include "tests/stablehlo_samples.h"

namespace faultline::stablehlo_test {
namespace {

// Names that a line mentions: "%0", "%arg1", "%a_nan".
std::vector<std::string> names_in(std::string_view line) {
  std::vector<std::string> names;
  for (size_t at = line.find('%'); at != std::string_view::npos; at = line.find('%', at + 1)) {
    size_t end = at + 1;
    while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) || line[end] == '_')) ++end;
    names.emplace_back(line.substr(at, end - at));
  }
  return names;
}

// What is wrong with the names of a module: each is defined once and before it is used.
std::string name_trouble(const std::string& text) {
  std::set<std::string> defined;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> names = names_in(line);
    const bool declares = line.find("func.func") != std::string::npos || line.find("reducer(") != std::string::npos;
    const bool defines = !declares && line.find(" = ") != std::string::npos;
    for (size_t k = 0; k < names.size(); ++k) {
      const bool is_new = declares || (defines && k == 0);
      if (is_new && !defined.insert(names[k]).second) return names[k] + " is defined twice: " + line;
      if (!is_new && !defined.contains(names[k])) return names[k] + " is not defined: " + line;
    }
  }
  return "";
}

TEST(StableHlo, EverySampleHoldsTogether) {
  int count = 0;
  for (int d = 0; d < kDTypeCount; ++d)
    for (const Sample& sample : samples_of(static_cast<DType>(d))) {
      const std::string text = to_stablehlo(sample.graph);
      EXPECT_EQ(name_trouble(text), "") << sample.name << "\n" << text;
      const PrimNode& result = sample.graph.nodes[sample.graph.outputs[0].node];
      EXPECT_NE(text.find("-> (" + hlo_type(result.dtype, result.sizes) + ") {\n"), std::string::npos) << text;
      ++count;
    }
  EXPECT_GE(count, 1500);
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const std::string text = to_stablehlo(random_sample(seed).graph);
    EXPECT_EQ(name_trouble(text), "") << text;
  }
}

// Read as MLIR reads it: a decimal is a double rounded to the type, digits after 0x are its bits.
uint64_t bits_read(const std::string& text, Format format) {
  if (text.starts_with("0x")) return std::stoull(text.substr(2), nullptr, 16);
  EXPECT_NE(text.find('.'), std::string::npos) << text;
  return encode(format, std::strtod(text.c_str(), nullptr));
}

TEST(StableHlo, LiteralsKeepTheirBits) {
  for (int d = 0; d < kDTypeCount; ++d) {
    const auto dtype = static_cast<DType>(d);
    if (!is_float(dtype)) continue;
    const Format format = host_format(dtype);
    const int width = 8 * static_cast<int>(byte_size(format));
    const uint64_t patterns = uint64_t{1} << std::min(width, 16);
    for (uint64_t k = 0; k < patterns; ++k) {
      const uint64_t bits = k << (width - std::min(width, 16)) | (width > 16 ? k * 7 + 1 : 0);
      const double value = decode(format, bits);
      const std::string text = hlo_literal(real_literal(value, dtype));
      const uint64_t read = bits_read(text, format);
      EXPECT_TRUE(same_number(decode(format, read), value)) << name(dtype) << " " << bits << " " << text;
      if (std::isnan(value) || std::isinf(value)) {
        EXPECT_EQ(text.size(), 2 + static_cast<size_t>(width) / 4) << text;
      }
    }
  }
  EXPECT_EQ(hlo_literal(real_literal(-0.0, DType::f32)), "-0.0");
  EXPECT_EQ(hlo_literal(real_literal(0.1, DType::f16)), "0.0999755859375");
  EXPECT_EQ(hlo_literal(neutral_literal(Reduction::max, DType::bf16)), "0xFF80");
  EXPECT_EQ(hlo_literal(neutral_literal(Reduction::max, DType::f8e4m3)), "-448.0");
  EXPECT_EQ(hlo_literal(integer_literal(300, DType::u8)), "44");
  EXPECT_EQ(hlo_literal(neutral_literal(Reduction::min, DType::i64)), "9223372036854775807");
}

// How a sum of halves and a division by an unknown integer read.
TEST(StableHlo, SumsAreWideAndDivisionsGuarded) {
  const PrimGraph graph = parse_prim_graph(
      "prims f(x: f16[4], n: i32[4]):\n"
      "  %0: f16[4] = input(0)\n"
      "  %1: i32[4] = input(1)\n"
      "  %2: f16[] = sum(%0, axes=[0])\n"
      "  %3: i32[4] = div(%1, %1)\n"
      "  %4: f8e4m3[4] = cast(%0)\n"
      "  return s %2 f16[], q %3 i32[4]\n");
  EXPECT_EQ(to_stablehlo(graph), R"(module {
  func.func public @main(%arg0: tensor<4xf16>, %arg1: tensor<4xi32>) -> (tensor<f16>, tensor<4xi32>) {
    %0 = stablehlo.convert %arg0 : (tensor<4xf16>) -> tensor<4xf32>
    %1 = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0] : )"
                                 R"((tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %3 = stablehlo.convert %2 : (tensor<f32>) -> tensor<f16>
    %4 = stablehlo.constant dense<0> : tensor<4xi32>
    %5 = stablehlo.compare EQ, %arg1, %4, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %6 = stablehlo.constant dense<-1> : tensor<4xi32>
    %7 = stablehlo.compare EQ, %arg1, %6, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %8 = stablehlo.or %5, %7 : tensor<4xi1>
    %9 = stablehlo.constant dense<1> : tensor<4xi32>
    %10 = stablehlo.select %8, %9, %arg1 : tensor<4xi1>, tensor<4xi32>
    %11 = stablehlo.divide %arg1, %10 : tensor<4xi32>
    %12 = stablehlo.negate %arg1 : tensor<4xi32>
    %13 = stablehlo.select %7, %12, %11 : tensor<4xi1>, tensor<4xi32>
    %14 = stablehlo.constant dense<0> : tensor<4xi32>
    %15 = stablehlo.select %5, %14, %13 : tensor<4xi1>, tensor<4xi32>
    return %3, %15 : tensor<f16>, tensor<4xi32>
  }
}
)");
}

// A divisor, exponent or count that is a constant asks nothing at run time.
TEST(StableHlo, ConstantsDecideAtOnce) {
  const auto text_of = [](const std::string& function, const std::string& number) {
    return to_stablehlo(
        parse_prim_graph("prims f(n: i32[4]):\n"
                         "  %0: i32[4] = input(0)\n"
                         "  %1: i32[] = literal(" +
                         number +
                         ":i32)\n"
                         "  %2: i32[4] = broadcast(%1, axes=[])\n"
                         "  %3: i32[4] = " +
                         function +
                         "(%0, %2)\n"
                         "  return y %3 i32[4]\n"));
  };
  for (const char* function : {"div", "fmod", "pow", "shift_left", "shift_right"}) {
    EXPECT_EQ(text_of(function, "3").find("select"), std::string::npos) << text_of(function, "3");
    EXPECT_NE(text_of(function, "-1").find("select"), std::string::npos) << text_of(function, "-1");
  }
  EXPECT_NE(text_of("shift_left", "32").find("select"), std::string::npos);
  EXPECT_NE(text_of("div", "0").find("select"), std::string::npos);
}

std::string refused_subject(const PrimGraph& graph) {
  try {
    to_stablehlo(graph);
  } catch (const Rejected& rejected) {
    return rejected.subject() + ": " + rejected.what();
  }
  return "";
}

TEST(StableHlo, RejectsByName) {
  EXPECT_EQ(refused_subject(parse_prim_graph("prims f(x: bool[4]):\n"
                                             "  %0: bool[4] = input(0)\n"
                                             "  %1: bool[4] = shift_left(%0, %0)\n"
                                             "  return y %1 bool[4]\n")),
            "shift_left: shift_left of bool has no meaning in StableHLO");
  EXPECT_EQ(refused_subject(parse_prim_graph("prims f(x: f32[0], i: i64[2]):\n"
                                             "  %0: f32[0] = input(0)\n"
                                             "  %1: i64[2] = input(1)\n"
                                             "  %2: f32[2] = gather(%0, %1, axes=[0])\n"
                                             "  return y %2 f32[2]\n")),
            "gather: gather of a dim without elements");
}

}  // namespace
}  // namespace faultline::stablehlo_test
