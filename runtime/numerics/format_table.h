// The formats an Arithmetic gives each dtype, looked up once. A type that the machine lacks throws its Rejected at
// first use.
#pragma once

#include <array>

#include "runtime/base/error.h"
#include "runtime/numerics/arithmetic.h"

namespace faultline {

class FormatTable {
 public:
  struct Row {
    Format storage = Format::f64, compute = Format::f64, accumulator = Format::f64;
    bool known = false;
  };

  // `arithmetic` must outlive the table.
  explicit FormatTable(const Arithmetic& arithmetic) : arithmetic_(&arithmetic) {
    for (int i = 0; i < kDTypeCount; ++i) {
      if (!arithmetic.has(static_cast<DType>(i))) continue;
      try {
        rows_[i] = read(static_cast<DType>(i));
      } catch (const Rejected&) {
        rows_[i].known = false;
      }
    }
  }

  const Row& at(DType dtype) const {
    const Row& row = rows_[static_cast<int>(dtype)];
    if (!row.known) [[unlikely]] {
      read(dtype);
      fail_check(__FILE__, __LINE__, "a type without formats is rejected", std::string(name(dtype)));
    }
    return row;
  }

  bool knows(DType dtype) const { return rows_[static_cast<int>(dtype)].known; }

  const Arithmetic& arithmetic() const { return *arithmetic_; }

 private:
  // Bools are 0 or 1 in registers whatever memory holds.
  Row read(DType dtype) const {
    const Format compute = dtype == DType::boolean ? Format::bool8 : arithmetic_->compute_format(dtype);
    return {arithmetic_->storage_format(dtype), compute, arithmetic_->accumulator_format(dtype), true};
  }

  const Arithmetic* arithmetic_;
  std::array<Row, kDTypeCount> rows_;
};

}  // namespace faultline
