// Element types of a program, as PyTorch has them. How a target stores one is the target's affair
// (runtime/numerics/format.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace faultline {

enum class DType : uint8_t { f64, f32, f16, bf16, f8e4m3, f8e5m2, i64, i32, i16, i8, u8, boolean };

inline constexpr int kDTypeCount = 12;

// Text: f64 f32 f16 bf16 f8e4m3 f8e5m2 i64 i32 i16 i8 u8 bool.
std::string_view name(DType dtype);
std::optional<DType> dtype_from_name(std::string_view text);

constexpr int64_t byte_size(DType dtype) {
  constexpr int64_t sizes[kDTypeCount] = {8, 4, 2, 2, 1, 1, 8, 4, 2, 1, 1, 1};
  return sizes[static_cast<int>(dtype)];
}

constexpr bool is_float(DType dtype) { return dtype <= DType::f8e5m2; }
constexpr bool is_integer(DType dtype) { return dtype >= DType::i64 && dtype <= DType::u8; }

// Type promotion of two tensors of the same rank class, as torch.promote_types.
DType promote(DType a, DType b);

}  // namespace faultline
