// Seen on torch 2.13, x86-64: int32 and int64 division of the least value by -1 is a hardware exception in the
// truncating kernel. Smaller types compute in int.
#include "runtime/eager/guards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "runtime/ir/schema/schema.h"

namespace faultline {
namespace {

template <class Integer>
bool holds(const Tensor& tensor, Integer wanted) {
  const int64_t count = element_count(tensor.type.sizes);
  const auto limit = static_cast<int64_t>(tensor.storage->size() / sizeof(Integer));
  for (int64_t flat = 0; flat < count; ++flat) {
    const int64_t index = storage_index(tensor.type, flat);
    Integer element;
    if (index >= limit) return false;  // torch will raise
    std::memcpy(&element, tensor.data() + index * static_cast<int64_t>(sizeof(Integer)), sizeof(Integer));
    if (element == wanted) return true;
  }
  return false;
}

bool holds_number(const Value& value, int64_t wanted) {
  if (const auto* integer = std::get_if<int64_t>(&value.value)) return *integer == wanted;
  const Tensor* tensor = value.tensor();
  if (tensor == nullptr || !tensor->storage) return false;
  switch (tensor->type.dtype) {
    case DType::i64: return holds<int64_t>(*tensor, wanted);
    case DType::i32: return holds<int32_t>(*tensor, static_cast<int32_t>(wanted));
    case DType::i16: return holds<int16_t>(*tensor, static_cast<int16_t>(wanted));
    case DType::i8: return holds<int8_t>(*tensor, static_cast<int8_t>(wanted));
    default: return false;
  }
}

// The integer type the division computes in, if it can overflow: a wider operand saves the quotient.
std::optional<DType> dividing_type(const Value& dividend, const Value& divisor) {
  std::optional<DType> type;
  for (const Value* value : {&dividend, &divisor}) {
    const Tensor* tensor = value->tensor();
    if (tensor == nullptr) continue;
    type = type ? promote(*type, tensor->type.dtype) : tensor->type.dtype;
  }
  if (type == DType::i32 || type == DType::i64) return type;
  return std::nullopt;
}

}  // namespace

// Found by random calls of every operator of the table on torch 2.13: a crash or a hang on arguments of valid types.
// Kernels that are not meant to be called directly start with an underscore; those in Core ATen are called by every
// exported program, and survived.
static bool needs_trial(std::string_view target) {
  static constexpr std::string_view starts[] = {"aten.native_batch_norm.",
                                                "aten._native_batch_norm_legit",
                                                "aten.batch_norm",
                                                "aten.lstm.",
                                                "aten.gru.",
                                                "aten.rnn_",
                                                "aten.max_pool1d.",
                                                "aten.lu_unpack.",
                                                "aten.embedding_dense_backward.",
                                                "aten.choose_qparams_optimized.",
                                                "aten.random.from",
                                                "aten.random_.from",
                                                "aten.special_laguerre"};
  if (std::any_of(std::begin(starts), std::end(starts), [&](std::string_view row) { return target.starts_with(row); }))
    return true;
  if (!target.starts_with("aten._") || target.starts_with("aten.__")) return false;
  const OpSchema* schema = find_schema(target);
  return schema == nullptr || !schema->has_tag("core");
}

Guard guard_of(std::string_view target) {
  static constexpr std::string_view divisions[] = {
      "aten.div.Tensor_mode",    "aten.div_.Tensor_mode",    "aten.div.Scalar_mode",    "aten.div_.Scalar_mode",
      "aten.divide.Tensor_mode", "aten.divide_.Tensor_mode", "aten.divide.Scalar_mode", "aten.divide_.Scalar_mode"};
  if (std::find(std::begin(divisions), std::end(divisions), target) != std::end(divisions)) return Guard::division;
  return needs_trial(target) ? Guard::trial : Guard::none;
}

std::optional<std::string> ends_process(std::string_view target, const ValueList& arguments) {
  if (arguments.size() < 3) return std::nullopt;
  const auto* mode = std::get_if<Keyword>(&arguments[2].value);
  if (mode == nullptr || mode->text != "trunc") return std::nullopt;
  const std::optional<DType> type = dividing_type(arguments[0], arguments[1]);
  if (!type) return std::nullopt;
  const int64_t least = *type == DType::i32 ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int64_t>::min();
  if (!holds_number(arguments[0], least) || !holds_number(arguments[1], -1)) return std::nullopt;
  return fmt::format("{}: the least {} divided by -1 ends torch's process", target, name(*type));
}

}  // namespace faultline
