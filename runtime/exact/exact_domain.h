// The element domain of the oracle: fp64 references with a running error bound (docs/sources.md, Oracle).
//
// The declared arithmetic gives the formats: a function errs by k ulp of the format it is evaluated in, and by half an
// ulp of every narrower format that its value may be materialised in (compute, then storage), taken or not. Sums are
// kept in double-double with Sum|x|, so that their bound holds for every order. What is exact stays exact: operands
// without error, a correctly rounded function and a representable result cost nothing, nor does a sum whose terms are
// multiples of a quantum so coarse that every partial sum is representable.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "runtime/core/index_choice.h"
#include "runtime/exact/bounded.h"
#include "runtime/exact/element_table.h"
#include "runtime/exact/rounding_cost.h"
#include "runtime/numerics/domain.h"
#include "runtime/numerics/format_table.h"

namespace faultline {

class ExactDomain {
 public:
  using Value = Bounded;
  using Cell = ElementCell;

  struct Accumulator {
    double high = 0, low = 0;  // the sum, product or extreme value; integers in `integer`
    double magnitude = 0;      // Sum|x||y| of what is finite; for products Prod(|x| + E)
    double growth = 0;         // for products Prod max(1, |x| + E): how large a partial product may get
    double decline = 0;        // for products Prod min(1, |x| - E) of what is not 0: how small
    double operand_error = 0;  // Sum(|x|E_y + |y|E_x + E_x E_y), Sum E, or the largest E
    int64_t terms = 0;
    int64_t roundings = 0;  // terms that a rounding can follow: all but exact zeros, or exact ones of a product
    int64_t integer = 0;
    int quantum = 2048;  // every term is a multiple of 2^quantum; kNoQuantum when some term is not exact
    uint32_t reasons = 0, allocation = 0;
    bool contraction = false;
  };

  // `arithmetic` must outlive the domain.
  explicit ExactDomain(const Arithmetic& arithmetic, ErrorProfile profile = {});

  const ErrorProfile& profile() const { return profile_; }
  const Arithmetic& arithmetic() const { return formats_.arithmetic(); }

  void apply(Function function, DType result, DType operand, Value* dst, const Value* a, const Value* b, const Value* c,
             int n);
  // The source number, with the distance to what the target makes of it as bound.
  Value literal(const Literal& literal) const;
  Value integer(int64_t number, DType dtype) const;
  int64_t to_integer(const Value& value) const { return value.integer; }

  Accumulator accumulator(Reduction reduction, DType dtype) const;
  void accumulate(Reduction reduction, DType dtype, Accumulator* accumulators, const Value* src, int n);
  void multiply_accumulate(DType dtype, Accumulator* accumulators, const Value* a, int a_step, const Value* b,
                           int b_step, int n);
  void combine(Reduction reduction, DType dtype, Accumulator* accumulator, const Accumulator& other);
  Value finish(Reduction reduction, DType dtype, const Accumulator& accumulator) const;
  // Sums that finish from now on may be rounded to their own type after every step, whatever the arithmetic declares.
  void sum_in_own_type(bool own) { sums_in_own_type_ = own; }
  // Of argmax and argmin: the index is that of `row`'s extreme element; where its error leaves it open, it is a choice.
  void settle_extreme(Reduction reduction, DType dtype, std::span<const Value> row, Value& index);
  // An integer that may be one of several numbers. Choices pass through what moves them and what maps them one by one.
  void leave_open(Value& integer, IndexChoice choice);
  const IndexChoice* choice_of(const Value& integer) const;
  // What an index that is open reads: `element`, or one of those that `at` gives for the other numbers.
  template <class At>
  void read_openly(DType dtype, const Value& index, Value& element, const At& at) const {
    const IndexChoice* choice = choice_of(index);
    if (choice == nullptr) {
      element.reasons |= index.reasons;
      return;
    }
    const Value read = element;
    for (const int64_t other : *choice->among) element = either(is_float(dtype), element, read, at(other));
  }
  // Numbers rows of which no element stands at two places.
  int64_t new_row() { return ++rows_; }
  // For whoever outlives the domain: by Value::choice, from 1.
  std::shared_ptr<const std::vector<IndexChoice>> choices() const { return choices_; }
  // Counts, in unstable_choices(), comparisons whose margin is within the operands' errors.
  bool replaces(Reduction reduction, DType dtype, const Value& current, const Value& candidate);
  int64_t unstable_choices() const { return unstable_choices_; }

