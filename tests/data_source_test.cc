// Data of inputs: every element of the storage, the same for the same name, other for another, with the bits of the
// dtype.
#include "runtime/numerics/data_source.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "runtime/base/error.h"

namespace faultline {
namespace {

template <class T>
std::vector<T> elements(const Tensor& tensor) {
  std::vector<T> result(tensor.storage->size() / sizeof(T));
  std::memcpy(result.data(), tensor.data(), result.size() * sizeof(T));
  return result;
}

TEST(DataSource, AddressCarriesTheIndexInEveryWidth) {
  const auto wide = elements<uint64_t>(materialise(contiguous_type(DType::f64, {300}), {"address", {}}, 1, "x"));
  const auto half = elements<uint16_t>(materialise(contiguous_type(DType::f16, {70000}), {"address", {}}, 1, "x"));
  const auto byte = elements<uint8_t>(materialise(contiguous_type(DType::f8e4m3, {300}), {"address", {}}, 1, "x"));
  const auto flag = elements<uint8_t>(materialise(contiguous_type(DType::boolean, {300}), {"address", {}}, 1, "x"));
  for (size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(wide[i], i);
    EXPECT_EQ(byte[i], i % 256);
    EXPECT_EQ(flag[i], i % 2);
  }
  EXPECT_EQ(half[65535], 65535);
  EXPECT_EQ(half[65536], 0);
}

TEST(DataSource, FillsTheGapsOfAStridedView) {
  const TensorType type{DType::i32, {2, 2}, {10, 3}, 4};  // last element: 4 + 10 + 3
  const auto values = elements<int32_t>(materialise(type, {"arange", {}}, 1, "x"));
  ASSERT_EQ(values.size(), 18u);
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], static_cast<int32_t>(i));
  EXPECT_EQ(elements<int32_t>(materialise(type, {"ones", {}}, 1, "x", 25)), std::vector<int32_t>(25, 1));
  EXPECT_TRUE(materialise(contiguous_type(DType::f32, {0, 4}), {}, 1, "x").storage->empty());
}

TEST(DataSource, NumbersTakeTheBitsOfTheType) {
  const auto bits = [](DType dtype, double value) {
    const Tensor tensor = materialise(contiguous_type(dtype, {1}), {"full", {value}}, 1, "x");
    uint64_t word = 0;
    std::memcpy(&word, tensor.data(), tensor.storage->size());
    return word;
  };
  EXPECT_EQ(bits(DType::f16, 1.0), 0x3C00u);
  EXPECT_EQ(bits(DType::bf16, -2.0), 0xC000u);
  EXPECT_EQ(bits(DType::f32, 0.1), 0x3DCCCCCDu);
  EXPECT_EQ(bits(DType::f16, 1e9), 0x7C00u);
  EXPECT_EQ(bits(DType::i8, 200), 127u);
  EXPECT_EQ(bits(DType::u8, -3), 0u);
  EXPECT_EQ(bits(DType::i64, 1e30), 0x7FFFFFFFFFFFFFFFu);
  EXPECT_EQ(bits(DType::i16, -1e30), 0x8000u);
  EXPECT_EQ(bits(DType::i32, std::numeric_limits<double>::quiet_NaN()), 0u);
  EXPECT_EQ(bits(DType::boolean, -0.5), 1u);
  EXPECT_EQ(elements<int8_t>(materialise(contiguous_type(DType::i8, {5}), {"values", {1, -2}}, 1, "x")),
            (std::vector<int8_t>{1, -2, 1, -2, 1}));
}

TEST(DataSource, StreamsAreNamed) {
  const TensorType type = contiguous_type(DType::f32, {100});
  const auto draw = [&](DataSource source, uint64_t seed, std::string_view name) {
    return elements<uint32_t>(materialise(type, source, seed, name));
  };
  EXPECT_EQ(draw({"normal", {3}}, 1, "x"), draw({"normal", {3}}, 2, "x"));
  EXPECT_EQ(draw({"normal", {}}, 3, "x"), draw({"normal", {3}}, 2, "x"));
  EXPECT_EQ(draw({}, 3, "x"), draw({"normal", {3}}, 2, "x"));
  EXPECT_NE(draw({"normal", {}}, 3, "x"), draw({"normal", {}}, 4, "x"));
  EXPECT_NE(draw({"normal", {3}}, 1, "x"), draw({"normal", {3}}, 1, "y"));
  EXPECT_NE(draw({"uniform", {3}}, 1, "x"), draw({"normal", {3}}, 1, "x"));
  const auto longer = elements<uint32_t>(materialise(contiguous_type(DType::f32, {200}), {"normal", {3}}, 1, "x"));
  EXPECT_TRUE(std::equal(longer.begin(), longer.begin() + 100, draw({"normal", {3}}, 1, "x").begin()));
}

TEST(DataSource, MomentsAndRanges) {
  const TensorType type = contiguous_type(DType::f64, {20000});
  double sum = 0, squares = 0;
  for (const double x : elements<double>(materialise(type, {"normal", {}}, 7, "x"))) {
    sum += x, squares += x * x;
    EXPECT_LT(std::abs(x), 6);
  }
  EXPECT_NEAR(sum / 20000, 0, 0.03);  // four standard errors of the mean
  EXPECT_NEAR(squares / 20000, 1, 0.04);
  std::set<int64_t> seen;
  for (const int64_t n :
       elements<int64_t>(materialise(contiguous_type(DType::i64, {500}), {"integers", {-2, 3}}, 7, "x")))
    seen.insert(n);
  EXPECT_EQ(seen, (std::set<int64_t>{-2, -1, 0, 1, 2}));
  for (const double x : elements<double>(materialise(type, {"uniform", {}}, 7, "x"))) EXPECT_TRUE(x >= 0 && x < 1);
}

TEST(DataSource, RefusesWhatItCannotMake) {
  EXPECT_THROW(materialise(contiguous_type(DType::f32, {int64_t{1} << 31}), {"zeros", {}}, 1, "x"), UserError);
  EXPECT_THROW(materialise(contiguous_type(DType::f32, {1}), {"nomal", {}}, 1, "x"), UserError);
  EXPECT_THROW(materialise(contiguous_type(DType::f32, {1}), {"integers", {1}}, 1, "x"), UserError);
  EXPECT_THROW(materialise(contiguous_type(DType::f32, {1}), {"normal", {0.5}}, 1, "x"), UserError);
}

TEST(DataSource, SharedStorageHoldsTheLargest) {
  const TensorType small = contiguous_type(DType::f32, {4});
  const TensorType far{DType::f32, {2}, {1}, 30};
  const std::vector<Parameter> parameters = {{"a", small, {}, {}, ""}, {"b", far, {}, {}, "a"}, {"c", far, {}, {}, ""}};
  EXPECT_EQ(shared_storage_elements(parameters, {small, far, far}, 0), 32);
  EXPECT_EQ(shared_storage_elements(parameters, {small, small, far}, 0), 4);
}

}  // namespace
}  // namespace faultline
