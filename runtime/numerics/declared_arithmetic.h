// An arithmetic that a backend declares in numbers instead of code: host formats in memory, and for each dtype in what
// it computes, adds up and evaluates functions, and what it cuts factors to. Results are judged by what is declared: a
// backend that accumulates in bf16 by design is held to sums in bf16.
#pragma once

#include <array>
#include <string>

#include "runtime/numerics/arithmetic.h"

namespace faultline {

class DeclaredArithmetic final : public Arithmetic {
 public:
  struct Formats {
    Format compute, accumulator, function, multiplicand;
    bool flushes_subnormals = false;
  };

  // As host_arithmetic() until told otherwise.
  explicit DeclaredArithmetic(std::string id);

  // Of a float dtype.
  Formats& formats(DType dtype) { return formats_[static_cast<int>(dtype)]; }

  std::string_view id() const override { return id_; }
  Format storage_format(DType dtype) const override { return host_format(dtype); }
  Format compute_format(DType dtype) const override { return of(dtype).compute; }
  Format accumulator_format(DType dtype) const override { return of(dtype).accumulator; }
  Format function_format(DType dtype) const override { return of(dtype).function; }
  Format multiplicand_format(DType dtype) const override { return of(dtype).multiplicand; }
  bool flushes_subnormals(DType dtype) const override { return is_float(dtype) && of(dtype).flushes_subnormals; }
  double product(DType dtype, double a, double b) const override;
  double round(DType dtype, double exact) const override;
  bool is_plain_transfer(DType) const override { return true; }

 private:
  const Formats& of(DType dtype) const { return formats_[static_cast<int>(dtype)]; }

  std::string id_;
  std::array<Formats, kDTypeCount> formats_;
};

}  // namespace faultline
