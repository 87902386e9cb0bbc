// Windows without torch: the prim's promises and its text, convolution and pooling against loops written out here, how
// layer 3 writes them, and what is refused by name.
#include <gtest/gtest.h>

#include <cmath>

#include "runtime/base/error.h"
#include "runtime/layers/decompose/decompose.h"
#include "runtime/layers/decompose/verify_decompose.h"
#include "runtime/layers/fuse/fuse.h"
#include "tests/decompose_samples.h"

namespace faultline {
namespace {

using testing::inputs_of;
using testing::segment_of;
using testing::values_of;

PrimGraph window_graph() {
  return parse_prim_graph(
      "prims w(x: f32[2,9]):\n"
      "  calls aten.im2col.default\n"
      "  %0: f32[2,9] = input(0)\n"
      "  %1: f32[2,3,2] = window(%0, axes=[1], step=[3,2]) at 0\n"
      "  return y %1 f32[2,3,2]\n");
}

std::string first_promise(const PrimGraph& graph) {
  const std::vector<Finding> findings = verify_nodes(graph);
  return findings.empty() ? "" : findings[0].promise + ": " + findings[0].text;
}

TEST(Window, PrintsWhatItParses) {
  const PrimGraph graph = window_graph();
  EXPECT_EQ(to_text(graph.nodes[1]), "f32[2,3,2] = window(%0, axes=[1], step=[3,2]) at 0");
  EXPECT_EQ(parse_prim_graph(to_text(graph)), graph);
}

// 2 positions of 3, 2 taps of 2: the last element read is 2 * 3 + 1 * 2 = 8.
TEST(Window, StaysWithinItsOperand) {
  PrimGraph graph = window_graph();
  EXPECT_EQ(first_promise(graph), "");
  graph.nodes[1].step_sizes = {3, 3};
  EXPECT_EQ(first_promise(graph), "shape: dim 1 of [2,9] is read up to 9");
  graph.nodes[1].step_sizes = {0, 2};
  EXPECT_EQ(first_promise(graph), "shape: not one step for positions and one for taps");
  graph.nodes[1].step_sizes = {3};
  EXPECT_EQ(first_promise(graph), "shape: not one step for positions and one for taps");
  graph.nodes[1].step_sizes = {3, 2};
  graph.nodes[1].sizes = {1, 3, 2};
  EXPECT_EQ(first_promise(graph), "shape: sizes are [1,3,2] when they should be [2,3,2]");
  graph.nodes[1].sizes = {2, 6};
  EXPECT_EQ(first_promise(graph), "shape: not one dim more than the operand");
  graph.nodes[1].axes = {2};
  EXPECT_EQ(first_promise(graph), "shape: axes [2] do not name dims of 2");
}

struct Ran {
  std::vector<std::vector<double>> inputs, outputs;
};

// Integers from -4 to 4 in f64: every sum below is exact.
Ran ran(const std::string& text) {
  const Program program = parse_program(text, "sample");
  const PrimGraph graph = decompose(segment_of(text));
  EXPECT_EQ(first_promise(graph), "");
  NativeDomain domain(host_arithmetic());
  PrimValues<NativeDomain> values;
  Ran result;
  for (const Tensor& input : inputs_of(program, 1)) {
    values.push_back(values_of(domain, input));
    result.inputs.emplace_back();
    for (NativeDomain::Value& value : values.back()) {
      value.real = std::trunc(std::clamp(value.real * 3, -4.0, 4.0));
      result.inputs.back().push_back(value.real);
    }
  }
  for (const auto& output : run_prims(graph, domain, values).outputs) {
    result.outputs.emplace_back();
    for (const NativeDomain::Value& value : output) result.outputs.back().push_back(value.real);
  }
  return result;
}

// x [2,4,7,9], w [6,2,3,2] in two groups, stride (2,1), padding (1,0), dilation (1,2).
TEST(Convolution, IsTheSumOfItsDefinition) {
  const Ran run =
      ran("def f(x: f64[2,4,7,9], w: f64[6,2,3,2]): "
          "y = aten.convolution(x, w, None, [2, 1], [1, 0], [1, 2], False, [0, 0], 2); return y");
  const int height = (7 + 2 - 2 - 1) / 2 + 1, width = 9 - 2;
  ASSERT_EQ(run.outputs[0].size(), static_cast<size_t>(2 * 6 * height * width));
  size_t at = 0;
  for (int n = 0; n < 2; ++n)
    for (int o = 0; o < 6; ++o)
      for (int p = 0; p < height; ++p)
        for (int q = 0; q < width; ++q) {
          double sum = 0;
          for (int c = 0; c < 2; ++c)
            for (int i = 0; i < 3; ++i)
              for (int j = 0; j < 2; ++j) {
                const int row = 2 * p - 1 + i, column = q + 2 * j, channel = o / 3 * 2 + c;
                if (row < 0 || row >= 7) continue;
                sum += run.inputs[0][((n * 4 + channel) * 7 + row) * 9 + column] *
                       run.inputs[1][((o * 2 + c) * 3 + i) * 2 + j];
              }
          ASSERT_EQ(run.outputs[0][at], sum) << "element " << at;
          ++at;
        }
}

// x [1,4,5], w [4,3,4] in two groups, stride 3, padding 2, output padding 1: every product is added where it lands.
TEST(Convolution, TransposedAddsWhereProductsLand) {
  const Ran run =
      ran("def f(x: f64[1,4,5], w: f64[4,3,4]): "
          "y = aten.conv_transpose1d(x, w, None, [3], [2], [1], 2, [2]); return y");
  const int length = (5 - 1) * 3 - 4 + 2 * 3 + 1 + 1;
  std::vector<double> expected(6 * length, 0);
  for (int c = 0; c < 4; ++c)
    for (int i = 0; i < 5; ++i)
      for (int o = 0; o < 3; ++o)
        for (int t = 0; t < 4; ++t) {
          const int place = 3 * i - 2 + 2 * t;
          if (place >= 0 && place < length)
            expected[(c / 2 * 3 + o) * length + place] += run.inputs[0][c * 5 + i] * run.inputs[1][(c * 3 + o) * 4 + t];
        }
  EXPECT_EQ(run.outputs[0], expected);
}

TEST(Fold, AddsColumnsWhereTheyCameFrom) {
  std::vector<double> expected(6 * 7, 0);  // 3 taps by 2; (6 + 2 - 2 - 1) / 3 + 1 = 2 rows of 5 positions
  const Ran run = ran("def f(x: f64[6,10]): y = aten.col2im(x, [6, 7], [3, 2], [1, 2], [1, 0], [3, 1]); return y");
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j)
      for (int p = 0; p < 2; ++p)
        for (int q = 0; q < 5; ++q) {
          const int row = 3 * p - 1 + i, column = q + 2 * j;
          if (row >= 0 && row < 6) expected[row * 7 + column] += run.inputs[0][((i * 2 + j) * 2 + p) * 5 + q];
        }
  EXPECT_EQ(run.outputs[0], expected);
}

KernelProgram fused(const std::string& text) { return fuse(decompose(segment_of(text)), {}); }

// Position and tap meet in one coordinate, the border is the load's fill, and nothing else is stored.
TEST(Window, PoolingIsOneKernel) {
  const KernelProgram program =
      fused("def f(x: f16[3,8,9]): y = aten.max_pool2d(x, [3, 2], [2, 2], [1, 1], [2, 1]); return y");
  ASSERT_EQ(program.kernels.size(), 1U);
  const Kernel& kernel = program.kernels[0];
  EXPECT_EQ(kernel.extents, (std::vector<int64_t>{3, 3, 5, 3, 2}));
  ASSERT_EQ(kernel.nodes[1].kind, ScalarNode::Kind::load);
  EXPECT_EQ(kernel.nodes[1].access.coordinates[1].affine, (Affine{-1, {Term{1, 2, 1, 0}, Term{3, 2, 1, 0}}}));
  EXPECT_EQ(kernel.nodes[1].operands.size(), 1U);
}

TEST(Window, UnsupportedFormsAreRefusedByName) {
  const auto reason = [](const std::string& text) -> std::string {
    try {
      decompose(segment_of("def f(" + text));
    } catch (const Rejected& rejected) {
      return rejected.what();
    }
    return "taken";
  };
  EXPECT_EQ(reason("x: f32[1,2,6,5], g: f32[1,4,3,2]): y = aten.grid_sampler_2d(x, g, 3, 0, False); return y"),
            "aten.grid_sampler_2d.default: a mode that does not exist");
  EXPECT_EQ(reason("x: u8[1,2,6,5]): y = aten.upsample_bilinear2d(x, [3, 3], False); return y"),
            "aten.upsample_bilinear2d.default: the interpolation of integers, which eager rounds to integer weights");
  EXPECT_EQ(reason("x: f32[2,3,5]): y = aten.reflection_pad1d(x, [5, 0]); return y"),
            "aten.reflection_pad1d.default: more padding than the tensor can give");
  EXPECT_EQ(reason("x: f32[2,3,5]): y = aten.max_pool1d(x, [2], [1], [2]); return y"),
            "aten.max_pool1d.default: padding of more than half the kernel");
  EXPECT_EQ(reason("x: f32[2,3,5], w: f32[4,3,7]): y = aten.conv1d(x, w); return y"),
            "aten.conv1d.default: the kernel is larger than the padded input");
  EXPECT_EQ(reason("x: f32[2,3,5], w: f32[4,2,3]): y = aten.conv1d(x, w); return y"),
            "aten.conv1d.default: channels do not fit groups");
}

}  // namespace
}  // namespace faultline
