// Construction, functions and memory; sums are in native_sums.cc.
#include "runtime/numerics/native_domain.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "runtime/base/error.h"
#include "runtime/numerics/rounding.h"
#include "runtime/numerics/scalar.h"

namespace faultline {

static_assert(ElementDomain<NativeDomain>);

NativeDomain::NativeDomain(const Arithmetic& arithmetic) : arithmetic_(&arithmetic), formats_(arithmetic) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    traits_[i] = {arithmetic.is_plain(Function::cast, dtype), arithmetic.is_plain_sum(dtype),
                  arithmetic.product_block(dtype)};
  }
}

void NativeDomain::round_lanes(DType dtype, Value* values, int n) const {
  const Format format = formats_.at(dtype).compute;
  if (!traits(dtype).plain_round) {
    for (int k = 0; k < n; ++k) values[k].real = arithmetic_->round(dtype, values[k].real);
    return;
  }
  with_rounding(format, arithmetic_->rounding(format), [&]<Format F, Rounding R>() {
    if constexpr (F != Format::f64)
      for (int k = 0; k < n; ++k) values[k].real = round_fixed<F, R>(values[k].real);
  });
}

template <class Operation>
static void map_reals(NativeDomain::Value* dst, const NativeDomain::Value* a, const NativeDomain::Value* b, int n,
                      Operation operation) {
  for (int k = 0; k < n; ++k) dst[k].real = operation(a[k].real, b[k].real);
}

void NativeDomain::apply_float(Function function, DType dtype, Value* dst, const Value* a, const Value* b,
                               int n) const {
  if (!b) b = a;  // unary
  if (!arithmetic_->is_plain(function, dtype)) {
    for (int k = 0; k < n; ++k) dst[k].real = arithmetic_->function(function, dtype, a[k].real, b[k].real);
    return;
  }
  switch (function) {
    case Function::add: map_reals(dst, a, b, n, [](double x, double y) { return x + y; }); break;
    case Function::sub: map_reals(dst, a, b, n, [](double x, double y) { return x - y; }); break;
    case Function::mul: map_reals(dst, a, b, n, [](double x, double y) { return x * y; }); break;
    case Function::div: map_reals(dst, a, b, n, [](double x, double y) { return x / y; }); break;
    case Function::neg:
      map_reals(dst, a, b, n, [](double x, double) { return -x; });
      if (formats_.at(dtype).compute != Format::dl16) return;  // which has one zero
      break;
    // No rounding: the result is an operand, or its magnitude.
    case Function::abs: return map_reals(dst, a, b, n, [](double x, double) { return std::fabs(x); });
    // `!(x < y)` keeps a NaN in x, the second test one in y.
    case Function::maximum:
      return map_reals(dst, a, b, n, [](double x, double y) { return !(x < y) && y == y ? x : y; });
    case Function::minimum:
      return map_reals(dst, a, b, n, [](double x, double y) { return !(x > y) && y == y ? x : y; });
    default: map_reals(dst, a, b, n, [=](double x, double y) { return scalar_function(function, x, y); });
  }
  round_lanes(dtype, dst, n);
}

template <class Operation>
static void map_integers(NativeDomain::Value* dst, const NativeDomain::Value* a, const NativeDomain::Value* b, int n,
                         Operation operation) {
  for (int k = 0; k < n; ++k)
    dst[k].integer =
        static_cast<int64_t>(operation(static_cast<uint64_t>(a[k].integer), static_cast<uint64_t>(b[k].integer)));
}

void NativeDomain::apply_integer(Function function, DType dtype, Value* dst, const Value* a, const Value* b,
                                 int n) const {
  if (!b) b = a;
  const Format format = formats_.at(dtype).compute;
  switch (function) {
    case Function::add: map_integers(dst, a, b, n, [](uint64_t x, uint64_t y) { return x + y; }); break;
    case Function::sub: map_integers(dst, a, b, n, [](uint64_t x, uint64_t y) { return x - y; }); break;
    case Function::mul: map_integers(dst, a, b, n, [](uint64_t x, uint64_t y) { return x * y; }); break;
    default:
      for (int k = 0; k < n; ++k) dst[k].integer = integer_function(function, format, a[k].integer, b[k].integer);
      return;
  }
  if (format != Format::i64)
    for (int k = 0; k < n; ++k) dst[k].integer = wrap_integer(format, dst[k].integer);
}

template <class Number>
static void compare_lanes(Function function, NativeDomain::Value* dst, const NativeDomain::Value* a,
                          const NativeDomain::Value* b, int n, Number NativeDomain::Value::* member) {
  if (!b) b = a;
  if (function == Function::less)
    for (int k = 0; k < n; ++k) dst[k].integer = a[k].*member < b[k].*member;
  else
    for (int k = 0; k < n; ++k) dst[k].integer = scalar_compare(function, a[k].*member, b[k].*member);
}

void NativeDomain::cast(DType result, DType operand, Value* dst, const Value* a, int n) const {
  const Format format = formats_.at(result).compute;
  if (!is_float(result)) {
    for (int k = 0; k < n; ++k)
      dst[k].integer = is_float(operand) ? float_to_integer(format, a[k].real) : wrap_integer(format, a[k].integer);
    return;
  }
  for (int k = 0; k < n; ++k) dst[k].real = is_float(operand) ? a[k].real : sticky_double(a[k].integer);
  round_lanes(result, dst, n);
}

