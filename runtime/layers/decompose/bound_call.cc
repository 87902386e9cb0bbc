// Arguments of one call, found by the schema's names and checked as they are converted; what does not fit is rejected.
#include "runtime/layers/decompose/bound_call.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "runtime/base/error.h"

namespace faultline {

double to_real(const Scalar& scalar) {
  return std::visit([](auto value) { return static_cast<double>(value); }, scalar);
}

int wrap_dim(int64_t dim, int rank) {
  const int64_t count = std::max(rank, 1);
  if (dim < -count || dim >= count) return -1;
  return static_cast<int>(dim < 0 ? dim + count : dim);
}

void BoundCall::reject(const std::string& why) const { throw Rejected(call_.target, call_.target + ": " + why); }

int BoundCall::index_of(std::string_view argument) const {
  for (size_t i = 0; i < schema_.arguments.size() && i < call_.arguments.size(); ++i)
    if (schema_.arguments[i].name == argument) return static_cast<int>(i);
  return -1;
}

const SegmentArgument& BoundCall::at(std::string_view argument) const {
  const int index = index_of(argument);
  if (index < 0) reject(fmt::format("this overload has no argument '{}'", argument));
  return call_.arguments[index];
}

bool BoundCall::given(std::string_view argument) const {
  const int index = index_of(argument);
  return index >= 0 && !std::holds_alternative<NoneArgument>(call_.arguments[index].value);
}

const TensorValue* BoundCall::as_tensor(const SegmentArgument& argument) const {
  const auto* id = std::get_if<ValueId>(&argument.value);
  if (!id) return nullptr;
  FAULTLINE_CHECK(id->index >= 0 && id->index < static_cast<int>(values_.size()), fmt::format("%{}", id->index));
  return &values_[id->index];
}

const TensorValue& BoundCall::tensor(std::string_view argument) const {
  const TensorValue* value = as_tensor(at(argument));
  if (!value) reject(fmt::format("argument '{}' is no tensor", argument));
  return *value;
}

std::optional<TensorValue> BoundCall::optional_tensor(std::string_view argument) const {
  return given(argument) ? std::optional(tensor(argument)) : std::nullopt;
}

std::vector<std::optional<TensorValue>> BoundCall::tensors(std::string_view argument) const {
  const auto* list = std::get_if<SegmentArguments>(&at(argument).value);
  if (!list) reject(fmt::format("argument '{}' is no list of tensors", argument));
  std::vector<std::optional<TensorValue>> values;
  for (const SegmentArgument& element : *list) {
    const TensorValue* value = as_tensor(element);
    values.push_back(value ? std::optional(*value) : std::nullopt);
  }
  return values;
}

Operand BoundCall::operand(std::string_view argument) const {
  if (const TensorValue* value = as_tensor(at(argument))) return {*value, int64_t{0}};
  return {std::nullopt, scalar(argument)};
}

std::optional<Operand> BoundCall::optional_operand(std::string_view argument) const {
  return given(argument) ? std::optional(operand(argument)) : std::nullopt;
}

Scalar BoundCall::scalar(std::string_view argument) const {
  const SegmentArgument& value = at(argument);
  if (const auto* integer = std::get_if<int64_t>(&value.value)) return *integer;
  if (const auto* real = std::get_if<double>(&value.value)) return *real;
  if (const auto* truth = std::get_if<bool>(&value.value)) return *truth;
  reject(fmt::format("argument '{}' is no number", argument));
}

int64_t BoundCall::integer(std::string_view argument) const {
  const Scalar value = scalar(argument);
  if (const auto* integer = std::get_if<int64_t>(&value)) return *integer;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  reject(fmt::format("argument '{}' is no integer", argument));
}

double BoundCall::real(std::string_view argument) const { return to_real(scalar(argument)); }

bool BoundCall::boolean(std::string_view argument) const {
  if (const auto* truth = std::get_if<bool>(&at(argument).value)) return *truth;
  reject(fmt::format("argument '{}' is no bool", argument));
}

std::vector<int64_t> BoundCall::integers(std::string_view argument) const {
  const SegmentArgument& value = at(argument);
  if (std::holds_alternative<int64_t>(value.value)) return {std::get<int64_t>(value.value)};
  const auto* list = std::get_if<SegmentArguments>(&value.value);
  std::vector<int64_t> integers;
  if (list)
    for (const SegmentArgument& element : *list)
      if (const auto* integer = std::get_if<int64_t>(&element.value)) integers.push_back(*integer);
  if (!list || integers.size() != list->size()) reject(fmt::format("argument '{}' is no list of integers", argument));
  return integers;
}

std::vector<double> BoundCall::reals(std::string_view argument) const {
  const auto* list = std::get_if<SegmentArguments>(&at(argument).value);
  if (!list) reject(fmt::format("argument '{}' is no list of numbers", argument));
  std::vector<double> numbers;
  for (const SegmentArgument& element : *list) {
    const auto* integer = std::get_if<int64_t>(&element.value);
    const auto* real = std::get_if<double>(&element.value);
    if (!integer && !real) reject(fmt::format("argument '{}' is no list of numbers", argument));
    numbers.push_back(real ? *real : static_cast<double>(*integer));
  }
  return numbers;
}

std::vector<bool> BoundCall::booleans(std::string_view argument) const {
  const auto* list = std::get_if<SegmentArguments>(&at(argument).value);
  std::vector<bool> truths;
  if (list)
    for (const SegmentArgument& element : *list)
      if (const auto* truth = std::get_if<bool>(&element.value)) truths.push_back(*truth);
  if (!list || truths.size() != list->size()) reject(fmt::format("argument '{}' is no list of bools", argument));
  return truths;
}

std::string BoundCall::word(std::string_view argument, std::string_view absent) const {
  if (!given(argument)) return std::string(absent);
  if (const auto* word = std::get_if<Keyword>(&at(argument).value)) return word->text;
  reject(fmt::format("argument '{}' is no word", argument));
}

DType BoundCall::dtype(std::string_view argument, DType absent) const {
  if (!given(argument)) return absent;
  if (const auto* dtype = std::get_if<DType>(&at(argument).value)) return *dtype;
  reject(fmt::format("argument '{}' is no dtype", argument));
}

int BoundCall::dim(std::string_view argument, int rank) const {
  const int64_t value = integer(argument);
  const int dim = wrap_dim(value, rank);
  if (dim < 0) reject(fmt::format("dim {} is out of range for {} dims", value, rank));
  return dim;
}

std::vector<int64_t> BoundCall::dims(std::string_view argument, int rank, bool absent_all) const {
  std::vector<int64_t> list = given(argument) ? integers(argument) : std::vector<int64_t>{};
  if (list.empty() && absent_all) {
    list.resize(rank);
    std::iota(list.begin(), list.end(), 0);
    return list;
  }
  for (int64_t& value : list) {
    const int dim = wrap_dim(value, rank);
    if (dim < 0) reject(fmt::format("dim {} is out of range for {} dims", value, rank));
    value = dim;
  }
  std::sort(list.begin(), list.end());
  if (std::adjacent_find(list.begin(), list.end()) != list.end()) reject("a dim appears twice");
  if (rank == 0) list.clear();
  return list;
}

}  // namespace faultline
