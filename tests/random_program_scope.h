// What a random program has so far: typed values, parameters with their data, statements. Parameters come into being
// when an operand is wanted that no value offers. Types of results are predicted by the functions that emit calls;
// where such a prediction is wrong eager refuses a later call, and the program is counted as refused.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "runtime/core/choices.h"
#include "runtime/ir/program_text.h"
#include "runtime/ir/tensor.h"

namespace faultline::random_test {

inline constexpr int64_t kElementsMax = 8000;  // of an operand

struct RandomValue {
  std::string name;
  DType dtype = DType::f32;
  Sizes sizes = {};
  bool writable = true;   // no two elements share memory
  int64_t index_end = 0;  // integers that index: every element is in [0, index_end); nothing writes to them
  int storage = -1;       // values of one number may share memory

  int rank() const { return static_cast<int>(sizes.size()); }
  int64_t elements() const { return element_count(sizes); }
};

// Tiny tensors with odd strides are quick, and their dims of size 1 and 0 have strides that say nothing.
enum class Shapes : uint8_t { ordinary, tiny };

using Fits = std::function<bool(const RandomValue&)>;

inline std::string joined(const std::vector<std::string>& parts, const std::string& between = ", ") {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}
inline std::string list_text(const Sizes& numbers) {
  std::vector<std::string> parts;
  for (const int64_t number : numbers) parts.push_back(std::to_string(number));
  return "[" + joined(parts) + "]";
}

// The sizes that two operands expand to; the caller knows that they fit.
inline Sizes broadcast(const Sizes& a, const Sizes& b) {
  Sizes out = a.size() < b.size() ? b : a;
  const Sizes& shorter = a.size() < b.size() ? a : b;
  for (size_t d = 0; d < shorter.size(); ++d) {
    int64_t& size = out[out.size() - shorter.size() + d];
    if (size == 1) size = shorter[d];
  }
  return out;
}

class RandomScope {
 public:
  explicit RandomScope(Choices& choices, Shapes shapes = Shapes::ordinary) : choices_(choices), shapes_(shapes) {}

  uint32_t below(int64_t n) { return choices_.below(static_cast<uint32_t>(n)); }
  bool one_in(uint32_t n) { return choices_.below(n) == n - 1; }
  template <class T, size_t N>
  const T& one_of(const T (&row)[N]) {
    return row[below(N)];
  }

  DType some_float() {
    static constexpr DType kFloats[] = {DType::f32, DType::f16, DType::f32, DType::f16, DType::bf16};
    return one_of(kFloats);
  }
  DType some_integer() { return one_in(12) ? DType::i8 : one_in(2) ? DType::i32 : DType::i64; }
  DType some_dtype() {
    if (one_in(60)) return one_of({DType::f64, DType::i16, DType::u8});
    return one_in(4) ? some_integer() : one_in(10) ? DType::boolean : some_float();
  }

  Sizes some_sizes(int rank, int64_t limit = kElementsMax) {
    static constexpr int64_t kSizes[] = {3, 1, 2, 4, 5, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 130};
    static constexpr int64_t kTiny[] = {1, 2, 1, 3, 1, 2, 5, 1, 4};
    Sizes sizes;
    int64_t count = 1;
    for (int d = 0; d < rank; ++d) {
      if (shapes_ == Shapes::tiny) {
        sizes.push_back(one_in(40) ? 0 : one_of(kTiny));
        continue;
      }
      int64_t size = one_in(80) ? 0 : one_of(kSizes);
      if (count * size >= limit) size = 1 + below(3);
      if (count * size >= limit) size = 1;
      sizes.push_back(size);
      count *= std::max<int64_t>(size, 1);
    }
    // Long dims anywhere.
    if (rank > 1 && one_in(2)) std::reverse(sizes.begin(), sizes.end());
    return sizes;
  }
  int some_rank() {
    static constexpr int kRanks[] = {2, 1, 3, 2, 1, 2, 3, 4, 0};
    return one_of(kRanks);
  }

