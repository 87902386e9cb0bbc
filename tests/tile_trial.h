// What the tests of tile share: Spyre's layouts, a tile policy with switches of its own, and the comparison of a tiled
// run with dense arrays.
#pragma once

#include "runtime/layers/layout/assign_layouts.h"
#include "runtime/layers/tile/run_tiles.h"
#include "runtime/layers/tile/tile.h"
#include "runtime/targets/spyre/layout_policy.h"
#include "runtime/targets/spyre/tile_policy.h"
#include "tests/layout_samples.h"

namespace faultline {

inline const spyre::SpyreLayoutPolicy& layouts() {
  static const spyre::SpyreLayoutPolicy policy(stick_storage());
  return policy;
}

struct Outcome {
  std::vector<std::vector<int64_t>>
      wrong;  // by buffer of the kernel program; empty for a buffer that stayed in scratch
  std::vector<std::string> events;
};
template <class D>
Outcome compare(const KernelProgram& kernels, const TileProgram& tiles) {
  D domain(stick_arithmetic());
  const DenseBuffers<D> inputs = sample_inputs(kernels, domain, 3);
  const MemoryRun<D> run = run_tiles(tiles, domain, inputs, 1);
  return {wrong_elements(kernels, domain, inputs, run.buffers), run.events};
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

}  // namespace faultline
