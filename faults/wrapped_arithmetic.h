// An arithmetic that does everything as the one it wraps; a fault row overrides what is to differ, and counts.
//
// Functions that the wrapped arithmetic computes plainly go through round() of this object, and sums through its
// product() and add_partial(), so that a row need override no more than the one operation it breaks. It must say
// is_plain() or is_plain_sum() false for that one.
#pragma once

#include "faults/fault.h"
#include "runtime/numerics/arithmetic.h"

namespace faultline {

class WrappedArithmetic : public Arithmetic {
 public:
  WrappedArithmetic(const Arithmetic& base, const FiringCounter& counter) : base_(base), counter_(counter) {}

  std::string_view id() const override { return base_.id(); }
  bool has(DType dtype) const override { return base_.has(dtype); }
  Format storage_format(DType dtype) const override { return base_.storage_format(dtype); }
  Format compute_format(DType dtype) const override { return base_.compute_format(dtype); }
  Format accumulator_format(DType dtype) const override { return base_.accumulator_format(dtype); }
  Rounding rounding(Format format) const override { return base_.rounding(format); }

  uint64_t host_to_device(DType dtype, uint64_t host_bits) const override;
  uint64_t device_to_host(DType dtype, uint64_t device_bits) const override;
  double function(Function function, DType dtype, double a, double b) const override;
  double round(DType dtype, double exact) const override;
  bool is_plain(Function function, DType dtype) const override;

  double product(DType dtype, double a, double b) const override;
  double add_partial(DType dtype, double accumulator, double addend) const override;
  double multiply_partial(DType dtype, double accumulator, double factor) const override;
  Format partial_product_format(DType dtype) const override { return base_.partial_product_format(dtype); }
  bool is_plain_sum(DType dtype) const override { return base_.is_plain_sum(dtype); }
  int product_block(DType dtype) const override { return base_.product_block(dtype); }
  double add_products(DType dtype, double accumulator, const double* a, const double* b, int count) const override;
  double literal(const Literal& literal) const override { return base_.literal(literal); }

  Format function_format(DType dtype) const override { return base_.function_format(dtype); }
  double inner_error(Function function, DType dtype) const override { return base_.inner_error(function, dtype); }
  Format multiplicand_format(DType dtype) const override { return base_.multiplicand_format(dtype); }
  double sum_unit_roundoff(DType dtype) const override { return base_.sum_unit_roundoff(dtype); }
  double sum_error(DType dtype, int64_t terms, int64_t places) const override {
    return base_.sum_error(dtype, terms, places);
  }
  bool flushes_subnormals(DType dtype) const override { return base_.flushes_subnormals(dtype); }

 protected:
  const Arithmetic& base() const { return base_; }
  // `mine` instead of `right`; counted where they are different numbers.
  double instead(double right, double mine) const;
  uint64_t instead(uint64_t right, uint64_t mine) const;

 private:
  const Arithmetic& base_;
  const FiringCounter& counter_;
};

// The hook of a row whose wrapper is made of these three.
template <class Wrapper>
inline constexpr ArithmeticHook wrap_with = {
    [](const Arithmetic& base, const FaultSpec& spec, const FiringCounter& counter) -> std::unique_ptr<Arithmetic> {
      return std::make_unique<Wrapper>(base, spec, counter);
    }};

inline bool is_half(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16; }

}  // namespace faultline
