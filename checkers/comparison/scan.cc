// Scanning of blocks with vectors, compiled once for every instruction set and chosen at run time (Highway).
//
// No division: |out - y| <= limit * E says that an element is nothing to stop for, and the difference of the two bit
// patterns is the exponent of r. Exponents are counted in fields of a lane, 4 bits of 32 or 8 bits of 64: an element
// adds 1 << (field * bin), and the fields are widened before they overflow. A NaN fails every comparison. No operation
// is fused or approximate, so that every instruction set gives the same bits.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "checkers/comparison/scan.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/cache_control.h>

#include "checkers/comparison/scan.h"

HWY_BEFORE_NAMESPACE();
namespace faultline {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#include "checkers/comparison/scan_operands.inc"

template <class D, class Load, class Bound>
struct Scanner {
  using T = hn::TFromD<D>;
  using DU = hn::RebindToUnsigned<D>;
  using DI = hn::RebindToSigned<D>;
  using TU = hn::TFromD<DU>;
  using TI = hn::TFromD<DI>;
  static constexpr bool kSingle = sizeof(T) == 4;
  static constexpr int kFraction = kSingle ? 23 : 52;
  static constexpr TU kUnit = TU{1} << kFraction;               // of the exponent, in the bits of a lane
  static constexpr TU kOne = (kSingle ? 127 : 1023) * kUnit;    // the bits of 1
  static constexpr int kField = kSingle ? 4 : 8;                // bits of a counter
  static constexpr int kShift = kFraction - (kSingle ? 2 : 3);  // makes kField times the exponent
  static constexpr size_t kGroup = kSingle ? 14 : 224;          // vectors that a counter takes
  static constexpr size_t kStretch = kSingle ? 16 : 1;          // groups until the counters' sums are widened

  // Of one block. largest_steps: |out - y| in powers of two at or below |y|, as bits without the exponent's bias.
  struct Counts {
    hn::Vec<DU> bins[kCountedBins];
    hn::Vec<DU> differing;
    size_t below;
    hn::Vec<DI> largest_steps;
    hn::Mask<D> passes;
  };

  D d;
  DU du;
  DI di;
  Bound bound;
  Lanes<D> lowest, highest, largest_finite;

  explicit Scanner(const ScanBound& given)
      : bound(d, given),
        lowest(hn::Set(d, static_cast<T>(given.lowest_power))),
        highest(hn::Set(d, static_cast<T>(given.highest_power))),
        largest_finite(hn::Set(d, hwy::HighestValue<T>())) {}

  HWY_INLINE Lanes<D> clamp(Lanes<D> power) const {
    const auto clamped = hn::Max(power, lowest);
    if constexpr (Bound::kGiven) return hn::Min(clamped, highest);
    return clamped;
  }

  // The counter of the highest bin, moved down by `amount`; 0 where that is negative or beyond the lane.
  HWY_INLINE hn::Vec<DU> counter_below(hn::Vec<DU> amount) const {
    constexpr TU kLast = kField * (kCountedBins - 1);
    const auto highest = hn::Set(du, TU{1} << kLast);
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
    return hn::Shr(highest, amount);  // as the instruction is defined
#else
    const auto within = hn::And(amount, hn::Set(du, kLast));
    return hn::IfThenElseZero(hn::Eq(within, amount), hn::Shr(highest, within));
#endif
  }

