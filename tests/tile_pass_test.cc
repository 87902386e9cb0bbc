// The tile pass and its executor: tiles on cores with scratch memory give what dense arrays give, bit for bit; the divisions of
// spyre.md section 4; every promise of the artefact broken by hand, with the finding and the elements that go wrong.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/layers/fuse/execute.h"
#include "runtime/layers/layout/assign_layouts.h"
#include "runtime/layers/tile/run_tiles.h"
#include "runtime/layers/tile/tile.h"
#include "runtime/numerics/native_domain.h"
#include "runtime/targets/spyre/layout_policy.h"
#include "runtime/targets/spyre/tile_policy.h"
#include "tests/layout_samples.h"

namespace faultline {
namespace {

const spyre::SpyreLayoutPolicy& layouts() {
  static const spyre::SpyreLayoutPolicy policy(stick_storage());
  return policy;
}

std::string text_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += finding.promise + " | " + finding.place + " | " + finding.text + "\n";
  return text;
}

struct Outcome {
  std::vector<std::vector<int64_t>> wrong;  // by buffer of the kernel program; empty for a buffer that stayed in scratch
  std::vector<std::string> events;
};
Outcome compare(const KernelProgram& kernels, const TileProgram& tiles) {
  NativeDomain domain(stick_arithmetic());
  const DenseBuffers<NativeDomain> inputs = sample_inputs(kernels, domain, 3);
  const DenseBuffers<NativeDomain> want = run_kernels(kernels, domain, inputs);
  MemoryRun<NativeDomain> run = run_tiles(tiles, domain, inputs, 1);
  Outcome outcome;
  outcome.wrong.resize(want.size());
  for (size_t b = 0; b < want.size(); ++b) {
    for (size_t i = 0; i < run.buffers[b].size(); ++i) {
      if (want[b][i].integer != run.buffers[b][i].integer) outcome.wrong[b].push_back(static_cast<int64_t>(i));
    }
  }
  outcome.events = run.events;
  return outcome;
}

// Spyre's policy with a scratch memory of another size, so that small tensors need several tiles.
class SmallScratch final : public TilePolicy {
 public:
  SmallScratch(const spyre::TileOptions& options, int64_t bytes) : spyre_(options), bytes_(bytes) {}
  int cores() const override { return spyre_.cores(); }
  int64_t scratch_bytes() const override { return bytes_; }
  int64_t scratch_alignment() const override { return spyre_.scratch_alignment(); }
  int64_t span_limit() const override { return spyre_.span_limit(); }
  bool residency() const override { return spyre_.residency(); }
  bool double_buffer() const override { return spyre_.double_buffer(); }
  std::vector<int64_t> core_splits(const LayoutProgram& program, int kernel) const override {
    return spyre_.core_splits(program, kernel);
  }

 private:
  spyre::SpyreTilePolicy spyre_;
  int64_t bytes_;
};

std::vector<std::pair<std::string, KernelProgram>> samples() {
  std::vector<std::pair<std::string, KernelProgram>> samples;
  for (const int64_t n : {1, 5, 63, 64, 65, 127, 128, 129}) {
    samples.emplace_back(fmt::format("clone {}", n), clone_sample(n));
    samples.emplace_back(fmt::format("pointwise 3 x {}", n), pointwise_sample(3, n));
    samples.emplace_back(fmt::format("pointwise {} x 1", n), pointwise_sample(n, 1));
    samples.emplace_back(fmt::format("reductions 3 x {}", n), reduction_sample(3, n));
    samples.emplace_back(fmt::format("reductions {} x 5", n), reduction_sample(n, 5));
    samples.emplace_back(fmt::format("movement 4 x {}", n), movement_sample(4, n));
    samples.emplace_back(fmt::format("matmul 3 x {} x 65", n), matmul_sample(3, n, 65, false));
    samples.emplace_back(fmt::format("matmul {} x 65 x 1", n), matmul_sample(n, 65, 1, true));
  }
  samples.emplace_back("movement 72 x 91", movement_sample(72, 91));
  samples.emplace_back("matmul 7 x 67 x 150", matmul_sample(7, 67, 150, true));
  samples.emplace_back("matmul 2 x 256 x 64", matmul_sample(2, 256, 64, false));
  samples.emplace_back("bmm 3 x 5 x 67 x 9", batched_matmul_sample(3, 5, 67, 9));
  return samples;
}

void check_sample(const std::string& name, const KernelProgram& kernels, const TilePolicy& policy) {
  SCOPED_TRACE(fmt::format("{} on {} cores, scratch {}, residency {}, double buffer {}", name, policy.cores(), policy.scratch_bytes(),
                           policy.residency(), policy.double_buffer()));
  TileProgram tiles;
  try {
    tiles = tile(assign_layouts(kernels, layouts()), policy);
  } catch (const Rejected& rejected) {
    EXPECT_EQ(rejected.subject(), "capacity");
    EXPECT_LT(policy.scratch_bytes(), 8192) << rejected.what();
    return;
  }
  EXPECT_EQ(text_of(verify_tile(tiles, policy)), "");
  const Outcome outcome = compare(kernels, tiles);
  for (size_t b = 0; b < outcome.wrong.size(); ++b) {
    EXPECT_EQ(outcome.wrong[b], std::vector<int64_t>()) << kernels.buffers[b].name << "\n" << to_text(tiles);
  }
  EXPECT_EQ(outcome.events, std::vector<std::string>());
}

TEST(TilePass, TilesEqualDenseArrays) {
  for (const auto& [name, kernels] : samples()) {
    for (const int cores : {1, 2, 32}) {
      for (const bool residency : {false, true}) {
        check_sample(name, kernels, spyre::SpyreTilePolicy({cores, residency, false}));
        for (const int64_t bytes : {1024, 4096, 20480}) check_sample(name, kernels, SmallScratch({cores, residency, true}, bytes));
      }
    }
  }
}

}  // namespace
}  // namespace faultline
