// Equality of programs. Numbers are equal when their text is: bit by bit, but every NaN is the same NaN.
#include "runtime/ir/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/ir/literal.h"

namespace faultline {

bool same_scalar(const Scalar& a, const Scalar& b) {
  const double* left = std::get_if<double>(&a);
  const double* right = std::get_if<double>(&b);
  return left && right ? same_number(*left, *right) : a == b;
}

static bool same_scalar(const std::optional<Scalar>& a, const std::optional<Scalar>& b) {
  return a && b ? same_scalar(*a, *b) : a.has_value() == b.has_value();
}

bool Argument::operator==(const Argument& other) const {
  const double* left = std::get_if<double>(&value);
  const double* right = std::get_if<double>(&other.value);
  return left && right ? same_number(*left, *right) : value == other.value;
}

bool Parameter::operator==(const Parameter& other) const {
  return name == other.name && tensor == other.tensor && scalar == other.scalar &&
         same_scalar(default_scalar, other.default_scalar) && alias_of == other.alias_of;
}

bool DataSource::operator==(const DataSource& other) const {
  if (generator != other.generator || parameters.size() != other.parameters.size()) return false;
  for (size_t i = 0; i < parameters.size(); ++i)
    if (!same_number(parameters[i], other.parameters[i])) return false;
  return true;
}

bool CallInput::operator==(const CallInput& other) const {
  return tensor == other.tensor && same_scalar(scalar, other.scalar) && data == other.data;
}

bool Program::Attribute::operator==(const Attribute& other) const {
  if (alias_of != other.alias_of || value.index() != other.value.index()) return false;
  if (const Scalar* scalar = std::get_if<Scalar>(&value)) return same_scalar(*scalar, std::get<Scalar>(other.value));
  if (type != other.type || data != other.data) return false;
  const auto& left = std::get<Tensor>(value).storage;
  const auto& right = std::get<Tensor>(other.value).storage;
  return left && right ? *left == *right : left == right;
}

const std::vector<std::string>& generator_names() {
  static const std::vector<std::string> names = {"address", "arange", "full",    "integers", "nonzero",
                                                 "normal",  "ones",   "uniform", "values",   "zeros"};
  return names;
}

static std::pair<size_t, size_t> parameter_range(std::string_view generator) {
  if (generator == "full") return {1, 1};
  if (generator == "values") return {1, size_t{1} << 20};
  if (generator == "integers") return {2, 3};
  if (generator == "nonzero") return {1, 3};
  if (generator == "normal" || generator == "uniform") return {0, 1};
  return {0, 0};
}

std::string source_problem(const DataSource& source) {
  const auto& names = generator_names();
  if (std::find(names.begin(), names.end(), source.generator) == names.end())
    return fmt::format("unknown generator '{}'", source.generator);
  const auto [least, most] = parameter_range(source.generator);
  const std::vector<double>& numbers = source.parameters;
  if (numbers.size() < least || numbers.size() > most) {
    const std::string range = least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
    return fmt::format("{}() takes {} number{}, not {}", source.generator, range, most == 1 ? "" : "s", numbers.size());
  }
  const std::string& generator = source.generator;
  if (generator != "normal" && generator != "uniform" && generator != "integers" && generator != "nonzero") return "";
  for (const double number : numbers)
    if (!(std::abs(number) <= 0x1p53) || number != std::floor(number))
      return fmt::format("{}() takes integers, not {}", source.generator, number);
  const bool seeded = numbers.size() == most;
  if (seeded && numbers.back() < 0) return fmt::format("the seed {} is negative", numbers.back());
  if (generator == "nonzero" && (numbers[0] < 1 || (numbers.size() > 1 && numbers[1] < 1)))
    return "nonzero() wants a largest number and how many elements there are for one that is not 0, each at least 1";
  if (source.generator != "integers") return "";
  if (!(numbers[0] < numbers[1]) || numbers[1] - numbers[0] > 0x1p32 - 1)
    return fmt::format("integers() draws from low <= x < high, at most 2^32 - 1 values, not {} <= x < {}", numbers[0],
                       numbers[1]);
  return "";
}

}  // namespace faultline
