// Numbers on Spyre (docs/sources.md, Spyre: numbers): f16, bf16 and bool live as DL16, i64 as i32, f32 is IEEE.
//
// What reports disagree on, or what changed in June 2026, is a quirk with a name. Two presets: `autumn`, the default,
// and `spring`, the machine before June 2026. DL16 rules that reports leave open pin this model, not the machine.
#pragma once

#include <string_view>

#include "runtime/numerics/arithmetic.h"

namespace faultline::spyre {

struct SpyreQuirks {
  enum class Carry : uint8_t { saturate, carry };
  enum class Subnormal : uint8_t { halve, exact, flush };
  enum class Special : uint8_t { preserve, as_finite, big_finite };
  enum class Psum : uint8_t { f32, dl16, chunk };

  Rounding h2d_round = Rounding::ties_up;   // f16 to DL16 loses one bit: every odd fraction is a tie
  Carry h2d_carry = Carry::saturate;        // where 65504 rounds up: 65472, or 65536 that reads back as inf
  Subnormal h2d_sub = Subnormal::halve;     // f16 subnormals: fraction >> 1 per round trip
  Special h2d_special = Special::preserve;  // inf and NaN: 0x7FFF; numbers beyond 2^16; 0x6FFF and 0xEFFF
  Rounding d2h_bf16 = Rounding::nearest_even;
  bool const_inf_is_nan = true;           // inf constants encode as 0x7FFF; else as the largest finite number
  double mask_value = 65504;              // |neutral(max)|, |neutral(min)| of the DL16 types; 1e4 in older code
  Rounding op_round = Rounding::ties_up;  // of every DL16 operation
  Psum psum = Psum::f32;                  // partial sums of products; chunk: DL16, a chunk at a time
  int psum_chunk = 64;
};

// "autumn" or "spring"; throws UserError for another name.
SpyreQuirks spyre_preset(std::string_view name);
// One quirk by name and setting, as that page writes them: h2d_round ties_up|trunc|rne, h2d_carry
// saturate|carry, h2d_sub halve|exact|flush, h2d_special preserve|as_finite|big_finite, d2h nearest|trunc, const_inf
// nan|largest, op_round ties_up|trunc|rne, psum f32|dl16|chunk(n). Throws UserError.
void set_quirk(SpyreQuirks& quirks, std::string_view name, std::string_view setting);

class SpyreArithmetic final : public Arithmetic {
 public:
  explicit SpyreArithmetic(const SpyreQuirks& quirks = {}) : quirks_(quirks) {}

  const SpyreQuirks& quirks() const { return quirks_; }

  std::string_view id() const override { return "spyre"; }
  bool has(DType dtype) const override;
  Format storage_format(DType dtype) const override;
  Format compute_format(DType dtype) const override;
  Format accumulator_format(DType dtype) const override;
  Rounding rounding(Format format) const override;

  uint64_t host_to_device(DType dtype, uint64_t host_bits) const override;
  uint64_t device_to_host(DType dtype, uint64_t device_bits) const override;

  // The NaN-infinity code in, the NaN-infinity code out, whatever the function.
  double function(Function function, DType dtype, double a, double b) const override;
  bool is_plain(Function function, DType dtype) const override;
  // Products of the DL16 types are rounded to the format of the partial sums.
  double product(DType dtype, double a, double b) const override;
  bool is_plain_sum(DType dtype) const override;
  int product_block(DType dtype) const override;
  double add_products(DType dtype, double accumulator, const double* a, const double* b, int count) const override;
  double literal(const Literal& literal) const override;

  Format function_format(DType dtype) const override;
  double sum_unit_roundoff(DType dtype) const override;
  double sum_error(DType dtype, int64_t terms, int64_t places) const override;

 private:
  bool chunked(DType dtype) const;
  uint64_t half_to_device(uint64_t host_bits) const;

  SpyreQuirks quirks_;
};

}  // namespace faultline::spyre