  int element_bytes(DType dtype) const { return byte_size(formats_.at(dtype).storage); }
  void store(Cell* cells, DType dtype, const Value& value);
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
  bool is_poison(const Value& value) const { return (value.reasons & Bounded::poison) != 0; }
  Cell flip_cell(const Cell& cell, int mask) { return table_.flip(cell, mask); }

  // An element of a host tensor after the storage map of transfers: inputs are the already rounded ones, without error.
  Value from_host(DType dtype, uint64_t host_bits) const;
  // A number that the machine holds already, without error.
  Value held(DType dtype, double number) const;

  // The side table grows by one element a store; forget() empties it between runs and makes every cell meaningless.
  size_t stored_elements() const { return table_.size(); }
  void forget() { table_.forget(); }

 private:
  // What one function of floats costs on one dtype.
  struct FunctionRule {
    DType dtype = DType::f32;
    double ulps = 0;    // of the format it is evaluated in
    RoundingCost cost;  // of the function, of what it is kept in, and of the reference itself
    double relative = 0, absolute = 0;
    double overflow_from = std::numeric_limits<double>::infinity();  // see ErrorProfile
    bool loses_values = false;                                       // overflows_early() must be asked
    double largest = 0;                                              // finite number of what it is kept in
    bool merged = false;  // kept in a format with one code for NaN and the infinities
  };
  FunctionRule rule_of(Function function, DType dtype) const;
  static bool overflows_early(Function function, const FunctionRule& rule, double y, double a, double b);
  Value apply_float(Function function, const FunctionRule& rule, const Value& a, const Value& b) const;
  void apply_floats(Function function, DType dtype, Value* dst, const Value* a, const Value* b, int n) const;
  Value cast(DType result, DType operand, const Value& value) const;
  static Value select(bool real, const Value& mask, const Value& yes, const Value& no);
  // `out`, of which `chosen` was computed, or what `other` gives in its place.
  static Value either(bool real, Value out, const Value& chosen, const Value& other);
  // What an open operand makes of a function, if the other operand is sure: another choice, or one answer.
  bool map_choice(Function function, Format format, const Value& x, const Value& y, Value& out);
  bool same_for_all(Function function, const Value& x, const Value& y, Value& out) const;
  Value to_whole(Format format, const Value& value) const;
  // An integer as the machine keeps it; where the dtype would keep another, it is no evidence.
  Value kept_integer(DType dtype, int64_t number, uint32_t reasons = 0) const;
  // Error of writing down a value of at most this magnitude that comes in `from`: every narrower format on its way to
  // memory.
  double narrowing(DType dtype, Format from, double magnitude) const;
  // Of one rounding: 1/2, or 1 when the machine truncates.
  double rounding_ulps(Format format) const;
  void add_rounding(Format format, RoundingCost& cost) const;
  void add_narrowing(DType dtype, Format from, RoundingCost& cost) const;
  bool representable(DType dtype, double y) const;
  void note_special(DType dtype, Value& value) const;
  // Adds `local` errors and reasons that follow from the size of the value.
  void settle(DType dtype, Value& value) const;
  Value finish_sum(DType dtype, const Accumulator& accumulator) const;

  FormatTable formats_;
  ErrorProfile profile_;
  bool signed_zeros_ = true;  // DL16 has one zero, and every type can come from it by a cast
  std::array<Format, kDTypeCount> function_format_{};
  std::array<double, kDTypeCount> multiplicand_roundoff_{};
  int64_t unstable_choices_ = 0, rows_ = 0;
  std::shared_ptr<std::vector<IndexChoice>> choices_ = std::make_shared<std::vector<IndexChoice>>();
  bool sums_in_own_type_ = false;
  ElementTable<Value> table_;
};

}  // namespace faultline
