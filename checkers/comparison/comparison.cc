// The pass: blocks of elements through the scan, and what it leaves to the judge.
#include "checkers/comparison/comparison.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>

#include "checkers/comparison/judge.h"
#include "checkers/comparison/scan.h"
#include "checkers/comparison/scan_limits.h"
#include "checkers/comparison/walk.h"
#include "checkers/comparison/widen.h"
#include "runtime/base/error.h"
#include "runtime/base/parallel.h"
#include "runtime/ir/tensor_bits.h"
#include "runtime/numerics/rounding.h"

namespace faultline {

namespace {

constexpr int64_t kBlock = kScanBlock;
constexpr int64_t kThreadedFrom = int64_t{1} << 20;  // elements from which threads pay

// One block's elements, packed: the two tensors, or a tensor with the reference's numbers, bounds and reasons.
struct Block {
  Walk::Pointers raw;
  const Walk& walk;
  int64_t ordinal;  // of the first element

  uint64_t bits(size_t operand, int64_t i, int64_t bytes) const {
    uint64_t bits = 0;
    std::memcpy(&bits, raw[operand] + i * bytes, static_cast<size_t>(bytes));
    return bits;
  }
  template <class T>
  T value(size_t operand, int64_t i) const {
    T value;
    std::memcpy(&value, raw[operand] + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    return value;
  }
};

double number_of_bits(DType dtype, uint64_t bits) {
  return is_float(dtype) ? decode_quick(host_format(dtype), bits) : static_cast<double>(host_integer(dtype, bits));
}

// A comparison of two tensors, or a part of it on one thread.
class Pass {
 public:
  Pass(const JudgeRules& rules, const ScanLimits& limits, bool has_reasons, Tally& tally)
      : rules_(rules), limits_(limits), bytes_(byte_size(rules.dtype)), has_reasons_(has_reasons), tally_(tally) {}

  // Elements from `ordinal` to `end` of a walk.
  void run(const Walk& walk, int64_t ordinal, int64_t end);

 private:
  static constexpr size_t kBuffer = (kScanBlock + kScanPadding) * sizeof(double);
  struct alignas(64) Buffer {
    std::byte bytes[kBuffer];
  };

  void gather(Block& block, int64_t elements);
  void process(const Block& block, int64_t elements);
  void process_bits(const Block& block, int64_t elements);
  ScanInput lanes(const Block& block, int64_t elements);
  void scan_all(const Block& block, const ScanInput& input, int64_t elements);
  int64_t scan_until(const ScanInput& input, int64_t from, int64_t to, double notable);
  void look_closely(const Block& block, const ScanInput& input, int64_t from, int64_t to);
  void scan_others(const ScanInput& input, int64_t from, int64_t elements);
  void note_record(const Block& block, int64_t from, int64_t to);
  Judged judge(const Block& block, int64_t i) const;
  void judge_all(const Block& block, int64_t from, int64_t to);
  void spoil_unscannable(const Block& block, int64_t elements);
  double notable(const Block& block, int64_t from, int64_t to) const;

