// Seen on torch 2.13, x86-64: int32 and int64 division of the least value by -1 is a hardware exception in the
// truncating kernel. Smaller types compute in int.
#include "runtime/eager/guards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

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

bool may_end_process(std::string_view target) {
  static constexpr std::string_view names[] = {
      "aten.div.Tensor_mode",    "aten.div_.Tensor_mode",    "aten.div.Scalar_mode",    "aten.div_.Scalar_mode",
      "aten.divide.Tensor_mode", "aten.divide_.Tensor_mode", "aten.divide.Scalar_mode", "aten.divide_.Scalar_mode"};
  return std::find(std::begin(names), std::end(names), target) != std::end(names);
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
