// Pairs of tensors to compare: bits of a dtype, laid into storages with strides.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "tests/comparison_judge.h"
#include "runtime/base/philox.h"

namespace faultline {

inline constexpr DType kAllTypes[] = {DType::f64, DType::f32, DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2,
                                      DType::i64, DType::i32, DType::i16, DType::i8,   DType::u8,     DType::boolean};
inline constexpr DType kFloats[] = {DType::f64, DType::f32, DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2};

inline uint64_t low_bits(DType dtype, uint64_t bits) {
  if (dtype == DType::boolean) return bits & 1;
  const auto width = static_cast<int>(8 * byte_size(dtype));
  return width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}

// Zeros, the least and greatest of each kind, infinities, NaN of several payloads, one and its neighbours.
inline std::vector<uint64_t> special_bits(DType dtype) {
  const uint64_t sign = uint64_t{1} << (8 * byte_size(dtype) - 1);
  const Format format = host_format(dtype);
  const FormatLimits& limit = limits(format);
  std::vector<uint64_t> found;
  for (const double value : {0.0, limit.smallest_subnormal, limit.smallest_normal, 1.0, 1.5, 3.0, limit.largest / 4,
                             limit.largest, static_cast<double>(INFINITY), static_cast<double>(NAN)})
    for (const int64_t step : {-1, 0, 1})
      for (const uint64_t half : {uint64_t{0}, sign})
        found.push_back(low_bits(dtype, (encode(format, value) + static_cast<uint64_t>(step)) ^ half));
  return found;
}

struct Pairs {
  DType dtype;
  std::vector<uint64_t> actual, reference;
};

// References of some range, and results that mostly equal them or lie a few steps beside; `wild` in a thousand are
// arbitrary bits or special values.
inline Pairs random_pairs(DType dtype, size_t count, PhiloxStream& draws, uint32_t wild) {
  Pairs pairs{dtype, {}, {}};
  const std::vector<uint64_t> special = is_float(dtype) ? special_bits(dtype) : std::vector<uint64_t>{0, 1, 2};
  const auto arbitrary = [&] {
    if (draws.below(2) == 0) return special[draws.below(static_cast<uint32_t>(special.size()))];
    return low_bits(dtype, uint64_t{draws.next()} << 32 | draws.next());
  };
  const double scale = std::ldexp(1.0, static_cast<int>(draws.below(9)) - 4);
  for (size_t i = 0; i < count; ++i) {
    uint64_t reference =
        is_float(dtype) ? encode(host_format(dtype), draws.normal() * scale) : low_bits(dtype, draws.next());
    if (draws.below(1000) < wild) reference = arbitrary();
    uint64_t actual = reference;
    if (draws.below(3) == 0) actual = low_bits(dtype, reference + draws.below(7) - 3);
    if (draws.below(1000) < wild) actual = arbitrary();
    pairs.actual.push_back(actual);
    pairs.reference.push_back(reference);
  }
  return pairs;
}

// A tensor of these elements, in row-major order, in a storage of this type; the rest of the storage holds `filler`.
inline Tensor laid_out(const TensorType& type, const std::vector<uint64_t>& bits, uint8_t filler = 0xA5) {
  Tensor tensor = make_tensor(type);
  std::memset(tensor.data(), filler, tensor.storage->size());
  const auto bytes = static_cast<size_t>(byte_size(type.dtype));
  for (size_t i = 0; i < bits.size(); ++i)
    std::memcpy(tensor.data() + static_cast<size_t>(storage_index(type, static_cast<int64_t>(i))) * bytes, &bits[i],
                bytes);
  return tensor;
}

// What the elements of a view are, whatever was asked for: with a stride of 0 the last one laid there counts.
inline std::vector<uint64_t> elements_of(const Tensor& tensor) {
  std::vector<uint64_t> bits;
  for (int64_t i = 0; i < element_count(tensor.type.sizes); ++i)
    bits.push_back(load_bits(tensor, storage_index(tensor.type, i)));
  return bits;
}

inline ElementView view_of(const Tensor& tensor) { return {tensor.data(), tensor.type}; }

inline ElementComparison plainly(const Pairs& pairs, const BoundOfReference& bound, const ComparisonOptions& options) {
  PlainJudge judge(pairs.dtype, options);
  for (size_t i = 0; i < pairs.actual.size(); ++i)
    is_float(pairs.dtype) ? judge.of_reference(pairs.actual[i], pairs.reference[i], bound)
                          : judge.bits(pairs.actual[i], pairs.reference[i]);
  for (size_t i = 0; i < options.verdicts.size(); ++i) {
    EXPECT_EQ(options.verdicts[i], static_cast<uint8_t>(judge.verdicts[i])) << i;
  }
  return judge.sums;
}

inline void expect_same(const ElementComparison& found, const ElementComparison& expected, const std::string& where) {
  EXPECT_TRUE(found == expected) << where << "\nfound    " << text_of(found) << "\nexpected " << text_of(expected);
}

inline std::string text_of(DType dtype, const BoundOfReference& bound) {
  return std::string(name(dtype)) + " " + std::to_string(bound.relative) + "|y| + " + std::to_string(bound.ulps) +
         " ulp + " + std::to_string(bound.floor);
}

}  // namespace faultline