  const JudgeRules& rules_;
  const ScanLimits& limits_;
  int64_t bytes_;
  bool has_reasons_;
  Tally& tally_;
  bool started_ = false;
  Buffer gathered_[kOperandsMax];  // elements that do not lie packed
  Buffer widened_[2];              // as the lanes read them, where that is not as they are
  Buffer others_[3];               // a block without its doubtful elements
  ClosePicture picture_;
};

void Pass::run(const Walk& walk, int64_t ordinal, int64_t end) {
  const bool direct = !limits_.widens && !rules_.sign_of_zero && rules_.mode != JudgeRules::Mode::given;
  while (ordinal < end) {
    Block block{{}, walk, ordinal};
    const int64_t packed = direct ? std::min(walk.packed(ordinal, block.raw), end - ordinal) : 0;
    int64_t elements = packed / kBlock * kBlock;
    if (elements == 0) {
      elements = std::min(kBlock, end - ordinal);
      gather(block, elements);
    }
    process(block, elements);
    ordinal += elements;
  }
}

// A whole block where it lies, or into buffers; with zeros behind.
void Pass::gather(Block& block, int64_t elements) {
  const auto bytes = static_cast<size_t>(bytes_);
  const size_t widths[kOperandsMax] = {bytes, rules_.mode == JudgeRules::Mode::given ? sizeof(double) : bytes,
                                       sizeof(double), sizeof(uint32_t)};
  Walk::Buffers buffers{};
  for (size_t k = 0; k < kOperandsMax; ++k) buffers[k] = gathered_[k].bytes;
  block.raw = block.walk.gather(block.ordinal, elements, buffers, elements == kBlock);
  for (size_t k = 0; k < kOperandsMax && elements < kBlock; ++k)
    std::memset(buffers[k] + static_cast<size_t>(elements) * widths[k], 0, kScanPadding * widths[k]);
}

void Pass::process(const Block& block, int64_t elements) {
  if (rules_.mode == JudgeRules::Mode::bits) return process_bits(block, elements);
  if (!limits_.usable) return judge_all(block, 0, elements);
  const ScanInput input = lanes(block, elements);
  scan_all(block, input, elements);
}

void Pass::process_bits(const Block& block, int64_t elements) {
  for (int64_t from = 0; from < elements;) {
    const size_t same = same_bytes(block.raw[0] + from * bytes_, block.raw[1] + from * bytes_,
                                   static_cast<size_t>((elements - from) * bytes_));
    const int64_t equal = static_cast<int64_t>(same) / bytes_;
    tally_.add_equal(equal);
    from += equal;
    const int64_t to = std::min(elements, from + kBlock);
    judge_all(block, from, to);
    from = to;
  }
}

static bool any_reason(const Block& block, int64_t elements) {
  uint32_t all = 0;
  for (int64_t i = 0; i < elements; ++i) all |= block.value<uint32_t>(3, i);
  return all != 0;
}

// The operands as the scan reads them.
ScanInput Pass::lanes(const Block& block, int64_t elements) {
  ScanInput input{block.raw[0], block.raw[1]};
  if (rules_.mode == JudgeRules::Mode::given) {
    widen_to_doubles(rules_.dtype, block.raw[0], elements, widened_[0].bytes);
    input = {widened_[0].bytes, block.raw[1], reinterpret_cast<const double*>(block.raw[2])};
  } else if (limits_.widens) {
    widen_to_floats(rules_.dtype, block.raw[0], elements, widened_[0].bytes);
    widen_to_floats(rules_.dtype, block.raw[1], elements, widened_[1].bytes);
    input = {widened_[0].bytes, widened_[1].bytes};
  } else if (rules_.sign_of_zero) {
    std::memcpy(widened_[0].bytes, block.raw[0], static_cast<size_t>(elements * bytes_));
    input.actual = widened_[0].bytes;
  }
  if (input.actual != widened_[0].bytes) return input;
  for (Buffer& buffer : widened_)
    std::memset(buffer.bytes + static_cast<size_t>(elements) * limits_.lane_bytes, 0,
                kScanPadding * limits_.lane_bytes);
  if (rules_.sign_of_zero || (has_reasons_ && any_reason(block, elements))) spoil_unscannable(block, elements);
  return input;
}

// Makes NaN of what the scan would pass without knowing: where there are reasons to distrust the reference, and where
// the signs of zeros differ, if they count.
void Pass::spoil_unscannable(const Block& block, int64_t elements) {
  const bool given = rules_.mode == JudgeRules::Mode::given;
  const auto zero_sign_differs = [&](int64_t i) {
    const double actual = number_of_bits(rules_.dtype, block.bits(0, i, bytes_));
    if (actual != 0) return false;
    const double y = given ? block.value<double>(1, i) : number_of_bits(rules_.dtype, block.bits(1, i, bytes_));
    return y == 0 && std::signbit(actual) != std::signbit(y);
  };
  const auto lane_bytes = static_cast<int64_t>(limits_.lane_bytes);
  for (int64_t i = 0; i < elements; ++i)
    if ((has_reasons_ && block.value<uint32_t>(3, i) != 0) || (rules_.sign_of_zero && zero_sign_differs(i)))
      std::memset(widened_[0].bytes + i * lane_bytes, 0xFF, limits_.lane_bytes);  // NaN in every format of the lanes
}

// From which r on the scan shall stop: what would be a new worst element, or does not pass for certain.
double Pass::notable(const Block& block, int64_t from, int64_t to) const {
  constexpr double kMargin = 1 - 0x1p-22;  // for the roundings of a product in binary32
  bool may_tie = false;
  if (tally_.worst_key() > 0 && !block.walk.in_order())
    may_tie = block.walk.least_index(block.ordinal + from, block.ordinal + to) < tally_.worst_index();
  const int64_t key = may_tie ? tally_.worst_key() : std::max(tally_.worst_key() + 1, ratio_key(0x1.0004p-24));
  return std::min(limits_.bound.passes_to, ratio_of_key(key) * kMargin);
}

int64_t Pass::scan_until(const ScanInput& input, int64_t from, int64_t to, double notable) {
  ScanTotals totals;
  const auto stopped = static_cast<int64_t>(
      scan(limits_.form, input, limits_.bound, notable, static_cast<size_t>(from), static_cast<size_t>(to), totals));
  tally_.add_equal(stopped - from);
  ElementComparison& sums = tally_.sums();
  for (size_t i = 0; i < kCountedBins; ++i) {
    sums.histogram[0] -= totals.bins[i];
    sums.histogram[i + 1] += totals.bins[i];
  }
  sums.below += totals.below;
  sums.above += totals.differing - totals.below;
  sums.largest_ulps = std::max(sums.largest_ulps, totals.largest_ulps);
  return stopped;
}

void Pass::scan_all(const Block& block, const ScanInput& input, int64_t elements) {
  for (int64_t from = 0; from < elements;) {
    // The first block that is not equal throughout has a new worst element: no use to scan for it.
    if (started_) from = scan_until(input, from, elements, notable(block, from, elements));
    if (from == elements) return;
    const int64_t to = std::min(elements, from + kBlock);
    look_closely(block, input, from, to);
    started_ = true;
    from = to;
  }
}

// A block with elements that the scan may not pass, or that are notable.
void Pass::look_closely(const Block& block, const ScanInput& input, int64_t from, int64_t to) {
  look_at(limits_.form, input, limits_.bound, static_cast<size_t>(from), static_cast<size_t>(to), picture_);
  for (size_t k = 0; k < picture_.doubtful; ++k) {
    const int64_t i = from + picture_.places[k];
    tally_.add(block.walk.index(block.ordinal + i), judge(block, i));
  }
  note_record(block, from, to);
  if (picture_.doubtful == 0) {
    const int64_t stopped = scan_until(input, from, to, limits_.bound.passes_to);
    if (stopped != to) judge_all(block, stopped, to);  // a rounding apart
  } else {
    scan_others(input, from, to - from);
  }
}

// The elements of a block that are not doubtful: of a copy in which those are equal, and counted as none.
void Pass::scan_others(const ScanInput& input, int64_t from, int64_t elements) {
  const auto copy = [&](Buffer& buffer, const void* data, size_t bytes) {
    const auto* source = static_cast<const std::byte*>(data) + static_cast<size_t>(from) * bytes;
    std::memcpy(buffer.bytes, source, static_cast<size_t>(elements) * bytes);
    std::memset(buffer.bytes + static_cast<size_t>(elements) * bytes, 0, kScanPadding * bytes);
    for (size_t k = 0; k < picture_.doubtful; ++k) std::memset(buffer.bytes + picture_.places[k] * bytes, 0, bytes);
  };
  copy(others_[0], input.actual, limits_.lane_bytes);
  copy(others_[1], input.reference, limits_.lane_bytes);
  if (input.bound != nullptr) copy(others_[2], input.bound, sizeof(double));
  const ScanInput others{others_[0].bytes, others_[1].bytes, reinterpret_cast<const double*>(others_[2].bytes)};
  const int64_t stopped = scan_until(others, 0, elements, 2);
  FAULTLINE_CHECK(stopped == elements, "elements that pass for certain do not");
  tally_.add_equal(-static_cast<int64_t>(picture_.doubtful));
}

// The worst among the elements of the picture that pass.
void Pass::note_record(const Block& block, int64_t from, int64_t to) {
  const int64_t key = ratio_key(picture_.largest);
  if (key == 0 || key < tally_.worst_key()) return;
  const auto elements = static_cast<size_t>(to - from);
  for (size_t place = 0; place < elements; ++place) {
    place = find_ratio(limits_.form, picture_, ratio_of_key(key), place, elements);
    if (place == elements) return;
    const int64_t i = from + static_cast<int64_t>(place);
    const Judged judged = judge(block, i);  // it may be a doubtful one, which is noted already
    tally_.note(block.walk.index(block.ordinal + i), judged);
    if (block.walk.in_order() && ratio_key(judged.ratio) == key) return;
  }
}

Judged Pass::judge(const Block& block, int64_t i) const {
  const uint64_t actual = block.bits(0, i, bytes_);
  switch (rules_.mode) {
    case JudgeRules::Mode::of_reference: return judge_of_reference(rules_, actual, block.bits(1, i, bytes_));
    case JudgeRules::Mode::bits: return judge_bits(rules_, actual, block.bits(1, i, bytes_));
    case JudgeRules::Mode::given: break;
  }
  return judge_given(rules_, number_of_bits(rules_.dtype, actual), block.value<double>(1, i), block.value<double>(2, i),
                     !has_reasons_ || block.value<uint32_t>(3, i) == 0);
}

void Pass::judge_all(const Block& block, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; ++i) tally_.add(block.walk.index(block.ordinal + i), judge(block, i));
}

WalkOperand operand(const ElementView& view) {
  const auto bytes = static_cast<size_t>(byte_size(view.type.dtype));
  return {static_cast<const std::byte*>(view.storage) + view.type.offset * static_cast<int64_t>(bytes), bytes,
          view.type.strides};
}

template <class T>
WalkOperand operand(std::span<const T> values, const Sizes& strides) {
  return {reinterpret_cast<const std::byte*>(values.data()), sizeof(T), strides};
}

// All walks, cut into one part a thread.
ElementComparison compare(const JudgeRules& rules, const std::vector<Walk>& walks, bool has_reasons,
                          const ComparisonOptions& options) {
  int64_t total = 0;
  for (const Walk& walk : walks) total += walk.count();
  FAULTLINE_CHECK(options.verdicts.empty() || static_cast<int64_t>(options.verdicts.size()) == total,
                  std::to_string(total) + " elements, " + std::to_string(options.verdicts.size()) + " verdicts");
  std::fill(options.verdicts.begin(), options.verdicts.end(), uint8_t{0});
  const ScanLimits limits = scan_limits(rules);
  const auto work = [&](Tally& tally, int64_t from, int64_t to) {
    Pass pass(rules, limits, has_reasons, tally);
    int64_t first = 0;  // the ordinal of the walk's first element among all
    for (const Walk& walk : walks) {
      const int64_t begin = std::max(from - first, int64_t{0}), end = std::min(to - first, walk.count());
      if (begin < end) pass.run(walk, begin, end);
      first += walk.count();
    }
  };
  Tally tally(options.listed, options.verdicts);
  const int64_t parts = std::max(options.threads, 1);
  if (parts == 1 || total < kThreadedFrom) {
    work(tally, 0, total);
    return std::move(tally).result();
  }
  std::vector<Tally> others(static_cast<size_t>(parts - 1), tally);
  std::vector<std::function<void()>> tasks;
  for (int64_t number = 1; number < parts; ++number)
    tasks.emplace_back([&, number] {
      work(others[static_cast<size_t>(number - 1)], total * number / parts, total * (number + 1) / parts);
    });
  tasks.insert(tasks.begin(), [&] { work(tally, 0, total / parts); });
  run_parallel(tasks, static_cast<int>(parts));
  for (const Tally& other : others) tally.join(other);
  return std::move(tally).result();
}

JudgeRules rules_for(JudgeRules::Mode mode, DType dtype, const ComparisonOptions& options) {
  const bool floats = is_float(dtype);
  JudgeRules rules;
  rules.mode = mode;
  rules.dtype = dtype;
  rules.largest =
      options.largest.value_or(floats ? limits(host_format(dtype)).largest : std::numeric_limits<double>::infinity());
  rules.sign_of_zero = options.sign_of_zero && floats;
  rules.single = mode == JudgeRules::Mode::of_reference && dtype != DType::f64;
  return rules;
}

std::vector<Walk> walks_of(const ElementView& actual, const ElementView& reference) {
  FAULTLINE_CHECK(actual.type.dtype == reference.type.dtype && actual.type.sizes == reference.type.sizes,
                  to_text(actual.type) + " against " + to_text(reference.type));
  const WalkOperand operands[] = {operand(actual), operand(reference)};
  return walks(actual.type.sizes, operands);
}

}  // namespace

ElementComparison compare_to_reference(const ElementView& actual, const ElementView& reference,
                                       const BoundOfReference& bound, const ComparisonOptions& options) {
  for (const double part : {bound.relative, bound.ulps, bound.floor})
    if (!(part >= 0 && part <= std::numeric_limits<double>::max()))
      throw UserError("a tolerance must be a number and not negative, not " + std::to_string(part));
  if (!is_float(actual.type.dtype)) return compare_bits(actual, reference, options);
  JudgeRules rules = rules_for(JudgeRules::Mode::of_reference, actual.type.dtype, options);
  rules.bound = bound;
  return compare(rules, walks_of(actual, reference), false, options);
}

ElementComparison compare_bits(const ElementView& actual, const ElementView& reference,
                               const ComparisonOptions& options) {
  return compare(rules_for(JudgeRules::Mode::bits, actual.type.dtype, options), walks_of(actual, reference), false,
                 options);
}

ElementComparison compare_to_exact(const ElementView& actual, const GivenReference& reference,
                                   const ComparisonOptions& options) {
  const auto total = static_cast<size_t>(element_count(actual.type.sizes));
  FAULTLINE_CHECK(reference.exact.size() == total && reference.bound.size() == total &&
                      (reference.untrusted.empty() || reference.untrusted.size() == total),
                  to_text(actual.type));
  const Sizes strides = contiguous_strides(actual.type.sizes);
  std::vector<WalkOperand> operands{operand(actual), operand(reference.exact, strides),
                                    operand(reference.bound, strides)};
  if (!reference.untrusted.empty()) operands.push_back(operand(reference.untrusted, strides));
  return compare(rules_for(JudgeRules::Mode::given, actual.type.dtype, options), walks(actual.type.sizes, operands),
                 !reference.untrusted.empty(), options);
}

}  // namespace faultline
