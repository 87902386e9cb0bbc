// Parameters of a random program: where they lie in memory, whose memory they share, and what their data are.
#include <algorithm>

#include "generate/scope.h"
#include "runtime/ir/program_text.h"

namespace faultline::generate {

RandomValue RandomScope::parameter(RandomValue type, const std::string& source, int apart_from) {
  const std::string name = "x" + std::to_string(parameters_.size());
  type.name = name;
  const TensorType placed = placed_type(type);
  for (size_t d = 0; d < placed.sizes.size(); ++d)
    type.writable = type.writable && (placed.strides[d] > 0 || placed.sizes[d] <= 1);
  std::string text = to_text(placed);
  const uint32_t shares = style_.as_reported ? 10 : 16;
  const std::string owner = source.empty() && one_in(shares) ? some_owner(type.dtype, apart_from) : "";
  if (!owner.empty()) text = shared(placed, owner);
  type.storage = owner.empty() ? storages_++ : storage_of(owner);
  parameters_.push_back({name, text, type.dtype, owner, source.empty() && owner.empty() ? some_source(type) : source,
                         type.storage, type.sizes});
  values_.insert(values_.begin(), type);
  return type;
}

RandomValue RandomScope::hidden_parameter(const RandomValue& type, const std::string& source) {
  const RandomValue value = parameter(type, source);
  values_.erase(values_.begin());
  return value;
}

RandomValue RandomScope::indices(int64_t end, const Sizes& sizes, DType dtype) {
  RandomValue type{.name = "", .dtype = dtype, .sizes = sizes, .index_end = end};
  return parameter(type, "integers(0," + std::to_string(end) + ",$)");
}

std::string RandomScope::scalar_parameter(const std::string& type, const std::string& first,
                                          const std::string& second) {
  const std::string name = "n" + std::to_string(scalars_.size());
  scalars_.push_back({name, type, first, second});
  return name;
}

RandomValue RandomScope::attribute(const RandomValue& type) {
  const std::string name = "self.a" + std::to_string(attributes_.size());
  attributes_.push_back(name + " = tensor " + to_text(contiguous_type(type.dtype, type.sizes)));
  return {.name = name, .dtype = type.dtype, .sizes = type.sizes, .storage = storages_++};
}

void RandomScope::permute_strides(const RandomValue& value, TensorType& type) {
  const int rank = value.rank();
  std::vector<int> order(rank);
  for (int d = 0; d < rank; ++d) order[d] = d;
  for (int d = rank; d-- > 1;) std::swap(order[d], order[below(d + 1)]);
  if (style_.shapes != Shapes::ordinary && rank > 3 && one_in(2)) {  // channels last
    order.assign(1, 1);
    for (int d = rank; d-- > 2;) order.push_back(d);
    order.push_back(0);
  }
  int64_t step = 1;
  for (const int d : order) {
    type.strides[d] = step;
    step *= std::max<int64_t>(value.sizes[d], 1);
  }
}

TensorType RandomScope::placed_type(const RandomValue& value) {
  TensorType type = contiguous_type(value.dtype, value.sizes);
  const int rank = value.rank();
  const bool tiny = style_.shapes == Shapes::tiny;
  if (rank == 0 || (value.elements() == 0 && !tiny) || one_in(2)) return type;
  const uint32_t kind = below(8);
  if (kind < 3 && rank > 1) {
    permute_strides(value, type);
  } else if (kind == 3) {
    for (int64_t& stride : type.strides) stride *= 2;
  } else if (kind == 4 && rank > 1) {
    for (int d = 0; d < rank - 1; ++d)
      type.strides[d] += type.strides[d] / std::max<int64_t>(type.strides[rank - 2], 1);
  } else if (kind == 5 && rank > 1 && one_in(2)) {
    type.strides[0] = 0;
  }
  if (kind == 6) type.offset = 1 + below(70);
  if (tiny && one_in(3))  // a dim of size 1 may have any stride
    for (int d = 0; d < rank; ++d)
      if (value.sizes[d] == 1) type.strides[d] = below(9);
  return type;
}

int RandomScope::storage_of(const std::string& name) const {
  const auto same = [&](const ParameterText& parameter) { return parameter.name == name; };
  return std::find_if(parameters_.begin(), parameters_.end(), same)->storage;
}

std::string RandomScope::some_owner(DType dtype, int apart_from) const {
  for (const ParameterText& parameter : parameters_)
    if (parameter.dtype == dtype && parameter.owner.empty() && !parameter.source.starts_with("integers") &&
        parameter.storage != apart_from)
      return parameter.name;
  return "";
}

std::string RandomScope::shared(TensorType type, const std::string& owner) {
  type.offset += below(9);
  std::string text = to_text(type);
  if (!text.ends_with('}')) text += "{";
  if (text.ends_with('}')) text.back() = ' ';
  return text + "of=" + owner + "}";
}

std::string RandomScope::some_source(const RandomValue& type) {
  if (!one_in(5)) return "";
  if (type.dtype == DType::boolean) return one_of({"zeros()", "ones()"});
  if (style_.as_reported) {
    if (type.dtype == DType::u8) return one_of({"arange()", "integers(0,256,$)", "integers(0,3,$)", "address()"});
    if (type.dtype == DType::i8) return one_of({"arange()", "integers(-128,128,$)", "integers(0,3,$)", "address()"});
    if (is_float(type.dtype) && one_in(4)) return "values(0,-0.0,1,-1,inf,-inf,nan,2,1e-7,0.1,100,-3.5)";
  }
  if (!is_float(type.dtype)) return one_of({"arange()", "integers(-100,100,$)", "integers(0,3,$)", "address()"});
  return one_of({"uniform($)", "integers(-9,9,$)", "arange()", "ones()", "full(-1.5)", "zeros()", "address()"});
}

}  // namespace faultline::generate
