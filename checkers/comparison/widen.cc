// One loop a dtype and type of number.
#include "checkers/comparison/widen.h"

#include <bit>
#include <cstring>

#include "runtime/ir/tensor_bits.h"
#include "runtime/numerics/rounding.h"

namespace faultline {

// The number of an element, for compilers to make vectors of: decode_fixed() has a branch.
template <DType dtype>
static auto number(uint64_t bits) {
  if constexpr (dtype == DType::f64) {
    return std::bit_cast<double>(bits);
  } else if constexpr (dtype == DType::f32) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  } else if constexpr (dtype == DType::bf16) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits << 16));
  } else if constexpr (is_float(dtype)) {
    return decode_fixed<host_format(dtype)>(bits);
  } else {
    return host_integer(dtype, bits);
  }
}

template <class T, DType dtype>
static void widen_as(const std::byte* from, int64_t elements, std::byte* to) {
  constexpr auto bytes = byte_size(dtype);
  for (int64_t i = 0; i < elements; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, from + i * bytes, bytes);
    const T value = static_cast<T>(number<dtype>(bits));
    std::memcpy(to + i * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
  }
}

template <class T>
static void widen(DType dtype, const std::byte* from, int64_t elements, std::byte* to) {
  switch (dtype) {
    case DType::f64: return widen_as<T, DType::f64>(from, elements, to);
    case DType::f32: return widen_as<T, DType::f32>(from, elements, to);
    case DType::f16: return widen_as<T, DType::f16>(from, elements, to);
    case DType::bf16: return widen_as<T, DType::bf16>(from, elements, to);
    case DType::f8e4m3: return widen_as<T, DType::f8e4m3>(from, elements, to);
    case DType::f8e5m2: return widen_as<T, DType::f8e5m2>(from, elements, to);
    case DType::i64: return widen_as<T, DType::i64>(from, elements, to);
    case DType::i32: return widen_as<T, DType::i32>(from, elements, to);
    case DType::i16: return widen_as<T, DType::i16>(from, elements, to);
    case DType::i8: return widen_as<T, DType::i8>(from, elements, to);
    case DType::u8: return widen_as<T, DType::u8>(from, elements, to);
    case DType::boolean: return widen_as<T, DType::boolean>(from, elements, to);
  }
}

void widen_to_doubles(DType dtype, const std::byte* from, int64_t elements, std::byte* to) {
  widen<double>(dtype, from, elements, to);
}

void widen_to_floats(DType dtype, const std::byte* from, int64_t elements, std::byte* to) {
  widen<float>(dtype, from, elements, to);
}

}  // namespace faultline
