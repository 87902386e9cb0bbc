// Work division and scratch memory of Spyre (docs/sources.md, Spyre: work division and cost): span reduction, then the
// matmul cost model or the greedy division; even divisors only, whole sticks along the stick dims.
#pragma once

#include "runtime/layers/tile/tile_policy.h"

namespace faultline::spyre {

struct TileOptions {
  int cores = 32;  // SENCORES, 1 to 32
  bool residency = true;
  bool double_buffer = false;
};

// Of an LX of 2 MiB the last 64 KiB and a fifth of the rest belong to the backend.
inline constexpr int64_t kLxAlignment = 128;
inline constexpr int64_t kLxUsableBytes =
    (static_cast<int64_t>(((2 << 20) - (64 << 10)) * 0.8) + kLxAlignment - 1) / kLxAlignment * kLxAlignment;
// 65,535 pages of 4,096 bytes, per core and tensor.
inline constexpr int64_t kSpanLimitBytes = 65535 * int64_t{4096};

class SpyreTilePolicy final : public TilePolicy {
 public:
  // Throws UserError for a number of cores the machine does not have.
  explicit SpyreTilePolicy(const TileOptions& options);

  int cores() const override { return options_.cores; }
  int64_t scratch_bytes() const override { return kLxUsableBytes; }
  int64_t scratch_alignment() const override { return kLxAlignment; }
  int64_t span_limit() const override { return kSpanLimitBytes; }
  bool residency() const override { return options_.residency; }
  bool double_buffer() const override { return options_.double_buffer; }
  std::vector<int64_t> core_splits(const LayoutProgram& program, int kernel) const override;

 private:
  TileOptions options_;
};

}  // namespace faultline::spyre
