// The defaults of every arithmetic (compute in double, round once), the bounds that follow from unit roundoffs, and the
// two arithmetics that are no target's: ideal and host.
#include "runtime/numerics/arithmetic.h"

#include <algorithm>
#include <limits>

#include "runtime/base/error.h"
#include "runtime/numerics/scalar.h"

namespace faultline {

uint64_t Arithmetic::host_to_device(DType dtype, uint64_t host_bits) const {
  const Format host = host_format(dtype), device = storage_format(dtype);
  if (host == device) return host_bits;
  if (is_float(dtype)) return encode(device, decode(host, host_bits));
  return encode_integer(device, decode_integer(host, host_bits));
}

uint64_t Arithmetic::device_to_host(DType dtype, uint64_t device_bits) const {
  const Format host = host_format(dtype), device = storage_format(dtype);
  if (host == device) return device_bits;
  if (is_float(dtype)) return encode(host, decode(device, device_bits));
  return encode_integer(host, decode_integer(device, device_bits));
}

double Arithmetic::function(Function function, DType dtype, double a, double b) const {
  return round(dtype, scalar_function(function, a, b));
}

double Arithmetic::round(DType dtype, double exact) const {
  const Format format = compute_format(dtype);
  return round_to(format, exact, rounding(format));
}

double Arithmetic::product(DType, double a, double b) const { return a * b; }

double Arithmetic::add_partial(DType dtype, double accumulator, double addend) const {
  const Format format = accumulator_format(dtype);
  return round_to(format, accumulator + addend, rounding(format));
}

double Arithmetic::multiply_partial(DType dtype, double accumulator, double factor) const {
  const Format format = partial_product_format(dtype);
  return round_to(format, accumulator * factor, rounding(format));
}

double Arithmetic::add_products(DType dtype, double accumulator, const double* a, const double* b, int count) const {
  for (int k = 0; k < count; ++k) accumulator = add_partial(dtype, accumulator, product(dtype, a[k], b[k]));
  return accumulator;
}

double Arithmetic::literal(const Literal& literal) const { return round(literal.dtype, literal.real); }

int64_t Arithmetic::integer_literal(const Literal& literal) const {
  Format format = literal.dtype == DType::boolean ? Format::bool8 : compute_format(literal.dtype);
  // A neutral extreme may be stored before it is used, and must come back.
  if (literal.neutral && has(literal.dtype))
    if (const Format kept = storage_format(literal.dtype); !is_float(kept) && byte_size(kept) < byte_size(format))
      format = kept;
  if (literal.neutral) return std::clamp(literal.integer, least_integer(format), greatest_integer(format));
  return wrap_integer(format, literal.integer);
}

static double unit_roundoff(const Arithmetic& arithmetic, Format format) {
  const double nearest = limits(format).unit_roundoff;
  return arithmetic.rounding(format) == Rounding::toward_zero ? 2 * nearest : nearest;
}

double Arithmetic::sum_unit_roundoff(DType dtype) const { return unit_roundoff(*this, accumulator_format(dtype)); }

double Arithmetic::sum_error(DType dtype, int64_t terms, int64_t) const {
  return gamma_factor(static_cast<double>(terms), sum_unit_roundoff(dtype));
}

double Arithmetic::product_error(DType dtype, int64_t factors) const {
  return gamma_factor(static_cast<double>(factors), unit_roundoff(*this, partial_product_format(dtype)));
}

double gamma_factor(double terms, double unit_roundoff) {
  const double product = terms * unit_roundoff;
  return product < 1 ? product / (1 - product) : std::numeric_limits<double>::infinity();
}

Format IdealArithmetic::storage_format(DType dtype) const {
  const Format own = host_format(dtype);
  if (!like_) return own;
  const int size = byte_size(like_->storage_format(dtype));
  if (size == byte_size(own)) return own;
  const bool real = is_float(dtype);
  switch (size) {
    case 8: return real ? Format::f64 : Format::i64;
    case 4: return real ? Format::f32 : Format::i32;
    case 2: return real ? Format::f16 : Format::i16;
    default: return real ? Format::f8e4m3 : Format::i8;
  }
}

namespace {

class HostArithmetic final : public Arithmetic {
 public:
  std::string_view id() const override { return "host"; }
  Format storage_format(DType dtype) const override { return host_format(dtype); }
  Format compute_format(DType dtype) const override { return host_format(dtype); }
  Format accumulator_format(DType dtype) const override {
    if (!is_float(dtype)) return Format::i64;
    return dtype == DType::f64 ? Format::f64 : Format::f32;
  }
  Format function_format(DType dtype) const override { return accumulator_format(dtype); }
  Format partial_product_format(DType dtype) const override { return host_format(dtype); }
  double inner_error(Function function, DType dtype) const override {
    const bool narrow = is_float(dtype) && accumulator_format(dtype) != host_format(dtype);
    return narrow && function == Function::rsqrt ? gamma_factor(1, limits(host_format(dtype)).unit_roundoff) : 0;
  }
  bool is_plain_transfer(DType) const override { return true; }
  bool is_plain(Function, DType) const override { return true; }
  bool is_plain_sum(DType) const override { return true; }
};

}  // namespace

const Arithmetic& host_arithmetic() {
  static const HostArithmetic arithmetic;
  return arithmetic;
}

}  // namespace faultline
