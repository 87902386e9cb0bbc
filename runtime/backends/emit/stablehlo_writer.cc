// Spelling of StableHLO's operations.
#include "runtime/backends/emit/stablehlo_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "runtime/numerics/format.h"

namespace faultline {

static std::string_view element_type(DType dtype) {
  static constexpr std::string_view kTypes[kDTypeCount] = {"f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2",
                                                           "i64", "i32", "i16", "i8",   "ui8",      "i1"};
  return kTypes[static_cast<int>(dtype)];
}

std::string hlo_type(DType dtype, const Sizes& sizes) {
  std::string text = "tensor<";
  for (const int64_t size : sizes) text += fmt::format("{}x", size);
  return text + std::string(element_type(dtype)) + ">";
}

std::string hlo_type(const HloValue& value) { return hlo_type(value.dtype, value.sizes); }

std::string hlo_axes(const std::vector<int64_t>& axes) { return fmt::format("[{}]", fmt::join(axes, ", ")); }

// MLIR wants a point in every float.
static std::string decimal(double value) {
  std::string text = fmt::format("{}", value);
  const size_t exponent = text.find('e');
  if (text.find('.') == std::string::npos) text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
  return text;
}

std::string hlo_literal(const Literal& literal) {
  if (literal.dtype == DType::boolean) return literal.integer != 0 ? "true" : "false";
  const Format format = host_format(literal.dtype);
  if (!is_float(literal.dtype)) return fmt::format("{}", wrap_integer(format, literal.integer));
  const uint64_t bits = encode(format, literal.real);
  const double value = decode(format, bits);
  if (std::isfinite(value)) return decimal(value);
  return fmt::format("0x{:0{}X}", bits, 2 * byte_size(format));
}

HloValue HloWriter::argument(DType dtype, Sizes sizes) {
  arguments_.push_back({fmt::format("%arg{}", arguments_.size()), dtype, std::move(sizes)});
  return arguments_.back();
}

std::string HloWriter::new_name() { return fmt::format("%{}", names_++); }

void HloWriter::add_line(const std::string& line) { body_ += "    " + line + "\n"; }

HloValue HloWriter::add(DType dtype, Sizes sizes, const std::string& text, const std::string& type) {
  const HloValue value{new_name(), dtype, std::move(sizes)};
  add_line(fmt::format("{} = stablehlo.{} : {}", value.name, text, type));
  return value;
}

HloValue HloWriter::same(std::string_view operation, const std::vector<HloValue>& operands) {
  std::string text(operation);
  for (size_t k = 0; k < operands.size(); ++k) text += (k == 0 ? " " : ", ") + operands[k].name;
  return add(operands[0].dtype, operands[0].sizes, text, hlo_type(operands[0]));
}

HloValue HloWriter::chlo(std::string_view operation, const HloValue& operand) {
  const HloValue value{new_name(), operand.dtype, operand.sizes};
  add_line(fmt::format("{} = chlo.{} {} : {} -> {}", value.name, operation, operand.name, hlo_type(operand),
                       hlo_type(value)));
  return value;
}

HloValue HloWriter::constant(const Literal& literal, const Sizes& sizes) {
  HloValue value = add(literal.dtype, sizes, fmt::format("constant dense<{}>", hlo_literal(literal)),
                       hlo_type(literal.dtype, sizes));
  value.splat = literal;
  return value;
}

HloValue HloWriter::number(double value, const HloValue& like) {
  const Literal literal =
      is_float(like.dtype) ? real_literal(value, like.dtype) : integer_literal(static_cast<int64_t>(value), like.dtype);
  return constant(literal, like.sizes);
}

std::string HloWriter::compare_text(std::string_view result, std::string_view direction, const HloValue& a,
                                    const HloValue& b) {
  const bool is_unsigned = a.dtype == DType::u8 || a.dtype == DType::boolean;
  const std::string_view kind = is_float(a.dtype) ? "FLOAT" : is_unsigned ? "UNSIGNED" : "SIGNED";
  return fmt::format("{} = stablehlo.compare {}, {}, {}, {} : ({}, {}) -> {}", result, direction, a.name, b.name, kind,
                     hlo_type(a), hlo_type(b), hlo_type(DType::boolean, a.sizes));
}

HloValue HloWriter::compare(std::string_view direction, const HloValue& a, const HloValue& b) {
  const HloValue value{new_name(), DType::boolean, a.sizes};
  add_line(compare_text(value.name, direction, a, b));
  return value;
}

HloValue HloWriter::select(const HloValue& condition, const HloValue& yes, const HloValue& no) {
  return add(yes.dtype, yes.sizes, fmt::format("select {}, {}, {}", condition.name, yes.name, no.name),
             fmt::format("{}, {}", hlo_type(condition), hlo_type(yes)));
}

static std::string from_to(const HloValue& from, DType dtype, const Sizes& sizes) {
  return fmt::format("({}) -> {}", hlo_type(from), hlo_type(dtype, sizes));
}

HloValue HloWriter::convert(const HloValue& value, DType dtype) {
  if (value.dtype == dtype) return value;
  return add(dtype, value.sizes, "convert " + value.name, from_to(value, dtype, value.sizes));
}

HloValue HloWriter::cast(const HloValue& value, DType dtype) {
  if (dtype == DType::boolean && value.dtype != dtype) return compare("NE", value, number(0, value));
  if (dtype != DType::f8e4m3 || value.dtype == dtype || value.dtype == DType::boolean) return convert(value, dtype);
  // The clamp keeps a NaN. Small integers cannot hold the limit, but f32 holds them; of 64-bit ones only such lose bits
  // that are far beyond it.
  const bool narrow = !is_float(value.dtype) || value.dtype == DType::f8e5m2;
  const HloValue wide = narrow ? convert(value, DType::f32) : value;
  const double largest = limits(Format::f8e4m3).largest;
  return convert(same("clamp", {number(-largest, wide), wide, number(largest, wide)}), dtype);
}

HloValue HloWriter::broadcast(const HloValue& value, const std::vector<int64_t>& axes, const Sizes& sizes) {
  HloValue result = add(value.dtype, sizes, fmt::format("broadcast_in_dim {}, dims = {}", value.name, hlo_axes(axes)),
                        from_to(value, value.dtype, sizes));
  result.splat = value.splat;
  return result;
}

HloValue HloWriter::reshape(const HloValue& value, const Sizes& sizes) {
  if (value.sizes == sizes) return value;
  HloValue result = add(value.dtype, sizes, "reshape " + value.name, from_to(value, value.dtype, sizes));
  result.splat = value.splat;
  return result;
}

HloValue HloWriter::iota(DType dtype, const Sizes& sizes, int64_t axis) {
  return add(dtype, sizes, fmt::format("iota dim = {}", axis), hlo_type(dtype, sizes));
}

std::string HloWriter::module_text(const std::vector<HloValue>& results) const {
  std::vector<std::string> arguments, names, types;
  for (const HloValue& value : arguments_) arguments.push_back(fmt::format("{}: {}", value.name, hlo_type(value)));
  for (const HloValue& value : results) {
    names.push_back(value.name);
    types.push_back(hlo_type(value));
  }
  const std::string returned =
      results.empty() ? "return" : fmt::format("return {} : {}", fmt::join(names, ", "), fmt::join(types, ", "));
  return fmt::format("module {{\n  func.func public @main({}) -> ({}) {{\n{}    {}\n  }}\n}}\n",
                     fmt::join(arguments, ", "), fmt::join(types, ", "), body_, returned);
}

}  // namespace faultline
