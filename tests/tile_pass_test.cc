// The tile pass and its executor: tiles on cores with scratch memory give what dense arrays give, bit for bit; every promise of the
// artefact broken by hand, with the finding and the elements that go wrong.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/layers/layout/assign_layouts.h"
#include "runtime/layers/tile/run_tiles.h"
#include "runtime/layers/tile/scratch_plan.h"
#include "runtime/layers/tile/tile.h"
#include "runtime/targets/spyre/layout_policy.h"
#include "runtime/targets/spyre/tile_policy.h"
#include "tests/layout_random.h"
#include "tests/layout_samples.h"

namespace faultline {
namespace {

const spyre::SpyreLayoutPolicy& layouts() {
  static const spyre::SpyreLayoutPolicy policy(stick_storage());
  return policy;
}

struct Outcome {
  std::vector<std::vector<int64_t>> wrong;  // by buffer of the kernel program; empty for a buffer that stayed in scratch
  std::vector<std::string> events;
};
template <class D>
Outcome compare(const KernelProgram& kernels, const TileProgram& tiles) {
  D domain(stick_arithmetic());
  const DenseBuffers<D> inputs = sample_inputs(kernels, domain, 3);
  const MemoryRun<D> run = run_tiles(tiles, domain, inputs, 1);
  return {wrong_elements(kernels, domain, inputs, run.buffers), run.events};
}

template <class D>
void expect_equal(const KernelProgram& kernels, const TileProgram& tiles) {
  const Outcome outcome = compare<D>(kernels, tiles);
  for (size_t b = 0; b < outcome.wrong.size(); ++b) {
    EXPECT_EQ(outcome.wrong[b], std::vector<int64_t>()) << kernels.buffers[b].name << "\n" << to_text(tiles);
  }
  EXPECT_EQ(outcome.events, std::vector<std::string>());
}

// Spyre's policy with another scratch memory, span or division, so that small tensors meet every case.
struct Trial final : TilePolicy {
  spyre::SpyreTilePolicy spyre;
  int64_t bytes, span = spyre::kSpanLimitBytes;
  std::vector<int64_t> splits;  // instead of Spyre's, where not empty