  // Counts one vector of each operand, whose elements are i .. i + lanes if their bounds are given.
  HWY_INLINE void count(const ScanInput& input, size_t i, Lanes<D> actual, Lanes<D> reference, Lanes<D> notable,
                        Counts& counts, hn::Vec<DU>& fields) const {
    const auto change = hn::Sub(actual, reference);
    const auto difference = hn::Abs(change);
    const auto magnitude = hn::Abs(reference);
    const auto power = hn::And(magnitude, hn::Inf(d));
    const auto clamped = clamp(power);
    const auto error = bound.of(d, input, i, magnitude, power, clamped);
    counts.passes = hn::And(counts.passes, hn::Le(difference, hn::Mul(notable, error)));
    if constexpr (Bound::kGiven) counts.passes = hn::And(counts.passes, hn::Le(error, largest_finite));

    // The exponent of 1 / r: the bits of two positive numbers differ as their logarithms do, up to the fraction.
    const auto bits = hn::BitCast(du, difference);
    const auto quotient = hn::Sub(hn::BitCast(du, error), bits);
    const auto amount = hn::And(hn::ShiftRight<kShift>(quotient), hn::Set(du, static_cast<TU>(~TU{kField - 1})));
    fields = hn::Add(fields, counter_below(amount));

    counts.below += hn::CountTrue(d, hn::Lt(actual, reference));
    counts.differing = hn::Add(counts.differing, hn::Min(bits, hn::Set(du, TU{1})));
    if constexpr (Bound::kGiven) {
      const auto inverse = hn::Sub(hn::Set(du, 2 * kOne), hn::BitCast(du, clamped));
      const auto steps = hn::BitCast(di, hn::Mul(difference, hn::BitCast(d, inverse)));
      counts.largest_steps = hn::Max(counts.largest_steps, hn::Sub(steps, hn::Set(di, static_cast<TI>(kOne))));
    } else {  // nothing that differs is subnormal here, and equal elements give less than half an ulp
      const auto steps = hn::Sub(hn::BitCast(di, difference), hn::BitCast(di, clamped));
      counts.largest_steps = hn::Max(counts.largest_steps, steps);
    }
  }

  // Bytes of `bytes` are counters of the bins first, first + step, ...
  HWY_INLINE void widen(hn::Vec<DU> bytes, int first, int step, Counts& counts) const {
    for (int i = first; i < kCountedBins; i += step) {
      counts.bins[i] = hn::Add(counts.bins[i], hn::And(bytes, hn::Set(du, TU{255})));
      bytes = hn::ShiftRight<8>(bytes);
    }
  }

  // Asks for what will be read some hundred cycles later: the processor itself fetches ahead within a page only.
  static HWY_INLINE void fetch(const void* data, size_t byte) {
    constexpr size_t kAhead = 2048;
    hwy::Prefetch(static_cast<const char*>(data) + byte + kAhead);
  }

  HWY_INLINE void count_block(const ScanInput& input, size_t from, size_t pairs, Lanes<D> notable,
                              Counts& counts) const {
    const size_t lanes = hn::Lanes(d);
    for (size_t pair = 0; pair < pairs;) {
      auto even = hn::Zero(du), odd = hn::Zero(du);
      for (size_t group = 0; group < kStretch && pair < pairs; ++group) {
        auto fields = hn::Zero(du);
        const size_t group_end = HWY_MIN(pair + kGroup / 2, pairs);
        for (; pair < group_end; ++pair) {
          const size_t i = from + 2 * pair * lanes;
          fetch(input.actual, Load::kBytes * i);
          fetch(input.reference, Load::kBytes * i);
          Lanes<D> actual[2], reference[2];
          Load::load_two(d, input.actual, i, actual[0], actual[1]);
          Load::load_two(d, input.reference, i, reference[0], reference[1]);
          count(input, i, actual[0], reference[0], notable, counts, fields);
          count(input, i + lanes, actual[1], reference[1], notable, counts, fields);
        }
        if constexpr (kSingle) {
          const auto nibbles = hn::Set(du, TU{0x0F0F0F0F});
          even = hn::Add(even, hn::And(fields, nibbles));
          odd = hn::Add(odd, hn::And(hn::ShiftRight<4>(fields), nibbles));
        } else {
          even = fields;
        }
      }
      widen(even, 0, kSingle ? 2 : 1, counts);
      if constexpr (kSingle) widen(odd, 1, 2, counts);
    }
  }

  HWY_INLINE void start(Counts& counts) const {
    for (auto& bin : counts.bins) bin = hn::Zero(du);
    counts.differing = hn::Zero(du);
    counts.below = 0;
    counts.largest_steps = hn::Set(di, -static_cast<TI>(kOne));
    counts.passes = hn::Eq(hn::Zero(d), hn::Zero(d));
  }

