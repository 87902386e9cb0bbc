// Spyre's formats, its storage map of transfers and its sums; the quirks stand where they act.
#include "runtime/targets/spyre/arithmetic.h"

#include <optional>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "runtime/base/error.h"
#include "runtime/numerics/rounding.h"
#include "runtime/numerics/scalar.h"

namespace faultline::spyre {

static constexpr uint64_t kNanInfinity = 0x7FFF;
static constexpr uint64_t kSign = 0x8000;

static bool lives_as_dl16(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16; }

static std::optional<Format> storage_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
    case DType::bf16:
    case DType::boolean: return Format::dl16;
    case DType::f32: return Format::f32;
    case DType::f8e4m3: return Format::f8e4m3;
    case DType::i64:
    case DType::i32: return Format::i32;
    case DType::i8: return Format::i8;
    default: return std::nullopt;
  }
}

bool SpyreArithmetic::has(DType dtype) const { return storage_of(dtype).has_value(); }

Format SpyreArithmetic::storage_format(DType dtype) const {
  if (const std::optional<Format> format = storage_of(dtype)) return *format;
  throw Rejected(std::string(name(dtype)), "Spyre backend does not support: " + std::string(name(dtype)));
}

Format SpyreArithmetic::compute_format(DType dtype) const {
  return dtype == DType::boolean ? Format::bool8 : storage_format(dtype);
}

Format SpyreArithmetic::accumulator_format(DType dtype) const {
  if (!is_float(dtype)) return Format::i64;
  const bool narrow = lives_as_dl16(dtype) && quirks_.psum == SpyreQuirks::Psum::dl16;
  return narrow ? Format::dl16 : Format::f32;
}

Rounding SpyreArithmetic::rounding(Format format) const {
  return format == Format::dl16 ? quirks_.op_round : Rounding::nearest_even;
}

// Host f16 to DL16: five exponent bits become six, ten fraction bits become nine.
uint64_t SpyreArithmetic::half_to_device(uint64_t host_bits) const {
  const uint64_t sign = host_bits & kSign, field = host_bits >> 10 & 0x1F, fraction = host_bits & 0x3FF;
  using Special = SpyreQuirks::Special;
  using Subnormal = SpyreQuirks::Subnormal;
  if (field == 0) {
    const uint64_t kept = quirks_.h2d_sub == Subnormal::halve   ? fraction >> 1
                          : quirks_.h2d_sub == Subnormal::exact ? fraction
                                                                : 0;
    const uint64_t bits = encode(Format::dl16, std::ldexp(static_cast<double>(kept), -24));
    return bits == 0 ? 0 : sign | bits;
  }
  if (field == 0x1F && quirks_.h2d_special == Special::preserve) return kNanInfinity;
  if (field == 0x1F && quirks_.h2d_special == Special::big_finite) return fraction == 0 ? sign | 0x6FFF : kNanInfinity;
  // As finite, exponent 31 is an exponent like others.
  const double magnitude = field == 0x1F ? std::ldexp(static_cast<double>(fraction + 1024), 31 - 15 - 10)
                                         : decode_quick(Format::f16, host_bits & ~kSign);
  const uint64_t bits = encode(Format::dl16, magnitude, quirks_.h2d_round);
  const bool carried = field == 0x1E && bits == 0x5E00;
  return sign | (carried && quirks_.h2d_carry == SpyreQuirks::Carry::saturate ? 0x5DFF : bits);
}

uint64_t SpyreArithmetic::host_to_device(DType dtype, uint64_t host_bits) const {
  if (dtype == DType::f16) return half_to_device(host_bits);
  if (dtype != DType::bf16) return Arithmetic::host_to_device(dtype, host_bits);
  const double value = decode(Format::bf16, host_bits);
  if (std::isinf(value) && quirks_.h2d_special == SpyreQuirks::Special::big_finite) return value > 0 ? 0x6FFF : 0xEFFF;
  return encode(Format::dl16, value, quirks_.h2d_round);  // seven fraction bits: only the range can be lost
}

