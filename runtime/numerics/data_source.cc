// One loop over the storage per generator; floats go through the host format's encode, integers saturate.
#include "runtime/numerics/data_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/base/error.h"
#include "runtime/base/philox.h"
#include "runtime/numerics/format.h"

namespace faultline {
namespace {

// Element i of a storage as the bytes of a little-endian word.
void store(std::byte* data, DType dtype, int64_t i, uint64_t bits) {
  static_assert(std::endian::native == std::endian::little);
  const auto size = static_cast<size_t>(byte_size(dtype));
  std::memcpy(data + static_cast<size_t>(i) * size, &bits, size);
}

int64_t integer_limit(DType dtype, bool least) {
  if (dtype == DType::u8) return least ? 0 : 255;
  const int width = static_cast<int>(8 * byte_size(dtype));
  const int64_t greatest = static_cast<int64_t>(~uint64_t{0} >> (65 - width));
  return least ? -greatest - 1 : greatest;
}

int64_t saturated(DType dtype, double value) {
  const int64_t least = integer_limit(dtype, true), greatest = integer_limit(dtype, false);
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(least)) return least;
  if (value >= static_cast<double>(greatest)) return greatest;
  return static_cast<int64_t>(value);
}

uint64_t bits_of(DType dtype, double value) {
  if (is_float(dtype)) return encode(host_format(dtype), value);
  if (dtype == DType::boolean) return value != 0 && !std::isnan(value);
  return static_cast<uint64_t>(saturated(dtype, value));
}

// Draws for the random generators.
class Draws {
 public:
  Draws(const DataSource& source, DType dtype, PhiloxStream stream) : source_(source), dtype_(dtype), stream_(stream) {}

  uint64_t next() {
    if (source_.generator == "integers") {
      const double low = source_.parameters[0];
      return bits_of(dtype_, low + stream_.below(static_cast<uint32_t>(source_.parameters[1] - low)));
    }
    if (source_.generator == "nonzero") return bits_of(dtype_, nonzero());
    const bool normal = source_.generator == "normal";
    const double value = normal ? stream_.normal() : stream_.unit();
    if (is_float(dtype_)) return bits_of(dtype_, value);
    if (dtype_ == DType::boolean) return value >= (normal ? 0.0 : 0.5);
    return bits_of(dtype_, normal ? std::nearbyint(8 * value) : std::floor(256 * value));
  }

 private:
  // Always as many draws: an element's number does not depend on those before it.
  double nonzero() {
    const std::vector<double>& parameters = source_.parameters;
    const double magnitude = 1 + stream_.below(static_cast<uint32_t>(std::min(parameters[0], 0x1p31)));
    const double spacing = parameters.size() > 1 ? std::min(parameters[1], 0x1p31) : 1;
    const bool zero = stream_.below(static_cast<uint32_t>(spacing)) != 0, negative = stream_.below(2) != 0;
    return zero ? 0 : negative ? -magnitude : magnitude;
  }

  const DataSource& source_;
  DType dtype_;
  PhiloxStream stream_;
};

DataSource default_source(DType dtype) {
  if (is_float(dtype)) return {"normal", {}};
  if (dtype == DType::boolean) return {"integers", {0, 2}};
  return {"integers", {dtype == DType::u8 ? 0.0 : -8.0, 8}};
}

// The seed is the parameter after those that the generator needs.
uint64_t seed_of(const DataSource& source, uint64_t seed) {
  const size_t needed = source.generator == "integers" || source.generator == "nonzero" ? 2 : 0;
  return source.parameters.size() > needed ? static_cast<uint64_t>(source.parameters.back()) : seed;
}

}  // namespace

Tensor materialise(const TensorType& type, const DataSource& given, uint64_t seed, std::string_view name,
                   int64_t elements_least) {
  const DataSource source = given.generator.empty() ? default_source(type.dtype) : given;
  const std::string problem = source_problem(source);
  if (!problem.empty()) throw UserError(fmt::format("data of '{}': {}", name, problem));
  const int64_t elements = std::max(storage_elements(type), elements_least);
  if (elements > kMaterialisedBytesMax / byte_size(type.dtype))
    throw UserError(fmt::format("data of '{}': {} elements of {} take more than {} bytes", name, elements,
                                faultline::name(type.dtype), kMaterialisedBytesMax));

  const DType dtype = type.dtype;
  Tensor tensor{type, std::make_shared<std::vector<std::byte>>(static_cast<size_t>(elements * byte_size(dtype)))};
  const auto fill = [&](auto&& bits_at) {
    for (int64_t i = 0; i < elements; ++i) store(tensor.data(), dtype, i, bits_at(i));
  };
  const std::string& generator = source.generator;
  if (generator == "normal" || generator == "uniform" || generator == "integers" || generator == "nonzero") {
    Draws draws(source, dtype, PhiloxStream(seed_of(source, seed), name));
    fill([&](int64_t) { return draws.next(); });
  } else if (generator == "address") {
    fill([&](int64_t i) { return static_cast<uint64_t>(dtype == DType::boolean ? i & 1 : i); });
  } else if (generator == "arange") {
    fill([&](int64_t i) { return bits_of(dtype, static_cast<double>(i)); });
  } else {
    std::vector<double> numbers = source.parameters;
    if (generator == "zeros") numbers = {0};
    if (generator == "ones") numbers = {1};
    fill([&](int64_t i) { return bits_of(dtype, numbers[static_cast<size_t>(i) % numbers.size()]); });
  }
  return tensor;
}

int64_t shared_storage_elements(const std::vector<Parameter>& parameters, const std::vector<TensorType>& types,
                                size_t owner) {
  int64_t elements = storage_elements(types[owner]);
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].tensor && parameters[i].alias_of == parameters[owner].name)
      elements = std::max(elements, storage_elements(types[i]));
  return elements;
}

}  // namespace faultline