  HWY_INLINE int64_t sum(hn::Vec<DU> counts) const {
    return static_cast<int64_t>(hn::GetLane(hn::SumOfLanes(du, counts)));
  }

  size_t scan(const ScanInput& input, const ScanBound& given, double notable_ratio, size_t from, size_t end,
              ScanTotals& totals) const {
    const size_t pair = 2 * hn::Lanes(d);
    const auto notable = hn::Set(d, static_cast<T>(notable_ratio));
    Counts sums, counts;
    start(sums);
    while (from < end) {
      const size_t elements = HWY_MIN(kScanBlock, end - from);
      start(counts);
      count_block(input, from, (elements + pair - 1) / pair, notable, counts);
      if (!hn::AllTrue(d, counts.passes)) break;
      for (int i = 0; i < kCountedBins; ++i) sums.bins[i] = hn::Add(sums.bins[i], counts.bins[i]);
      sums.below += counts.below;
      sums.differing = hn::Add(sums.differing, counts.differing);
      sums.largest_steps = hn::Max(sums.largest_steps, counts.largest_steps);
      from += elements;
    }
    for (int i = 0; i < kCountedBins; ++i) totals.bins[static_cast<size_t>(i)] += sum(sums.bins[i]);
    totals.below += static_cast<int64_t>(sums.below);
    const int64_t differing = sum(sums.differing);
    totals.differing += differing;
    const auto steps = hn::Add(hn::MaxOfLanes(di, sums.largest_steps), hn::Set(di, static_cast<TI>(kOne)));
    const double ulps = hn::GetLane(hn::BitCast(d, steps)) * static_cast<double>(uint64_t{1} << given.fraction_bits);
    if (differing > 0) totals.largest_ulps = HWY_MAX(totals.largest_ulps, ulps);
    return HWY_MIN(from, end);
  }

  HWY_INLINE Lanes<D> ratio(const ScanInput& input, size_t i) const {
    const auto reference = Load::load(d, input.reference, i);
    const auto difference = hn::Abs(hn::Sub(Load::load(d, input.actual, i), reference));
    const auto magnitude = hn::Abs(reference);
    const auto power = hn::And(magnitude, hn::Inf(d));
    const auto error = bound.of(d, input, i, magnitude, power, clamp(power));
    // Not by "differs": whether that holds for a NaN depends on the instruction set.
    const auto equal = hn::Eq(difference, hn::Zero(d));
    const auto ratio = hn::IfThenZeroElse(equal, hn::Abs(hn::Div(difference, error)));
    if constexpr (!Bound::kGiven) return ratio;
    const auto is_bound = hn::And(hn::Ge(error, hn::Zero(d)), hn::Le(error, largest_finite));
    return hn::IfThenElse(is_bound, ratio, hn::NaN(d));
  }

