// Spyre's layouts, division of work and cost formulas against rows worked from the public rules
// (docs/sources.md, Spyre).
#include <gtest/gtest.h>

#include <cmath>

#include "runtime/layers/layout/assign_layouts.h"
#include "runtime/layers/tile/tile.h"
#include "runtime/targets/spyre/cost_model.h"
#include "runtime/targets/spyre/layout_policy.h"
#include "runtime/targets/spyre/tile_policy.h"
#include "tests/layout_samples.h"

namespace faultline::spyre {
namespace {

const SpyreLayoutPolicy& layouts() {
  static const SpyreLayoutPolicy policy(stick_storage());
  return policy;
}
std::string default_text(DType dtype, Sizes sizes) {
  return to_text(layouts().default_layout({"x", dtype, std::move(sizes), BufferRole::input, -1}));
}

TEST(SpyreLayout, Defaults) {
  EXPECT_EQ(default_text(DType::f16, {65}), "{0,64,2}{0,1,64} x2B undefined");
  EXPECT_EQ(default_text(DType::f16, {5, 100, 150}), "{1,1,100}{2,64,3}{0,1,5}{2,1,64} x2B undefined");
  EXPECT_EQ(default_text(DType::f16, {100, 150}), "{1,64,3}{0,1,100}{1,1,64} x2B undefined");
  EXPECT_EQ(default_text(DType::f16, {2, 3, 5, 70}), "{1,1,3}{2,1,5}{3,64,2}{0,1,2}{3,1,64} x2B undefined");
  EXPECT_EQ(default_text(DType::f32, {65}), "{0,32,3}{0,1,32} x4B undefined");
  EXPECT_EQ(default_text(DType::i64, {65}), "{0,32,3}{0,1,32} x4B undefined");
  EXPECT_EQ(default_text(DType::boolean, {65}), "{0,64,2}{0,1,64} x2B undefined");
  EXPECT_EQ(default_text(DType::i8, {129}), "{0,128,2}{0,1,128} x1B undefined");
  // fp16 (1024,256): extents (4,1024,64), device strides (65536,64,1).
  const DeviceLayout wide = layouts().default_layout({"x", DType::f16, {1024, 256}, BufferRole::input, -1});
  EXPECT_EQ(to_text(wide), "{1,64,4}{0,1,1024}{1,1,64} x2B undefined");
  EXPECT_EQ(wide.strides(), (std::vector<int64_t>{65536, 64, 1}));
}

TEST(SpyreLayout, Sparse) {
  EXPECT_EQ(to_text(stick_layout({512, 256}, {0, 1, kSyntheticDim}, 2)),
            "{1,1,256}{-1,1,1}{0,1,512}{-1,1,64} x2B undefined");
  EXPECT_EQ(to_text(layouts().sparse_layout({"x", DType::f16, {5}, BufferRole::intermediate, -1})),
            "{0,1,5}{-1,1,64} x2B undefined");
}

// Dims of size 1 come first, outside, and the rest is as without them.
TEST(SpyreLayout, SizeOneDims) {
  EXPECT_EQ(default_text(DType::f16, {1, 65}), "{0,1,1}{1,64,2}{1,1,64} x2B undefined");
  EXPECT_EQ(default_text(DType::f16, {65, 1}), "{1,1,1}{0,64,2}{0,1,64} x2B undefined");
  EXPECT_EQ(default_text(DType::f16, {5, 1, 100, 150}), "{1,1,1}{2,1,100}{3,64,3}{0,1,5}{3,1,64} x2B undefined");
  EXPECT_EQ(default_text(DType::f16, {1, 1}), "{0,1,1}{1,64,1}{1,1,64} x2B undefined");
}

TEST(SpyreLayout, MatmulOperands) {
  // A along K, B and C along N; b stored as [n, k] is turned by a relayout.
  const LayoutProgram plain = assign_layouts(matmul_sample(100, 67, 150, false), layouts());
  ASSERT_EQ(plain.kernels.size(), 1u);
  EXPECT_EQ(plain.kernels[0].lane_dim, 1);
  EXPECT_EQ(plain.layouts[0].dims.back().host_dim, 1);
  const LayoutProgram turned = assign_layouts(matmul_sample(100, 67, 150, true), layouts());
  ASSERT_EQ(turned.kernels.size(), 2u);
  EXPECT_TRUE(turned.kernels[0].relayout);
  EXPECT_EQ(to_text(turned.layouts.back()), "{0,64,3}{1,1,67}{0,1,64} x2B undefined");
}

// A reduction over the sticks leaves one value a stick; one over another dim keeps the sticks.
TEST(SpyreLayout, Reductions) {
  const KernelProgram kernels = reduction_sample(5, 65);
  const LayoutProgram layout = assign_layouts(kernels, layouts());
  EXPECT_EQ(to_text(layout.layouts[buffer_named(kernels, "m")]), "{0,1,5}{-1,1,64} x2B undefined");
  EXPECT_EQ(to_text(layout.layouts[buffer_named(kernels, "c")]), "{0,64,2}{0,1,64} x2B undefined");
  EXPECT_EQ(layout.kernels.size(), kernels.kernels.size());
}

TEST(SpyreLayout, Refusals) {
  try {
    assign_layouts(parse_kernel_program(R"(kernels doubles:
  input x: f64[5]
  output y: f64[5]
  takes x
  k0 movement (i0 < 5):
    %0: f64 = load x[i0]
    y = %0
  return y
)"),
                   layouts());
    FAIL();
  } catch (const Rejected& rejected) {
    EXPECT_EQ(rejected.subject(), "f64");
  }
  try {
    assign_layouts(parse_kernel_program(R"(kernels cross:
  input x: f32[40,50]
  input w: f32[50,40]
  output y: f32[40,50]
  takes x, w
  k0 pointwise (i0 < 40, i1 < 50):
    %0: f32 = load x[i0, i1]
    %1: f32 = load w[i1, i0]
    %2: f32 = add(%0, %1)
    y = %2
  return y
)"),
                   layouts());
    FAIL();
  } catch (const Rejected& rejected) {
    EXPECT_EQ(rejected.subject(), "f32");
    EXPECT_STREQ(rejected.what(), "Spyre backend does not support: restickify of f32 (w)");
  }
}

TEST(SpyreTile, Parameters) {
  EXPECT_EQ(kLxUsableBytes, 1625344);
  EXPECT_EQ(kSpanLimitBytes, 268431360);
  EXPECT_THROW(SpyreTilePolicy({0, false, false}), UserError);
  EXPECT_THROW(SpyreTilePolicy({33, false, false}), UserError);
}

std::vector<int64_t> splits(const KernelProgram& kernels, int cores, int kernel = 0) {
  return SpyreTilePolicy({cores, false, false}).core_splits(assign_layouts(kernels, layouts()), kernel);
}

TEST(SpyreTile, Greedy) {
  EXPECT_EQ(splits(clone_sample(65), 32), std::vector<int64_t>{2});
  EXPECT_EQ(splits(clone_sample(64), 32), std::vector<int64_t>{1});
  EXPECT_EQ(splits(clone_sample(65), 1), std::vector<int64_t>{1});
  // 100 rows and 3 sticks: the larger first, its largest divisor up to 32 is 25; no core is left for the sticks.
  EXPECT_EQ(splits(pointwise_sample(100, 150), 32), (std::vector<int64_t>{25, 1}));
  EXPECT_EQ(splits(pointwise_sample(4, 150), 32), (std::vector<int64_t>{4, 3}));
}

// [100,67] x [67,150]: N in {1,3}, M in divisors of 100, K masked and so not divided; 100 * 128 * 192 multiply-adds for
// 1,005,000.
TEST(SpyreTile, MatmulOfOddSizes) {
  const LayoutProgram layout = assign_layouts(matmul_sample(100, 67, 150, false), layouts());
  const std::vector<int64_t>& padded = layout.kernels[0].padded;
  EXPECT_EQ(padded[0] * padded[1] * padded[2], 2457600);
  for (int cores = 1; cores <= 32; ++cores) {
    const std::vector<int64_t> split = splits(matmul_sample(100, 67, 150, false), cores);
    EXPECT_EQ(100 % split[0], 0);
    EXPECT_TRUE(split[1] == 1 || split[1] == 3);
    EXPECT_EQ(split[2], 1);
    EXPECT_LE(split[0] * split[1], cores);
  }
}

TEST(SpyreTile, MatmulByCost) {
  EXPECT_EQ(splits(matmul_sample(512, 4096, 12800, false), 32), (std::vector<int64_t>{4, 8, 1}));
  // Two rows and one stick of columns leave cores for K only.
  const std::vector<int64_t> split = splits(matmul_sample(2, 256, 64, false), 32);
  EXPECT_EQ(split, (std::vector<int64_t>{2, 1, 4}));
}

// 2^14 x 2^14 f16 are 512 MiB. Rows lie within every column of sticks, so that only columns shorten the span: two parts
// of 256 MiB are still 4,096 bytes too many, the next even division is into four.
TEST(SpyreTile, SpanReduction) {
  const KernelProgram kernels = pointwise_sample(16384, 16384);
  EXPECT_EQ(splits(kernels, 4), (std::vector<int64_t>{1, 4}));
  EXPECT_EQ(splits(kernels, 32), (std::vector<int64_t>{8, 4}));
  const LayoutProgram layout = assign_layouts(kernels, layouts());
  const SpyreTilePolicy one({1, false, false});
  try {
    tile(layout, one);
    FAIL();
  } catch (const Rejected& rejected) {
    EXPECT_EQ(rejected.subject(), "span");
  }
  const SpyreTilePolicy all({32, false, false});
  EXPECT_EQ(text_of(verify_tile(tile(layout, all), all)), "");
}

TEST(SpyreCost, SplitOfTheWorkedMatmul) {
  const SplitCost cost = split_cost({512, 4096, 12800, 2, true}, {4, 8, 1});
  EXPECT_NEAR(cost.compute, 546.1, 0.05);
  EXPECT_NEAR(cost.memory, 596.5, 0.05);
  EXPECT_NEAR(cost.penalties, 20 + 41.1, 0.05);
  EXPECT_NEAR(cost.total(), 1203.7, 0.05);
}

TEST(SpyreCost, Kernel) {
  EXPECT_NEAR(kernel_time(16780000, 16780000, 0, 32, 0), 320e3, 500);
  // 73 TF/s sustained on all cores, rows enough: 2 * 2^30 operations.
  EXPECT_NEAR(kernel_time(0, 0, int64_t{1} << 30, 32, 64), std::ldexp(1.0, 31) / 72.96e3, 1);
}

}  // namespace
}  // namespace faultline::spyre