uint64_t SpyreArithmetic::device_to_host(DType dtype, uint64_t device_bits) const {
  if (!lives_as_dl16(dtype)) return Arithmetic::device_to_host(dtype, device_bits);
  const double infinity =
      device_bits & kSign ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  const double value = decode(Format::dl16, device_bits);
  if (std::isnan(value)) return encode(host_format(dtype), infinity);
  if (dtype == DType::bf16) return encode(Format::bf16, value, quirks_.d2h_bf16);
  return encode(Format::f16, std::fabs(value) > 65504 ? infinity : value);
}

double SpyreArithmetic::function(Function function, DType dtype, double a, double b) const {
  const bool special = lives_as_dl16(dtype) && (std::isnan(a) || (row(function).arity > 1 && std::isnan(b)));
  return special ? std::numeric_limits<double>::quiet_NaN() : Arithmetic::function(function, dtype, a, b);
}

bool SpyreArithmetic::is_plain(Function function, DType dtype) const {
  // Only these answer NaN with a number.
  return !lives_as_dl16(dtype) || (function != Function::sign && function != Function::pow);
}

double SpyreArithmetic::product(DType dtype, double a, double b) const {
  if (!lives_as_dl16(dtype)) return a * b;
  const Format format = accumulator_format(dtype);
  return round_to(format, a * b, rounding(format));
}

// A product of two DL16 numbers has twenty bits: in f32 it is exact but for its range.
bool SpyreArithmetic::is_plain_sum(DType dtype) const { return !lives_as_dl16(dtype); }

bool SpyreArithmetic::chunked(DType dtype) const {
  return lives_as_dl16(dtype) && quirks_.psum == SpyreQuirks::Psum::chunk;
}

int SpyreArithmetic::product_block(DType dtype) const { return chunked(dtype) ? quirks_.psum_chunk : 1; }

// Two levels, both in DL16: the chunk from zero, then the chunks. (S12; reductions on `sfp` and ring hops stay in f32.)
double SpyreArithmetic::add_products(DType dtype, double accumulator, const double* a, const double* b,
                                     int count) const {
  if (!chunked(dtype)) return Arithmetic::add_products(dtype, accumulator, a, b, count);
  const auto narrow = [&](double exact) { return round_to(Format::dl16, exact, quirks_.op_round); };
  double chunk = 0;
  for (int k = 0; k < count; ++k) chunk = narrow(chunk + narrow(a[k] * b[k]));
  return narrow(accumulator + chunk);
}

double SpyreArithmetic::literal(const Literal& literal) const {
  if (!lives_as_dl16(literal.dtype) || !std::isinf(literal.real)) return Arithmetic::literal(literal);
  if (literal.neutral) return round(literal.dtype, std::copysign(quirks_.mask_value, literal.real));
  if (quirks_.const_inf_is_nan) return std::numeric_limits<double>::quiet_NaN();
  return std::copysign(limits(Format::dl16).largest, literal.real);
}

// The model evaluates functions more finely than it stores them, and rounds once.
Format SpyreArithmetic::function_format(DType dtype) const {
  return is_float(dtype) && compute_format(dtype) != Format::f32 ? Format::f32 : compute_format(dtype);
}

double SpyreArithmetic::sum_unit_roundoff(DType dtype) const {
  if (!chunked(dtype)) return Arithmetic::sum_unit_roundoff(dtype);
  return limits(Format::dl16).unit_roundoff * (quirks_.op_round == Rounding::toward_zero ? 2 : 1);
}

// Zeros may leave every term a chunk of its own.
double SpyreArithmetic::sum_error(DType dtype, int64_t terms, int64_t places) const {
  if (!chunked(dtype)) return Arithmetic::sum_error(dtype, terms, places);
  const int64_t chunk = quirks_.psum_chunk;
  const double inside = gamma_factor(static_cast<double>(std::min(terms, chunk)), sum_unit_roundoff(dtype));
  const double between =
      gamma_factor(static_cast<double>(std::min(terms, (places + chunk - 1) / chunk)), sum_unit_roundoff(dtype));
  return (1 + inside) * (1 + between) - 1;
}

}  // namespace faultline::spyre