  // A value that fits, most often a late one; otherwise a new parameter of the type that `make` gives.
  RandomValue value(const Fits& fits, const std::function<RandomValue(RandomScope&)>& make, int apart_from = -2) {
    std::vector<size_t> found;
    for (size_t v = 0; v < values_.size(); ++v)
      if (fits(values_[v])) found.push_back(v);
    if (found.empty() || one_in(8)) return parameter(make(*this), "", apart_from);
    const size_t late = std::min<size_t>(found.size(), 1 + below(static_cast<int64_t>(found.size())));
    return values_[found[found.size() - 1 - below(static_cast<int64_t>(late))]];
  }
  // Any value; floats; floats and integers.
  RandomValue any(int rank_min = 0, int rank_max = 4) {
    return value([=](const RandomValue& v) { return v.rank() >= rank_min && v.rank() <= rank_max; },
                 [=](RandomScope& s) { return s.typed(s.some_dtype(), s.rank_within(rank_min, rank_max)); });
  }
  RandomValue floats(int rank_min = 0, int rank_max = 4) {
    return value(
        [=](const RandomValue& v) { return is_float(v.dtype) && v.rank() >= rank_min && v.rank() <= rank_max; },
        [=](RandomScope& s) { return s.typed(s.some_float(), s.rank_within(rank_min, rank_max)); });
  }
  RandomValue numbers(int rank_min = 0, int rank_max = 4) {
    return value(
        [=](const RandomValue& v) { return v.dtype != DType::boolean && v.rank() >= rank_min && v.rank() <= rank_max; },
        [=](RandomScope& s) {
          const DType dtype = s.one_in(3) ? s.some_integer() : s.some_float();
          return s.typed(dtype, s.rank_within(rank_min, rank_max));
        });
  }
  RandomValue integers() {
    return value([](const RandomValue& v) { return is_integer(v.dtype); },
                 [](RandomScope& s) { return s.typed(s.some_integer(), s.some_rank()); });
  }
  // Exactly this type.
  RandomValue of_type(DType dtype, const Sizes& sizes, int apart_from = -2) {
    return value([&](const RandomValue& v) { return v.dtype == dtype && v.sizes == sizes && v.storage != apart_from; },
                 [&](RandomScope&) { return RandomValue{.name = "", .dtype = dtype, .sizes = sizes}; }, apart_from);
  }
  // Something that expands to these sizes, in another storage where that matters.
  RandomValue expandable(DType dtype, const Sizes& sizes, int apart_from = -2) {
    Sizes mine = sizes;
    if (one_in(3)) mine.erase(mine.begin(), mine.begin() + below(static_cast<int64_t>(mine.size()) + 1));
    if (one_in(4))
      for (int64_t& size : mine)
        if (one_in(2)) size = 1;
    return of_type(dtype, mine, apart_from);
  }

  RandomValue typed(DType dtype, int rank) { return {.name = "", .dtype = dtype, .sizes = some_sizes(rank)}; }
  int rank_within(int low, int high) { return std::clamp(some_rank(), low, high); }

  // A new parameter; `source` is where its data come from, with '$' for a seed: "integers(1,9,$)". It may show the
  // memory of another parameter, but not that of `apart_from`.
  RandomValue parameter(RandomValue type, const std::string& source = "", int apart_from = -2) {
    const std::string name = "x" + std::to_string(parameters_.size());
    type.name = name;
    const TensorType placed = placed_type(type);
    for (size_t d = 0; d < placed.sizes.size(); ++d)
      type.writable = type.writable && (placed.strides[d] > 0 || placed.sizes[d] <= 1);
    std::string text = to_text(placed);
    const std::string owner = source.empty() && one_in(16) ? some_owner(type.dtype, apart_from) : "";
    if (!owner.empty()) text = shared(placed, owner);
    type.storage = owner.empty() ? storages_++ : storage_of(owner);
    parameters_.push_back(
        {name, text, type.dtype, owner, source.empty() && owner.empty() ? some_source(type) : source, type.storage});
    values_.insert(values_.begin(), type);
    return type;
  }
  // Its value is for the caller alone.
  RandomValue hidden_parameter(const RandomValue& type, const std::string& source) {
    const RandomValue value = parameter(type, source);
    values_.erase(values_.begin());
    return value;
  }
  RandomValue indices(int64_t end, const Sizes& sizes, DType dtype) {
    RandomValue type{.name = "", .dtype = dtype, .sizes = sizes, .index_end = end};
    return parameter(type, "integers(0," + std::to_string(end) + ",$)");
  }
  std::string scalar_parameter(const std::string& type, const std::string& first, const std::string& second) {
    const std::string name = "n" + std::to_string(scalars_.size());
    scalars_.push_back({name, type, first, second});
    return name;
  }
  RandomValue attribute(const RandomValue& type) {
    const std::string name = "self.a" + std::to_string(attributes_.size());
    attributes_.push_back(name + " = tensor " + to_text(contiguous_type(type.dtype, type.sizes)));
    return {.name = name, .dtype = type.dtype, .sizes = type.sizes, .storage = storages_++};
  }
  void scalar_attribute(const std::string& line) { attributes_.push_back(line); }
  size_t attribute_count() const { return attributes_.size(); }

