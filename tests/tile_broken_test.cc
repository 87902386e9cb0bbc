// Every promise of the tile artefact broken by hand: the finding, and the elements that go wrong.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tile_trial.h"

namespace faultline {
namespace {

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
  EXPECT_EQ(findings(tiles), "gap | kernel 0 k0_clone, dim 0 | no tile holds [128,192) of 256\n");
  EXPECT_EQ(wrong(tiles, "y"), range(128, 192));
}

TEST_F(TileBroken, CoresShareAPart) {
  TileProgram tiles = make(clone_sample(256), 2);
  tiles.kernels[0].loops[0].step = 64;
  EXPECT_EQ(findings(tiles),
            "once | kernel 0 k0_clone, dim 0 | two tiles hold [64,128) of 256\n"
            "gap | kernel 0 k0_clone, dim 0 | tiles cover [0,192) of 256\n");
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
  EXPECT_NE(findings(tiles).find("once | kernel 0 k0_bmm, dim 3 | two tiles hold"), std::string::npos);
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
  EXPECT_EQ(findings(tiles), "joined | kernel 0 k0_bmm | the sum is joined over loop -1, and divided over loop 0\n");
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
  EXPECT_EQ(findings(tiles),
            "joined | kernel 0 k0_mm, dim 0 | 2 tiles a core, while loop 0 divides the sum over cores\n");
}

TEST_F(TileBroken, TilesThatBeginWithinAStick) {
  TileProgram tiles = make(clone_sample(256), 2);
  tiles.kernels[0].loops[0].step = 96;
  const std::string found = findings(tiles);
  EXPECT_NE(found.find("whole | kernel 0 k0_clone, dim 0 | core loop advances by 96 of sticks of 64\n"),
            std::string::npos)
      << found;
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
  EXPECT_NE(
      findings(tiles).find("alignment | kernel 0 k0_clone, store 0 of y | y begins at byte 258, no multiple of 128\n"),
      std::string::npos)
      << findings(tiles);
}

// The last stick of y's tile lies behind the guard zone of the scratch memory: what is written there is lost.
TEST_F(TileBroken, BeyondTheScratchMemory) {
  TileProgram tiles = make(clone_sample(192));
  tiles.kernels[0].operands[1].address = tiles.scratch_bytes - 128;
  EXPECT_EQ(findings(tiles), fmt::format("capacity | kernel 0 k0_clone, store 0 of y | y takes bytes [{},{}) of {}\n",
                                         tiles.scratch_bytes - 128, tiles.scratch_bytes + 256, tiles.scratch_bytes));
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
  EXPECT_NE(
      found.find(
          "footprint | kernel 0 k0, load 0 of x | core 0 touches 2 positions of device dim 1, the tile holds 1\n"),
      std::string::npos)
      << found;
  EXPECT_EQ(wrong(tiles, "t"), range(64, 128));
}

TEST_F(TileBroken, Span) {
  TileProgram tiles = make(pointwise_sample(64, 65));
  policy_->span = 4096;
  EXPECT_NE(findings(tiles).find("span | kernel 0 k0, load 0 of x | core 0 spans 16384 bytes, the limit is 4096\n"),
            std::string::npos)
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
  EXPECT_EQ(findings(tiles), "shares | resident d | k4_columns works on another part of it on core 0\n");
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
  EXPECT_NE(found.find("residency | resident t | k1 uses it, outside its life from kernel 0 to 0\n"), std::string::npos)
      << found;
  EXPECT_EQ(wrong(tiles, "y"), range(0, 128));
}

}  // namespace
}  // namespace faultline