  void look(const ScanInput& input, const ScanBound& given, size_t from, size_t end, ClosePicture& picture) const {
    const auto passes_to = hn::Set(d, static_cast<T>(given.passes_to));
    auto* ratios = reinterpret_cast<T*>(picture.ratios.data());
    auto largest = hn::Zero(d);
    picture.doubtful = 0;
    for (size_t i = from; i < end; i += hn::Lanes(d)) {
      const auto ratio = this->ratio(input, i);
      hn::StoreU(ratio, d, ratios + (i - from));
      const auto passes = hn::Le(ratio, passes_to);
      largest = hn::Max(largest, hn::IfThenElseZero(passes, ratio));
      if (hn::AllTrue(d, passes)) continue;
      uint8_t bits[8] = {};
      hn::StoreMaskBits(d, passes, bits);
      for (size_t lane = 0; lane < hn::Lanes(d) && i + lane < end; ++lane)
        if ((bits[lane / 8] >> lane % 8 & 1) == 0)
          picture.places[picture.doubtful++] = static_cast<uint16_t>(i + lane - from);
    }
    picture.largest = hn::GetLane(hn::MaxOfLanes(d, largest));
  }
};

template <class Load, class Bound>
using FullScanner = Scanner<hn::ScalableTag<typename Load::Lane>, Load, Bound>;

// Calls work(scanner) with the scanner of a form.
template <class Work>
HWY_INLINE auto with_scanner(ScanForm form, const ScanBound& bound, const Work& work) {
  using Single = hn::ScalableTag<float>;
  using Double = hn::ScalableTag<double>;
  switch (form) {
    case ScanForm::f32: return work(FullScanner<LoadF32, FunctionBound<Single, false>>(bound));
    case ScanForm::bf16: return work(FullScanner<LoadBF16, FunctionBound<Single, false>>(bound));
    case ScanForm::f16: return work(FullScanner<LoadF16, FunctionBound<Single, true>>(bound));
    case ScanForm::widened: return work(FullScanner<LoadF32, FunctionBound<Single, true>>(bound));
    case ScanForm::f64: return work(FullScanner<LoadF64, FunctionBound<Double, false>>(bound));
    case ScanForm::with_bounds: break;
  }
  return work(FullScanner<LoadF64, GivenBound<Double>>(bound));
}

struct ScanWork {
  const ScanInput& input;
  const ScanBound& bound;
  double notable;
  size_t from, end;
  ScanTotals& totals;
  template <class S>
  HWY_INLINE size_t operator()(const S& scanner) const {
    return scanner.scan(input, bound, notable, from, end, totals);
  }
};

struct LookWork {
  const ScanInput& input;
  const ScanBound& bound;
  size_t from, end;
  ClosePicture& picture;
  template <class S>
  HWY_INLINE void operator()(const S& scanner) const {
    scanner.look(input, bound, from, end, picture);
  }
};

size_t scan_here(ScanForm form, const ScanInput& input, const ScanBound& bound, double notable, size_t from, size_t end,
                 ScanTotals& totals) {
  return with_scanner(form, bound, ScanWork{input, bound, notable, from, end, totals});
}

void look_here(ScanForm form, const ScanInput& input, const ScanBound& bound, size_t from, size_t end,
               ClosePicture& picture) {
  with_scanner(form, bound, LookWork{input, bound, from, end, picture});
}

template <class T>
size_t find_lane(const ClosePicture& picture, double ratio, size_t place, size_t elements) {
  const hn::ScalableTag<T> d;
  const auto* ratios = reinterpret_cast<const T*>(picture.ratios.data());
  const auto wanted = hn::Set(d, static_cast<T>(ratio));
  for (; place < elements; place += hn::Lanes(d)) {
    const auto found = hn::FindFirstTrue(d, hn::Ge(hn::LoadU(d, ratios + place), wanted));
    if (found >= 0) return HWY_MIN(place + static_cast<size_t>(found), elements);
  }
  return elements;
}

size_t find_here(ScanForm form, const ClosePicture& picture, double ratio, size_t place, size_t elements) {
  const bool wide = form == ScanForm::f64 || form == ScanForm::with_bounds;
  return wide ? find_lane<double>(picture, ratio, place, elements) : find_lane<float>(picture, ratio, place, elements);
}

}  // namespace HWY_NAMESPACE
}  // namespace faultline
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace faultline {

HWY_EXPORT(scan_here);
HWY_EXPORT(look_here);
HWY_EXPORT(find_here);

size_t scan(ScanForm form, const ScanInput& input, const ScanBound& bound, double notable, size_t from, size_t end,
            ScanTotals& totals) {
  return HWY_DYNAMIC_DISPATCH(scan_here)(form, input, bound, notable, from, end, totals);
}

void look_at(ScanForm form, const ScanInput& input, const ScanBound& bound, size_t from, size_t end,
             ClosePicture& picture) {
  HWY_DYNAMIC_DISPATCH(look_here)(form, input, bound, from, end, picture);
}

size_t find_ratio(ScanForm form, const ClosePicture& picture, double ratio, size_t place, size_t elements) {
  return HWY_DYNAMIC_DISPATCH(find_here)(form, picture, ratio, place, elements);
}

}  // namespace faultline
#endif
