// Sums and their kind by the short form of reduce; argmax and argmin by a region over pairs of value and index.
#include "runtime/backends/emit/stablehlo_reduction.h"

#include <fmt/format.h>

namespace faultline {

// What sums, products of many and contractions of floats are computed in.
static DType accumulator_type(DType dtype) {
  return is_float(dtype) && byte_size(dtype) < byte_size(DType::f32) ? DType::f32 : dtype;
}

static std::string_view operation_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum: return "add";
    case Reduction::prod: return "multiply";
    case Reduction::min: return "minimum";
    case Reduction::any: return "or";
    case Reduction::all: return "and";
    default: return "maximum";
  }
}

// Commutative and associative, so that any order of pairs gives the first index: a number beats a smaller one, a NaN
// beats every number, and of equals the lower index wins.
static std::string extreme_region(const Literal& start, DType index, Reduction reduction) {
  const std::string value = hlo_type(start.dtype, {}), place = hlo_type(index, {});
  const std::string flag = hlo_type(DType::boolean, {});
  std::string text;
  const auto line = [&](const std::string& part) { text += "      " + part + "\n"; };
  const auto compare = [&](const char* result, std::string_view direction, const char* a, const char* b) {
    line(HloWriter::compare_text(result, direction, {a, start.dtype, {}}, {b, start.dtype, {}}));
  };
  compare("%beats", reduction == Reduction::argmax ? "GT" : "LT", "%a", "%b");
  compare("%equal", "EQ", "%a", "%b");
  std::string better = "%beats", same = "%equal";
  if (is_float(start.dtype)) {
    compare("%a_nan", "NE", "%a", "%a");
    compare("%b_nan", "NE", "%b", "%b");
    line("%b_number = stablehlo.not %b_nan : " + flag);
    line("%first_nan = stablehlo.and %a_nan, %b_number : " + flag);
    line("%both_nan = stablehlo.and %a_nan, %b_nan : " + flag);
    line("%better = stablehlo.or %beats, %first_nan : " + flag);
    line("%same = stablehlo.or %equal, %both_nan : " + flag);
    better = "%better";
    same = "%same";
  }
  line(HloWriter::compare_text("%earlier", "LT", {"%i", index, {}}, {"%j", index, {}}));
  line(fmt::format("%tie = stablehlo.and {}, %earlier : {}", same, flag));
  line(fmt::format("%take = stablehlo.or {}, %tie : {}", better, flag));
  line(fmt::format("%value = stablehlo.select %take, %a, %b : {}, {}", flag, value));
  line(fmt::format("%place = stablehlo.select %take, %i, %j : {}, {}", flag, place));
  line(fmt::format("stablehlo.return %value, %place : {}, {}", value, place));
  return text;
}

// An index counts along the reduced dims in the order of the node's axes.
static HloValue emit_extreme_index(HloWriter& writer, const PrimNode& node, const HloValue& operand) {
  Sizes reduced;
  for (const int64_t axis : node.axes) reduced.push_back(operand.sizes[axis]);
  const HloValue line = writer.iota(node.dtype, {element_count(reduced)}, 0);
  const HloValue places = writer.broadcast(writer.reshape(line, reduced), node.axes, operand.sizes);
  const Literal worst = neutral_literal(node.reduction, operand.dtype);
  const HloValue start = writer.constant(worst, {});
  const HloValue first = writer.constant(integer_literal(0, node.dtype), {});
  const std::string result = writer.new_name();
  const std::string value = hlo_type(operand.dtype, {}), place = hlo_type(node.dtype, {});
  writer.add_line(fmt::format(
      "{}:2 = stablehlo.reduce({} init: {}), ({} init: {}) across dimensions = {} : ({}, {}, "
      "{}, {}) -> ({}, {})",
      result, operand.name, start.name, places.name, first.name, hlo_axes(node.axes), hlo_type(operand),
      hlo_type(places), value, place, hlo_type(operand.dtype, node.sizes), hlo_type(node.dtype, node.sizes)));
  writer.add_line(fmt::format(" reducer(%a: {0}, %b: {0}) (%i: {1}, %j: {1}) {{", value, place));
  writer.add_text(extreme_region(worst, node.dtype, node.reduction));
  writer.add_line("}");
  return {result + "#1", node.dtype, node.sizes};
}

HloValue emit_reduction(HloWriter& writer, const PrimNode& node, const HloValue& operand) {
  const Reduction reduction = node.reduction;
  if (reduction == Reduction::argmax || reduction == Reduction::argmin)
    return emit_extreme_index(writer, node, operand);
  const bool adds = reduction == Reduction::sum || reduction == Reduction::prod;
  const HloValue source = adds ? writer.convert(operand, accumulator_type(node.dtype)) : operand;
  const HloValue start = writer.constant(neutral_literal(reduction, source.dtype), {});
  const HloValue result =
      writer.add(source.dtype, node.sizes,
                 fmt::format("reduce({} init: {}) applies stablehlo.{} across dimensions = {}", source.name, start.name,
                             operation_of(reduction), hlo_axes(node.axes)),
                 fmt::format("({}, {}) -> {}", hlo_type(source), hlo_type(start), hlo_type(source.dtype, node.sizes)));
  return writer.cast(result, node.dtype);
}

HloValue emit_dot(HloWriter& writer, const PrimNode& node, const HloValue& a, const HloValue& b) {
  const DType dtype = accumulator_type(node.dtype);
  const HloValue result =
      writer.add(dtype, node.sizes,
                 fmt::format("dot_general {}, {}, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = "
                             "[HIGHEST, HIGHEST]",
                             a.name, b.name),
                 fmt::format("({}, {}) -> {}", hlo_type(a), hlo_type(b), hlo_type(dtype, node.sizes)));
  return writer.cast(result, node.dtype);
}

}  // namespace faultline
