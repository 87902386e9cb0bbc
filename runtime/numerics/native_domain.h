// The domain of real machine numbers: values as an Arithmetic rounds them, memory as bytes.
//
// Every operation is one loop over the lanes that computes in double or int64 and a second that rounds or wraps in
// place; the choice of function and format is paid once a call. Where the arithmetic is not plain, its virtual
// functions are called.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "runtime/numerics/arithmetic.h"
#include "runtime/numerics/domain.h"
#include "runtime/numerics/format_table.h"

namespace faultline {

class NativeDomain {
 public:
  struct Value {
    union {
      double real = 0;  // float dtypes
      int64_t integer;  // integer and bool dtypes
    };
  };
  using Cell = std::byte;

  // Products that wait for their block (Arithmetic::product_block).
  struct Pending {
    std::vector<double> a, b;
  };
  struct Accumulator {
    Value total;
    std::unique_ptr<Pending> pending;

    Accumulator() = default;
    Accumulator(const Accumulator& other) { *this = other; }
    Accumulator(Accumulator&&) = default;
    Accumulator& operator=(const Accumulator& other) {
      total = other.total;
      pending = other.pending ? std::make_unique<Pending>(*other.pending) : nullptr;
      return *this;
    }
    Accumulator& operator=(Accumulator&&) = default;
  };

  // `arithmetic` must outlive the domain.
  explicit NativeDomain(const Arithmetic& arithmetic);

  const Arithmetic& arithmetic() const { return *arithmetic_; }

  void apply(Function function, DType result, DType operand, Value* dst, const Value* a, const Value* b, const Value* c,
             int n);
  Value literal(const Literal& literal) const;
  Value integer(int64_t number, DType dtype) const;
  int64_t to_integer(const Value& value) const { return value.integer; }

  Accumulator accumulator(Reduction reduction, DType dtype) const;
  void accumulate(Reduction reduction, DType dtype, Accumulator* accumulators, const Value* src, int n);
  void multiply_accumulate(DType dtype, Accumulator* accumulators, const Value* a, int a_step, const Value* b,
                           int b_step, int n);
  void combine(Reduction reduction, DType dtype, Accumulator* accumulator, const Accumulator& other);
  Value finish(Reduction reduction, DType dtype, const Accumulator& accumulator);
  bool replaces(Reduction reduction, DType dtype, const Value& current, const Value& candidate) const;

  int element_bytes(DType dtype) const { return byte_size(formats_.at(dtype).storage); }
  void store(Cell* cells, DType dtype, const Value& value) const;
  Value load(const Cell* cells, DType dtype) const;
  void store_lanes(Cell* cells, DType dtype, const Value* values, int n) const;
  void load_lanes(const Cell* cells, DType dtype, Value* values, int n) const;
  // Pattern numbers: even ones make ordinary numbers, odd ones NaN-like bytes (0xFF and near it) in the float formats.
  // All elements of a pattern are alike, so that who sees one knows it again.
  Cell poison_cell(int pattern, int byte_number) const;
  bool is_poison(const Value&) const { return false; }
  Cell flip_cell(Cell cell, int mask) const { return cell ^ static_cast<std::byte>(mask); }

  // An element of a host tensor through the storage map of transfers, and back.
  Value from_host(DType dtype, uint64_t host_bits) const;
  uint64_t to_host(DType dtype, const Value& value) const;

 private:
  // How sums and functions may be computed, for a type whose formats are known.
  struct Traits {
    bool plain_round = false, plain_sum = false;
    int block = 1;
  };

  const Traits& traits(DType dtype) const { return traits_[static_cast<int>(dtype)]; }
  void apply_float(Function function, DType dtype, Value* dst, const Value* a, const Value* b, int n) const;
  void apply_integer(Function function, DType dtype, Value* dst, const Value* a, const Value* b, int n) const;
  void cast(DType result, DType operand, Value* dst, const Value* a, int n) const;
  void accumulate_float(Reduction reduction, DType dtype, Accumulator* accumulators, const Value* src, int n) const;
  void add_block_products(DType dtype, Accumulator* accumulators, const Value* a, int a_step, const Value* b,
                          int b_step, int n) const;
  void flush(DType dtype, Accumulator& accumulator) const;
  void round_lanes(DType dtype, Value* values, int n) const;

  const Arithmetic* arithmetic_;
  FormatTable formats_;
  std::array<Traits, kDTypeCount> traits_;
};

}  // namespace faultline