  void line(const std::string& text) { block_.push_back(text); }
  std::string new_name() { return "v" + std::to_string(names_++); }
  void add(const RandomValue& value) { values_.push_back(value); }
  // "v3 = aten.<op>(<arguments>)", a tensor of its own.
  RandomValue call(const std::string& op, const std::string& arguments, DType dtype, const Sizes& sizes) {
    return call(op, arguments, {.name = "", .dtype = dtype, .sizes = sizes, .storage = storages_++});
  }
  // The same, but it may be a view of x.
  RandomValue view(const std::string& op, const std::string& arguments, const RandomValue& x, const Sizes& sizes) {
    return call(op, arguments,
                {.name = "", .dtype = x.dtype, .sizes = sizes, .writable = x.writable, .storage = x.storage});
  }
  RandomValue call(const std::string& op, const std::string& arguments, RandomValue result) {
    result.name = new_name();
    line(result.name + " = aten." + op + "(" + arguments + ")");
    add(result);
    return result;
  }
  void call_all(const std::string& op, const std::string& arguments, std::vector<RandomValue> results) {
    std::vector<std::string> names;
    for (RandomValue& result : results) {
      names.push_back(result.name = new_name());
      if (result.storage < 0) result.storage = storages_++;
    }
    line(joined(names) + " = aten." + op + "(" + arguments + ")");
    for (const RandomValue& result : results) add(result);
  }

  // What `body` emits as a block of its own; its values are gone afterwards.
  std::string block(const std::function<void()>& body) {
    std::vector<std::string> outer;
    std::swap(outer, block_);
    const std::vector<RandomValue> known = values_;
    const size_t parameters = parameters_.size();
    body();
    const size_t fresh = parameters_.size() - parameters;  // parameters stand in front, and stay
    values_.erase(values_.begin() + static_cast<int64_t>(fresh), values_.end());
    values_.insert(values_.end(), known.begin(), known.end());
    std::swap(outer, block_);
    return joined(outer, "; ");
  }

  const std::vector<RandomValue>& values() const { return values_; }
  // Names that the program returns in any case.
  std::vector<std::string>& required() { return required_; }
  std::string text(const std::vector<std::string>& returns, int calls);

 private:
  struct ParameterText {
    std::string name, type;
    DType dtype;
    std::string owner, source;
    int storage;
  };
  struct ScalarText {
    std::string name, type, first, second;
  };