void NativeDomain::apply(Function function, DType result, DType operand, Value* dst, const Value* a, const Value* b,
                         const Value* c, int n) {
  switch (row(function).kind) {
    case FunctionKind::move:
      if (function == Function::cast) return cast(result, operand, dst, a, n);
      if (function == Function::refresh) return static_cast<void>(std::copy_n(a, n, dst));
      for (int k = 0; k < n; ++k) dst[k] = a[k].integer != 0 ? b[k] : c[k];
      return;
    case FunctionKind::compare:
      if (is_float(operand)) return compare_lanes(function, dst, a, b, n, &Value::real);
      return compare_lanes(function, dst, a, b, n, &Value::integer);
    default:
      if (is_float(operand)) return apply_float(function, result, dst, a, b, n);
      return apply_integer(function, result, dst, a, b, n);
  }
}

NativeDomain::Value NativeDomain::literal(const Literal& literal) const {
  Value value;
  if (is_float(literal.dtype))
    value.real = arithmetic_->literal(literal);
  else
    value.integer = arithmetic_->integer_literal(literal);
  return value;
}

NativeDomain::Value NativeDomain::integer(int64_t number, DType dtype) const {
  Value value;
  if (is_float(dtype))
    value.real = arithmetic_->round(dtype, sticky_double(number));
  else
    value.integer = wrap_integer(formats_.at(dtype).compute, number);
  return value;
}

// Copies of a size known at compile time are one instruction, others a call.
static void copy_element(void* to, const void* from, int size) {
  switch (size) {
    case 1: std::memcpy(to, from, 1); return;
    case 2: std::memcpy(to, from, 2); return;
    case 4: std::memcpy(to, from, 4); return;
    default: std::memcpy(to, from, 8); return;
  }
}

void NativeDomain::store(Cell* cells, DType dtype, const Value& value) const {
  const Format format = formats_.at(dtype).storage;
  const uint64_t bits = is_float(dtype) ? encode(format, value.real, arithmetic_->rounding(format))
                                        : encode_integer(format, value.integer);
  copy_element(cells, &bits, byte_size(format));
}

NativeDomain::Value NativeDomain::load(const Cell* cells, DType dtype) const {
  const FormatTable::Row& type = formats_.at(dtype);
  uint64_t bits = 0;
  copy_element(&bits, cells, byte_size(type.storage));
  Value value;
  if (is_float(dtype))
    value.real = decode_quick(type.storage, bits);
  else
    value.integer = wrap_integer(type.compute, decode_integer(type.storage, bits));
  return value;
}

// One loop a format.
void NativeDomain::store_lanes(Cell* cells, DType dtype, const Value* values, int n) const {
  const Format format = formats_.at(dtype).storage;
  const int bytes = byte_size(format);
  if (!is_float(dtype)) {
    for (int k = 0; k < n; ++k) {
      const uint64_t bits = encode_integer(format, values[k].integer);
      copy_element(cells + int64_t{bytes} * k, &bits, bytes);
    }
    return;
  }
  with_rounding(format, arithmetic_->rounding(format), [&]<Format F, Rounding R>() {
    for (int k = 0; k < n; ++k) {
      const uint64_t bits = encode_fixed<F, R>(values[k].real);
      std::memcpy(cells + int64_t{byte_size(F)} * k, &bits, byte_size(F));
    }
  });
}

void NativeDomain::load_lanes(const Cell* cells, DType dtype, Value* values, int n) const {
  const Format format = formats_.at(dtype).storage;
  if (!is_float(dtype)) {
    for (int k = 0; k < n; ++k) values[k] = load(cells + int64_t{byte_size(format)} * k, dtype);
    return;
  }
  with_rounding(format, Rounding::nearest_even, [&]<Format F, Rounding>() {
    for (int k = 0; k < n; ++k) {
      uint64_t bits = 0;
      std::memcpy(&bits, cells + int64_t{byte_size(F)} * k, byte_size(F));
      values[k].real = decode_fixed<F>(bits);
    }
  });
}

NativeDomain::Cell NativeDomain::poison_cell(int pattern, int byte_number) const {
  const auto mixed = static_cast<unsigned>(pattern) * 40503u;
  if (pattern % 2 != 0) return static_cast<std::byte>(byte_number % 2 == 0 ? 0xFF - (mixed >> 3) % 8 : 0xFF);
  return static_cast<std::byte>(byte_number % 2 == 0 ? 0x10 + mixed % 0x40 : 0x3C);
}

NativeDomain::Value NativeDomain::from_host(DType dtype, uint64_t host_bits) const {
  const uint64_t bits = arithmetic_->host_to_device(dtype, host_bits);
  std::byte cells[8];
  std::memcpy(cells, &bits, sizeof cells);
  return load(cells, dtype);
}

uint64_t NativeDomain::to_host(DType dtype, const Value& value) const {
  std::byte cells[8] = {};
  store(cells, dtype, value);
  uint64_t bits;
  std::memcpy(&bits, cells, sizeof bits);
  return arithmetic_->device_to_host(dtype, bits);
}

}  // namespace faultline
