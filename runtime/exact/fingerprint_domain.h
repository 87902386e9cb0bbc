// The element domain of fingerprints (docs/sources.md): every legal reordering of sums and products gives the same
// value.
//
// `arithmetic` says only how wide elements lie in memory and at which width integers wrap. Decisions that depend on
// values are replayed: record_integer() tells which integer the native run made of the float whose first part is `a`.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/exact/element_table.h"
#include "runtime/exact/field.h"
#include "runtime/exact/fingerprint.h"
#include "runtime/numerics/domain.h"
#include "runtime/numerics/format_table.h"

namespace faultline {

class FingerprintDomain {
 public:
  using Value = Fingerprint;
  using Cell = ElementCell;

  // Sums keep 128-bit totals, folded once a term and reduced at finish; other reductions keep a value, and
  // the extremes of floats a key of it.
  struct Accumulator {
    Wide a = 0, b = 0;
    Value value;  // its flags, allocation and constant serve sums too
  };

  // `arithmetic` must outlive the domain. `seed` is that of leaves.
  explicit FingerprintDomain(const Arithmetic& arithmetic, uint64_t seed = 1) : formats_(arithmetic), seed_(seed) {}

  // A domain of its own with the same records: runs in it and in this one do not meet.
  FingerprintDomain fork() const {
    FingerprintDomain copy(formats_.arithmetic(), seed_);
    copy.recorded_ = recorded_;
    copy.leaves_ = leaves_;
    return copy;
  }

  uint64_t seed() const { return seed_; }
  // Element `index` of the input `name`, of a float dtype; integer inputs are integer(number, dtype).
  Value leaf(std::string_view name, uint64_t index) const { return fingerprint_leaf(name, index, seed_); }
  // The first `count` of them; kept, and shared by what is forked later.
  std::vector<Value> leaves(const std::string& name, size_t count);

  // The native run turned the float with first part `a` into this integer. A later record of the same `a` wins.
  void record_integer(uint64_t a, int64_t native_integer) { recorded_[a] = native_integer; }
  // Casts that found no record, since the start.
  int64_t unrecorded_integers() const { return unrecorded_; }

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
  Value finish(Reduction reduction, DType dtype, const Accumulator& accumulator) const;
  bool replaces(Reduction reduction, DType dtype, const Value& current, const Value& candidate) const;

  int element_bytes(DType dtype) const { return byte_size(formats_.at(dtype).storage); }
  void store(Cell* cells, DType dtype, const Value& value);
  // Pieces of several elements, bytes out of order, flipped bits, or another format than was stored: for integers from
  // integers the bytes themselves, else an oracle of the pieces. Any poison byte makes poison.
  Value load(const Cell* cells, DType dtype) const;
  void store_lanes(Cell* cells, DType dtype, const Value* values, int n) {
    table_.store_lanes(cells, formats_.at(dtype).storage, is_float(dtype), values, n);
  }
  void load_lanes(const Cell* cells, DType dtype, Value* values, int n) const {
    const Format format = formats_.at(dtype).storage;
    table_.load_lanes(cells, format, is_float(dtype), values, n,
                      [&](int k) { return load(cells + int64_t{byte_size(format)} * k, dtype); });
  }
  Cell poison_cell(int allocation, int byte_number) const { return table_.poison_cell(allocation, byte_number); }
  bool is_poison(const Value& value) const { return (value.flags & Fingerprint::poison) != 0; }
  Cell flip_cell(const Cell& cell, int mask) { return table_.flip(cell, mask); }

  // First parts and tags; for integer and bool dtypes the numbers.
  static bool equal(DType dtype, const Value& x, const Value& y);

  // The side table grows by one element a store; forget() empties it between runs and makes every cell meaningless.
  size_t stored_elements() const { return table_.size(); }
  void forget() { table_.forget(); }

 private:
  Value cast(DType result, DType operand, const Value& value);
  int64_t integer_of(Format format, const Value& value);
  Value oracle_of_pieces(const Cell* cells, Format format) const;

  FormatTable formats_;
  uint64_t seed_;
  std::map<uint64_t, int64_t> recorded_;
  std::map<std::string, std::shared_ptr<const std::vector<Value>>> leaves_;  // by name
  int64_t unrecorded_ = 0;
  ElementTable<Value> table_;
};

}  // namespace faultline