  // Contiguous; dims in another order; every second element; rows with a gap; an offset.
  TensorType placed_type(const RandomValue& value) {
    TensorType type = contiguous_type(value.dtype, value.sizes);
    const int rank = value.rank();
    if (rank == 0 || (value.elements() == 0 && shapes_ == Shapes::ordinary) || one_in(2)) return type;
    const uint32_t kind = below(8);
    if (kind < 3 && rank > 1) {
      std::vector<int> order(rank);
      for (int d = 0; d < rank; ++d) order[d] = d;
      for (int d = rank; d-- > 1;) std::swap(order[d], order[below(d + 1)]);
      if (shapes_ == Shapes::tiny && rank > 3 && one_in(2)) {  // channels last
        order.assign(1, 1);
        for (int d = rank; d-- > 2;) order.push_back(d);
        order.push_back(0);
      }
      int64_t step = 1;
      for (const int d : order) {
        type.strides[d] = step;
        step *= std::max<int64_t>(value.sizes[d], 1);
      }
    } else if (kind == 3) {
      for (int64_t& stride : type.strides) stride *= 2;
    } else if (kind == 4 && rank > 1) {
      for (int d = 0; d < rank - 1; ++d)
        type.strides[d] += type.strides[d] / std::max<int64_t>(type.strides[rank - 2], 1);
    } else if (kind == 5 && rank > 1 && one_in(2)) {
      type.strides[0] = 0;
    }
    if (kind == 6) type.offset = 1 + below(70);
    if (shapes_ == Shapes::tiny && one_in(3))  // a dim of size 1 may have any stride
      for (int d = 0; d < rank; ++d)
        if (value.sizes[d] == 1) type.strides[d] = below(9);
    return type;
  }
  int storage_of(const std::string& name) const {
    const auto same = [&](const ParameterText& parameter) { return parameter.name == name; };
    return std::find_if(parameters_.begin(), parameters_.end(), same)->storage;
  }
  std::string some_owner(DType dtype, int apart_from) {
    for (const ParameterText& parameter : parameters_)
      if (parameter.dtype == dtype && parameter.owner.empty() && !parameter.source.starts_with("integers") &&
          parameter.storage != apart_from)
        return parameter.name;
    return "";
  }
  std::string shared(TensorType type, const std::string& owner) {
    type.offset += below(9);
    std::string text = to_text(type);
    if (!text.ends_with('}')) text += "{";
    if (text.ends_with('}')) text.back() = ' ';
    return text + "of=" + owner + "}";
  }
  std::string some_source(const RandomValue& type) {
    if (!one_in(5)) return "";
    if (type.dtype == DType::boolean) return one_of({"zeros()", "ones()"});
    if (!is_float(type.dtype)) return one_of({"arange()", "integers(-100,100,$)", "integers(0,3,$)", "address()"});
    return one_of({"uniform($)", "integers(-9,9,$)", "arange()", "ones()", "full(-1.5)", "zeros()", "address()"});
  }

  Choices& choices_;
  Shapes shapes_;
  std::vector<RandomValue> values_;  // parameters first, the newest in front
  std::vector<ParameterText> parameters_;
  std::vector<ScalarText> scalars_;
  std::vector<std::string> attributes_, block_, required_;
  int names_ = 0, storages_ = 0;
};

// The whole program on one line.
inline std::string RandomScope::text(const std::vector<std::string>& returns, int calls) {
  std::string text;
  for (const std::string& attribute : attributes_) text += attribute + "; ";
  std::vector<std::string> parts;
  for (const ParameterText& parameter : parameters_) parts.push_back(parameter.name + ": " + parameter.type);
  for (const ScalarText& scalar : scalars_) parts.push_back(scalar.name + ": " + scalar.type + " = " + scalar.first);
  text += "def f(" + joined(parts) + "): " + joined(block_, "; ") + "; return " + joined(returns);
  for (int c = 0; c < calls; ++c) {
    std::vector<std::string> inputs;
    for (const ParameterText& parameter : parameters_) {
      std::string source = parameter.source;
      if (source.empty() && c > 0 && parameter.owner.empty() && parameter.dtype != DType::boolean)
        source = is_float(parameter.dtype) ? "normal($)" : "integers(-8,8,$)";
      if (const size_t seed = source.find('$'); seed != std::string::npos)
        source.replace(seed, 1, std::to_string(c + 1));
      if (!source.empty() && parameter.owner.empty()) inputs.push_back(parameter.name + " = " + source);
    }
    if (c > 0)
      for (const ScalarText& scalar : scalars_) inputs.push_back(scalar.name + " = " + scalar.second);
    if (!inputs.empty() || calls > 1) text += "; call f(" + joined(inputs) + ")";
  }
  return text;
}

}  // namespace faultline::random_test
