// The two cost formulas evaluated as published: a score for a split of a matmul, and the time of a kernel.
#include "runtime/targets/spyre/cost_model.h"

#include <algorithm>
#include <cmath>

namespace faultline::spyre {

namespace {

constexpr double kPeakMacsPerMicrosecond = 1.536e6;  // one core
constexpr double kPeakBytesPerMicrosecond = 204800;
constexpr double kSustainedMacsPerNanosecond = 1140;  // one core, fitted
constexpr double kBytesPerNanosecond = 150;           // one way, fitted
constexpr double kTurnaround = 0.00574;               // ns a byte of the lesser direction, fitted

double log2_floored(double ratio) { return ratio <= 1 ? 0 : std::log2(ratio); }

}  // namespace

SplitCost split_cost(const MatmulShape& shape, const MatmulSplit& split) {
  const double m = static_cast<double>(shape.m), n = static_cast<double>(shape.n), k = static_cast<double>(shape.k);
  const double split_m = static_cast<double>(split.m), split_n = static_cast<double>(split.n);
  const double cores = split_m * split_n * static_cast<double>(split.k);
  const double rows = m / split_m, columns = n / split_n;
  SplitCost cost;
  const double fill = std::min(1.0, std::pow(std::max(1.0, rows / 8) / 5, 0.25));
  cost.compute = m * n * k / cores / (kPeakMacsPerMicrosecond * fill);
  const double fan = shape.weight_shared ? std::max(split_m, split_n) : split_n;
  const double bytes = (m * k + k * n + m * n) * static_cast<double>(shape.element_bytes);
  cost.memory = bytes / kPeakBytesPerMicrosecond * std::max(1.0, std::pow(fan / 8, 0.75));
  cost.partial_sums = static_cast<double>(split.k - 1) * rows * columns * (shape.weight_shared ? 1e-3 : 1e-4);
  const double target = std::max(4.0, std::min(16.0, m / 32));
  cost.penalties = log2_floored(target / split_m) * 10 + log2_floored(16 / rows) * 30 +
                   log2_floored(columns / 512) * 25 + log2_floored(32 / cores) * 150;
  return cost;
}

double kernel_time(int64_t bytes_read, int64_t bytes_written, int64_t multiply_adds, int64_t cores,
                   int64_t m_per_core) {
  const double read = static_cast<double>(bytes_read), written = static_cast<double>(bytes_written);
  const double memory = (read + written) / kBytesPerNanosecond + kTurnaround * std::min(read, written);
  if (m_per_core == 0) return memory;
  const double efficiency = std::min(1.0, std::pow(static_cast<double>(m_per_core) / 64, 0.35));
  const double compute =
      static_cast<double>(multiply_adds) / static_cast<double>(cores) / (kSustainedMacsPerNanosecond * efficiency);
  return std::max(compute, memory);
}

}  // namespace faultline::spyre
