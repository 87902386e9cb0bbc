// The tile pass and its executor: tiles on cores with scratch memory give what dense arrays give, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/layers/tile/scratch_plan.h"
#include "tests/layout_random.h"
#include "tests/tile_trial.h"

namespace faultline {
namespace {

template <class D>
void expect_equal(const KernelProgram& kernels, const TileProgram& tiles) {
  const Outcome outcome = compare<D>(kernels, tiles);
  for (size_t b = 0; b < outcome.wrong.size(); ++b) {
    EXPECT_EQ(outcome.wrong[b], std::vector<int64_t>()) << kernels.buffers[b].name << "\n" << to_text(tiles);
  }
  EXPECT_EQ(outcome.events, std::vector<std::string>());
}

// True unless the program was refused for want of scratch.
template <class D>
bool check(const KernelProgram& kernels, const TilePolicy& policy) {
  SCOPED_TRACE(fmt::format("{} cores, scratch {}, residency {}, double buffer {}", policy.cores(),
                           policy.scratch_bytes(), policy.residency(), policy.double_buffer()));
  TileProgram tiles;
  try {
    tiles = tile(assign_layouts(kernels, layouts()), policy);
  } catch (const Rejected& rejected) {
    EXPECT_EQ(rejected.subject(), "capacity");
    return false;
  }
  EXPECT_EQ(text_of(verify_tile(tiles, policy)), "");
  expect_equal<D>(kernels, tiles);
  EXPECT_EQ(parse_tile_program(to_text(tiles)), tiles);
  return true;
}

TEST(TilePass, TilesEqualDenseArrays) {
  for (const auto& [name, kernels] : named_samples()) {
    SCOPED_TRACE(name);
    for (const int cores : {1, 2, 32}) {
      for (const bool residency : {false, true}) {
        EXPECT_TRUE(check<NativeDomain>(kernels, spyre::SpyreTilePolicy({cores, residency, false})));
      }
      EXPECT_TRUE(check<FingerprintDomain>(kernels, spyre::SpyreTilePolicy({cores, true, false})));
      EXPECT_TRUE(check<NativeDomain>(kernels, Trial({cores, true, true}, 40960)));
      check<NativeDomain>(kernels, Trial({cores, false, true}, 1024));
    }
    if (HasFailure()) break;
  }
}

TEST(TilePass, RandomKernels) {
  int refused = 0;
  for (uint64_t seed = 1000; seed < 1150; ++seed) {
    SCOPED_TRACE(seed);
    const KernelProgram kernels = RandomKernels(seed).take();
    PhiloxStream stream(seed, "tile options");
    static constexpr int kCores[] = {1, 2, 3, 8, 32};
    const spyre::TileOptions options{kCores[stream.below(5)], stream.below(2) == 1, stream.below(2) == 1};
    static constexpr int64_t kBytes[] = {2048, 8192, 65536, spyre::kLxUsableBytes};
    if (!check<FingerprintDomain>(kernels, Trial(options, kBytes[stream.below(4)]))) ++refused;
    if (HasFailure()) break;
  }
  EXPECT_LT(refused, 30);
}

// K in two sticks over two cores, which join their sums.
TEST(TilePass, SumsDividedOverCores) {
  const KernelProgram kernels = matmul_sample(3, 256, 65, false);
  Trial policy({4, false, false}, spyre::kLxUsableBytes);
  policy.splits = {1, 1, 4};
  const TileProgram tiles = tile(assign_layouts(kernels, layouts()), policy);
  ASSERT_EQ(tiles.kernels[0].reduction_core_loop, 0);
  EXPECT_EQ(tiles.kernels[0].loops[0], (Loop{2, 4, 64, LoopKind::core}));
  EXPECT_TRUE(check<FingerprintDomain>(kernels, policy));
  EXPECT_TRUE(check<NativeDomain>(kernels, policy));
  policy.splits = {1, 2, 2};
  EXPECT_TRUE(check<FingerprintDomain>(kernels, policy));
}

// 64 sticks of 128 bytes in and out on one core with 64 sticks of scratch: two tiles of 32 fill it, and with two
// buffers four tiles of 16.
TEST(TilePass, DoubleBuffersHalveTheTile) {
  for (const bool both : {false, true}) {
    const Trial policy({1, false, both}, 64 * 128);
    const TileProgram tiles = tile(assign_layouts(clone_sample(64 * 64), layouts()), policy);
    ASSERT_EQ(tiles.kernels.size(), 1u);
    EXPECT_EQ(tiles_of_core(tiles.kernels[0], 0).size(), both ? 4u : 2u);
    for (const OperandTile& operand : tiles.kernels[0].operands) {
      EXPECT_EQ(operand.buffers, both ? 2 : 1);
      EXPECT_EQ(operand.bytes, (both ? 16 : 32) * 128);
    }
    EXPECT_TRUE(check<NativeDomain>(clone_sample(64 * 64), policy));
  }
}

TEST(TilePass, CoresAndTiles) {
  TileKernel kernel;
  kernel.loops = {{0, 3, 10, LoopKind::core},      {1, 2, 64, LoopKind::core},  {0, 2, 5, LoopKind::sequential},
                  {2, 3, 4, LoopKind::sequential}, {0, 5, 1, LoopKind::vector}, {1, 1, 64, LoopKind::vector},
                  {1, 64, 1, LoopKind::vector},    {2, 4, 1, LoopKind::vector}};
  EXPECT_EQ(core_count(kernel), 6);
  const std::vector<LoopPoint> points = tiles_of_core(kernel, 5);
  ASSERT_EQ(points.size(), 6u);
  EXPECT_EQ(points[0], (LoopPoint{2, 1, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(points[4], (LoopPoint{2, 1, 1, 1, 0, 0, 0, 0}));
  for (const LoopPoint& point : points) EXPECT_EQ(core_of(kernel, point), 5);
  KernelLayout layout;
  layout.padded = {30, 128, 10};
  layout.valid = {30, 65, 10};
  EXPECT_EQ(tile_box(kernel, layout, points[5]), (Box{{25, 64, 8}, {30, 128, 10}}));
}

// A footprint is never less than what is touched: against enumeration, for the accesses of random kernels.
TEST(TilePass, FootprintsHoldWhatIsTouched) {
  int64_t boxes = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const LayoutProgram layout = assign_layouts(RandomKernels(seed).take(), layouts());
    PhiloxStream stream(seed, "boxes");
    for (const Kernel& kernel : layout.program.kernels) {
      Box box;
      for (const int64_t extent : kernel.extents) {
        const int64_t begin = stream.below(static_cast<uint32_t>(extent));
        box.begin.push_back(begin);
        box.end.push_back(std::min<int64_t>(extent, begin + 1 + stream.below(9)));
      }
      for (const ScalarNode& node : kernel.nodes) {
        if (node.kind != ScalarNode::Kind::load) continue;
        const DeviceLayout& device = layout.layouts[node.access.buffer];
        const Sizes& sizes = layout.program.buffers[node.access.buffer].sizes;
        const DeviceBox touched = footprint(node.access, device, sizes, box);
        std::vector<int64_t> index = box.begin, host(sizes.size());
        for (bool more = true; more;) {
          bool inside = true;
          for (size_t h = 0; h < sizes.size(); ++h) {
            host[h] = node.access.coordinates[h].affine.at(index);
            inside = inside && host[h] >= 0 && host[h] < sizes[h];
          }
          const std::vector<int64_t> at = device.coordinates(host);
          for (size_t j = 0; j < at.size() && inside; ++j) {
            ASSERT_GE(at[j], touched.begin[j]) << seed << " " << kernel.name;
            ASSERT_LT(at[j], touched.begin[j] + touched.extent[j]) << seed << " " << kernel.name;
          }
          size_t d = index.size();
          while (d > 0 && ++index[d - 1] == box.end[d - 1]) {
            index[d - 1] = box.begin[d - 1];
            --d;
          }
          more = d > 0;
        }
        ++boxes;
      }
    }
  }
  EXPECT_GT(boxes, 200);
}

TEST(TilePass, ResidencyKeepsEveryOtherBufferRight) {
  const KernelProgram kernels = pointwise_sample(64, 65);
  const TileProgram tiles = tile(assign_layouts(kernels, layouts()), spyre::SpyreTilePolicy({32, true, false}));
  ASSERT_EQ(tiles.residencies.size(), 1u);
  EXPECT_EQ(kernels.buffers[tiles.residencies[0].buffer].name, "t");
  EXPECT_EQ(residency_problem(tiles, buffer_named(kernels, "y")), "it is an input or an output");
  expect_equal<FingerprintDomain>(kernels, tiles);
}

TEST(TilePass, RefusedWhenNothingFits) {
  const LayoutProgram layout = assign_layouts(pointwise_sample(3, 65), layouts());
  try {
    tile(layout, Trial({1, false, false}, 256));
    FAIL();
  } catch (const Rejected& rejected) {
    EXPECT_EQ(rejected.subject(), "capacity");
    EXPECT_STREQ(rejected.what(), "the smallest tiles of kernel k0 take 384 bytes of scratch, there are 256");
  }
}

TEST(TilePass, DamagedTextIsRefused) {
  const std::string text =
      to_text(tile(assign_layouts(clone_sample(65), layouts()), spyre::SpyreTilePolicy({2, false, false})));
  const auto replaced = [&text](std::string_view from, std::string_view to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return changed;
  };
  for (const std::string& bad :
       {std::string(), replaced("tile clone", "tile clone65"), replaced("alignment 128", "alignment 0"),
        replaced("core 0", "core 1"), replaced("load 0", "load 1"), replaced("[1,64]", "[64]"),
        replaced("kernel k0_clone", "kernel k1"), replaced("of x", "of z"), replaced("loop vector", "loop vectors"),
        replaced("x 1\n", "x 0\n")}) {
    EXPECT_THROW(parse_tile_program(bad), UserError) << bad;
  }
}

}  // namespace
}  // namespace faultline