  Trial(const spyre::TileOptions& options, int64_t scratch) : spyre(options), bytes(scratch) {}
  int cores() const override { return spyre.cores(); }
  int64_t scratch_bytes() const override { return bytes; }
  int64_t scratch_alignment() const override { return spyre.scratch_alignment(); }
  int64_t span_limit() const override { return span; }
  bool residency() const override { return spyre.residency(); }
  bool double_buffer() const override { return spyre.double_buffer(); }
  std::vector<int64_t> core_splits(const LayoutProgram& program, int kernel) const override {
    return splits.empty() ? spyre.core_splits(program, kernel) : splits;
  }
};

// True unless the program was refused for want of scratch.
template <class D>
bool check(const KernelProgram& kernels, const TilePolicy& policy) {
  SCOPED_TRACE(fmt::format("{} cores, scratch {}, residency {}, double buffer {}", policy.cores(), policy.scratch_bytes(),
                           policy.residency(), policy.double_buffer()));
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

TEST(TilePass, CoresAndTiles) {
  TileKernel kernel;
  kernel.loops = {{0, 3, 10, LoopKind::core},       {1, 2, 64, LoopKind::core},  {0, 2, 5, LoopKind::sequential},
                  {2, 3, 4, LoopKind::sequential},  {0, 5, 1, LoopKind::vector}, {1, 1, 64, LoopKind::vector},
                  {1, 64, 1, LoopKind::vector},     {2, 4, 1, LoopKind::vector}};
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
  const std::string text = to_text(tile(assign_layouts(clone_sample(65), layouts()), spyre::SpyreTilePolicy({2, false, false})));
  const auto replaced = [&text](std::string_view from, std::string_view to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return changed;
  };
  for (const std::string& bad :
       {std::string(), replaced("tile clone", "tile clone65"), replaced("alignment 128", "alignment 0"), replaced("core 0", "core 1"),
        replaced("load 0", "load 1"), replaced("[1,64]", "[64]"), replaced("kernel k0_clone", "kernel k1"), replaced("of x", "of z"),
        replaced("loop vector", "loop vectors"), replaced("x 1\n", "x 0\n")}) {
    EXPECT_THROW(parse_tile_program(bad), UserError) << bad;
  }
}

class TileBroken : public ::testing::Test {
 protected:
  // One kernel on one core, unless said.
  TileProgram make(const KernelProgram& kernels, int cores = 1, bool residency = false) {
    kernels_ = kernels;
    policy_ = std::make_unique<Trial>(spyre::TileOptions{cores, residency, false}, spyre::kLxUsableBytes);
    return tile(assign_layouts(kernels, layouts()), *policy_);
  }
  std::string findings(const TileProgram& tiles) const { return text_of(verify_tile(tiles, *policy_)); }
  std::vector<int64_t> wrong(const TileProgram& tiles, std::string_view buffer) const {
    return compare<FingerprintDomain>(kernels_, tiles).wrong[buffer_named(kernels_, buffer)];
  }
  static std::vector<int64_t> range(int64_t begin, int64_t end) {
    std::vector<int64_t> values;
    for (int64_t i = begin; i < end; ++i) values.push_back(i);
    return values;
  }

  KernelProgram kernels_;
  std::unique_ptr<Trial> policy_;
};

TEST_F(TileBroken, FlooredTripLosesTheLastElement) {
  TileProgram tiles = make(clone_sample(65));
  ASSERT_EQ(tiles.kernels[0].loops[0], (Loop{0, 2, 64, LoopKind::vector}));
  tiles.kernels[0].loops[0].extent = 1;
  EXPECT_EQ(findings(tiles), "coverage | kernel 0 k0_clone, dim 0 | tiles cover [0,64) of 65\n");
  EXPECT_EQ(wrong(tiles, "y"), std::vector<int64_t>{64});
  FingerprintDomain domain(stick_arithmetic());
  const MemoryRun<FingerprintDomain> run = run_tiles(tiles, domain, sample_inputs(kernels_, domain, 3));
  EXPECT_TRUE(domain.is_poison(run.buffers[buffer_named(kernels_, "y")][64]));
}

// Fewer elements than a stick: the floored loop has no trip at all.
TEST_F(TileBroken, FlooredTripOfAShortTensor) {
  TileProgram tiles = make(clone_sample(5));
  tiles.kernels[0].loops[0].extent = 0;
  EXPECT_EQ(findings(tiles), "coverage | kernel 0 k0_clone, dim 0 | tiles cover [0,0) of 5\n");
  EXPECT_EQ(wrong(tiles, "y"), range(0, 5));
}

TEST_F(TileBroken, CoresLeaveAHole) {
  TileProgram tiles = make(clone_sample(256), 2);
  ASSERT_EQ(tiles.kernels[0].loops[0], (Loop{0, 2, 128, LoopKind::core}));
  tiles.kernels[0].loops[0].step = 192;
  EXPECT_EQ(findings(tiles), "coverage | kernel 0 k0_clone, dim 0 | no tile holds [128,192) of 256\n");
  EXPECT_EQ(wrong(tiles, "y"), range(128, 192));
}

TEST_F(TileBroken, CoresShareAPart) {
  TileProgram tiles = make(clone_sample(256), 2);
  tiles.kernels[0].loops[0].step = 64;
  EXPECT_EQ(findings(tiles),
            "coverage | kernel 0 k0_clone, dim 0 | two tiles hold [64,128) of 256\n"
            "coverage | kernel 0 k0_clone, dim 0 | tiles cover [0,192) of 256\n");
  EXPECT_EQ(wrong(tiles, "y"), range(192, 256));
}

// A term summed twice: the reduction's tiles overlap by one.
TEST_F(TileBroken, TermSummedTwice) {
  kernels_ = batched_matmul_sample(1, 2, 200, 64);
  policy_ = std::make_unique<Trial>(spyre::TileOptions{1, false, false}, 8192);
  TileProgram tiles = tile(assign_layouts(kernels_, layouts()), *policy_);
  const auto loop = std::find_if(tiles.kernels[0].loops.begin(), tiles.kernels[0].loops.end(),
                                 [](const Loop& each) { return each.kind == LoopKind::sequential && each.dim == 3; });
  ASSERT_NE(loop, tiles.kernels[0].loops.end());
  --loop->step;
  EXPECT_NE(findings(tiles).find("coverage | kernel 0 k0_bmm, dim 3 | two tiles hold"), std::string::npos);
  EXPECT_EQ(wrong(tiles, "out"), range(0, 2 * 64));
}

// The other cores' partial sums are left out.
TEST_F(TileBroken, SumsNotJoined) {
  kernels_ = batched_matmul_sample(1, 2, 128, 64);
  policy_ = std::make_unique<Trial>(spyre::TileOptions{2, false, false}, spyre::kLxUsableBytes);
  policy_->splits = {1, 1, 1, 2};
  TileProgram tiles = tile(assign_layouts(kernels_, layouts()), *policy_);
  EXPECT_EQ(findings(tiles), "");
  tiles.kernels[0].reduction_core_loop = -1;
  EXPECT_EQ(findings(tiles), "coverage | kernel 0 k0_bmm | the sum is joined over loop -1, and divided over loop 0\n");
  EXPECT_EQ(wrong(tiles, "out"), range(0, 2 * 64));
}

TEST_F(TileBroken, JoinedOverSeveralTiles) {
  kernels_ = matmul_sample(2, 128, 64, false);
  policy_ = std::make_unique<Trial>(spyre::TileOptions{2, false, false}, spyre::kLxUsableBytes);
  policy_->splits = {1, 1, 2};
  TileProgram tiles = tile(assign_layouts(kernels_, layouts()), *policy_);
  for (Loop& loop : tiles.kernels[0].loops) {
    if (loop.dim == 0) loop = {0, 2, 1, LoopKind::sequential};
  }
  EXPECT_EQ(findings(tiles), "joined | kernel 0 k0_mm, dim 0 | 2 tiles a core, while loop 0 divides the sum over cores\n");
}

TEST_F(TileBroken, TilesThatBeginWithinAStick) {
  TileProgram tiles = make(clone_sample(256), 2);
  tiles.kernels[0].loops[0].step = 96;
  const std::string found = findings(tiles);
  EXPECT_NE(found.find("whole | kernel 0 k0_clone, dim 0 | core loop advances by 96 of sticks of 64\n"), std::string::npos) << found;
}

TEST_F(TileBroken, OperandsShareScratch) {
  TileProgram tiles = make(pointwise_sample(1, 64));
  OperandTile& row = tiles.kernels[0].operands[1];
  ASSERT_EQ(row.node, 1);
  row.address = tiles.kernels[0].operands[0].address;
  EXPECT_NE(findings(tiles).find("overlap | kernel 0 k0 | x ["), std::string::npos) << findings(tiles);
  // x * row has become row * row, everywhere; y follows.
  EXPECT_EQ(wrong(tiles, "t"), range(0, 64));
  EXPECT_EQ(wrong(tiles, "y"), range(0, 64));
}

TEST_F(TileBroken, Misaligned) {
  TileProgram tiles = make(clone_sample(65));
  tiles.kernels[0].operands[1].address += 2;
  EXPECT_NE(findings(tiles).find("alignment | kernel 0 k0_clone, store 0 of y | y begins at byte 258, no multiple of 128\n"),
            std::string::npos)
      << findings(tiles);
}

// The last stick of y's tile lies behind the guard zone of the scratch memory: what is written there is lost.
TEST_F(TileBroken, BeyondTheScratchMemory) {
  TileProgram tiles = make(clone_sample(192));
  tiles.kernels[0].operands[1].address = tiles.scratch_bytes - 128;
  EXPECT_EQ(findings(tiles),
            fmt::format("capacity | kernel 0 k0_clone, store 0 of y | y takes bytes [{},{}) of {}\n", tiles.scratch_bytes - 128,
                        tiles.scratch_bytes + 256, tiles.scratch_bytes));
  EXPECT_EQ(wrong(tiles, "y"), range(128, 192));
}

// The tile of x is planned one row too small: its second row of sticks is overwritten by what comes next in scratch.
TEST_F(TileBroken, TileSmallerThanWhatItHolds) {
  TileProgram tiles = make(pointwise_sample(2, 64));
  OperandTile& x = tiles.kernels[0].operands[0];
  ASSERT_EQ(x.extents, (std::vector<int64_t>{1, 2, 64}));
  x.extents = {1, 1, 64};
  x.bytes = 128;
  OperandTile& row = tiles.kernels[0].operands[1];
  row.address = x.address + 128;
  const std::string found = findings(tiles);
  EXPECT_NE(found.find("footprint | kernel 0 k0, load 0 of x | core 0 touches 2 positions of device dim 1, the tile holds 1\n"),
            std::string::npos)
      << found;
  EXPECT_EQ(wrong(tiles, "t"), range(64, 128));
}

TEST_F(TileBroken, Span) {
  TileProgram tiles = make(pointwise_sample(64, 65));
  policy_->span = 4096;
  EXPECT_NE(findings(tiles).find("span | kernel 0 k0, load 0 of x | core 0 spans 16384 bytes, the limit is 4096\n"), std::string::npos)
      << findings(tiles);
  EXPECT_THROW(tile(tiles.layout, *policy_), Rejected);
}

// d stays in scratch although the sum of its columns works on columns where the cores hold rows.
TEST_F(TileBroken, ResidentWhereTheNextKernelWorksOnAnotherPart) {
  TileProgram tiles = make(reduction_sample(32, 128), 2);
  const int d = buffer_named(kernels_, "d");
  Residency residency;
  residency.buffer = d;
  residency.first = 1;
  residency.last = 5;
  for (TileKernel& kernel : tiles.kernels) {
    for (OperandTile& operand : kernel.operands) {
      if (operand.buffer != d) continue;
      residency.bytes = std::max(residency.bytes, operand.bytes);
      operand.address = residency.address = 65536;
    }
  }
  tiles.residencies.push_back(residency);
  EXPECT_EQ(findings(tiles), "residency | resident d | k4_columns works on another part of it on core 0\n");
  EXPECT_EQ(wrong(tiles, "c"), range(0, 128));
  EXPECT_EQ(wrong(tiles, "s"), std::vector<int64_t>());
}

TEST_F(TileBroken, ResidentAtAnotherAddress) {
  TileProgram tiles = make(pointwise_sample(2, 64), 1, true);
  ASSERT_EQ(tiles.residencies.size(), 1u);
  tiles.residencies[0].last = 0;
  for (OperandTile& operand : tiles.kernels[1].operands) {
    if (operand.buffer == tiles.residencies[0].buffer) operand.address += 4096;
  }
  const std::string found = findings(tiles);
  EXPECT_NE(found.find("residency | resident t | k1 uses it, outside its life from kernel 0 to 0\n"), std::string::npos) << found;
  EXPECT_EQ(wrong(tiles, "y"), range(0, 128));
}

}  // namespace
}  // namespace faultline
