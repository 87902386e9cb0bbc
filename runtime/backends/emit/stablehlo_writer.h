// The lines of one StableHLO function: typed values, and one call an operation. It knows how operations are spelt;
// which of them mean a prim is known by its users (stablehlo.cc, stablehlo_function.cc, stablehlo_reduction.cc).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/ir/literal.h"
#include "runtime/ir/tensor.h"

namespace faultline {

// A value of the function.
struct HloValue {
  std::string name;  // "%3"
  DType dtype = DType::f32;
  Sizes sizes;
  std::optional<Literal> splat = {};  // every element is this
};

// "tensor<4x8xf16>"; u8 is ui8, bool is i1.
std::string hlo_type(DType dtype, const Sizes& sizes);
std::string hlo_type(const HloValue& value);
// Between "dense<" and ">": a decimal that reads back to the same bits, or the bits in hexadecimal where there is no
// decimal. The number is first rounded to its type; e4m3 has no infinity and takes its largest number instead.
std::string hlo_literal(const Literal& literal);
std::string hlo_axes(const std::vector<int64_t>& axes);  // "[0, 2]"

class HloWriter {
 public:
  HloValue argument(DType dtype, Sizes sizes);
  // One line "%7 = <operation> : <type>"; `text` is what stands between "stablehlo." and the colon.
  HloValue add(DType dtype, Sizes sizes, const std::string& text, const std::string& type);

  // Operations whose operands have one type, which is the result's as well.
  HloValue same(std::string_view operation, const std::vector<HloValue>& operands);
  // CHLO spells the types of operand and result.
  HloValue chlo(std::string_view operation, const HloValue& operand);
  HloValue constant(const Literal& literal, const Sizes& sizes);
  // A number of the value's type and sizes.
  HloValue number(double value, const HloValue& like);
  // direction: EQ NE LT LE GT GE.
  HloValue compare(std::string_view direction, const HloValue& a, const HloValue& b);
  // The same as the text of a line, for regions.
  static std::string compare_text(std::string_view result, std::string_view direction, const HloValue& a,
                                  const HloValue& b);
  HloValue select(const HloValue& condition, const HloValue& yes, const HloValue& no);
  // StableHLO's convert as it is; the value itself where it has the type already.
  HloValue convert(const HloValue& value, DType dtype);
  // The project's cast: to bool by comparison with zero, to e4m3 with saturation.
  HloValue cast(const HloValue& value, DType dtype);
  HloValue broadcast(const HloValue& value, const std::vector<int64_t>& axes, const Sizes& sizes);
  HloValue reshape(const HloValue& value, const Sizes& sizes);
  HloValue iota(DType dtype, const Sizes& sizes, int64_t axis);

  // A name that no value has yet.
  std::string new_name();
  void add_line(const std::string& line);
  void add_text(const std::string& lines) { body_ += lines; }
  // The module; `results` are what @main returns.
  std::string module_text(const std::vector<HloValue>& results) const;

 private:
  std::vector<HloValue> arguments_;
  std::string body_;
  int names_ = 0;
};

}  // namespace faultline
