// The vectorised part of the comparison: runs over packed elements as long as every element passes, and counts. What it
// cannot pass for certain it leaves to the judge (judge.h), block by block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace faultline {

// What the lanes read: packed elements of both operands in one of these forms, or doubles with a bound an element.
// widened: 8-bit floats as binary32.
enum class ScanForm : uint8_t { f32, f16, bf16, widened, f64, with_bounds };

// Elements are scanned by blocks of this many: a multiple of every vector length, and of what a counter holds.
inline constexpr size_t kScanBlock = 1792;
// Elements that a scan may read behind the last one; they must be 0 in both operands.
inline constexpr size_t kScanPadding = 64;

struct ScanInput {
  const void* actual;
  const void* reference;
  const double* bound = nullptr;  // with_bounds
};

// E = relative * |y| + ulps * ulp(|y|) + floor in the lanes' type, and where the lanes may say "passes".
struct ScanBound {
  double relative = 0, ulps = 0, floor = 0;    // not with_bounds
  int fraction_bits = 0;                       // ulp(y) = 2^(exponent(y) - fraction_bits)
  double lowest_power = 0, highest_power = 0;  // |y| counts as within these when an ulp is taken of it
  double least = 0;                            // below it, |y|, or a given bound, passes only where nothing differs
  double passes_to = 1;                        // r up to here passes for certain
};

inline constexpr int kCountedBins = 8;

struct ScanTotals {
  std::array<int64_t, kCountedBins> bins{};  // r in (2^(i-8), 2^(i-7)]
  int64_t below = 0, differing = 0;          // actual < reference; actual != reference
  double largest_ulps = 0;
};

// Scans whole blocks from `from` on and adds them to `totals`. Returns where it stopped: `end`, or the start of a block
// with an element that does not pass for certain or may have r >= notable.
size_t scan(ScanForm form, const ScanInput& input, const ScanBound& bound, double notable, size_t from, size_t end,
            ScanTotals& totals);
// One block looked at closely: the elements that do not pass for certain, by their distance from its first, the largest
// r of the others, and every r as the lanes have it.
struct ClosePicture {
  size_t doubtful = 0;
  double largest = 0;
  std::array<uint16_t, kScanBlock> places;
  alignas(64) std::array<std::byte, (kScanBlock + kScanPadding) * sizeof(double)> ratios;
};
void look_at(ScanForm form, const ScanInput& input, const ScanBound& bound, size_t from, size_t end,
             ClosePicture& picture);
// The first element from `place` on, of `elements` in the picture, with r >= ratio; `elements` if there is none.
size_t find_ratio(ScanForm form, const ClosePicture& picture, double ratio, size_t place, size_t elements);
// The length of a common prefix of two byte strings: `size`, or a multiple of 64 at most 64 short of the first
// difference.
size_t same_bytes(const std::byte* left, const std::byte* right, size_t size);

}  // namespace faultline
