// Values are found and made here, and the program is written; data and places of parameters are in scope_parameters.cc.
#include "generate/scope.h"

#include <algorithm>

#include "runtime/ir/program_text.h"

namespace faultline::generate {

std::string joined(const std::vector<std::string>& parts, const std::string& between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

std::string list_text(const Sizes& numbers) {
  std::vector<std::string> parts;
  for (const int64_t number : numbers) parts.push_back(std::to_string(number));
  return "[" + joined(parts) + "]";
}

Sizes broadcast(const Sizes& a, const Sizes& b) {
  Sizes out = a.size() < b.size() ? b : a;
  const Sizes& shorter = a.size() < b.size() ? a : b;
  for (size_t d = 0; d < shorter.size(); ++d) {
    int64_t& size = out[out.size() - shorter.size() + d];
    if (size == 1) size = shorter[d];
  }
  return out;
}

DType RandomScope::some_float() {
  static constexpr DType kFloats[] = {DType::f32, DType::f16, DType::f32, DType::f16, DType::bf16};
  static constexpr DType kReported[] = {DType::f32, DType::f16, DType::f32, DType::bf16, DType::f32, DType::f64};
  return style_.as_reported ? one_of(kReported) : one_of(kFloats);
}

DType RandomScope::some_integer() {
  static constexpr DType kReported[] = {DType::i64, DType::u8, DType::i32, DType::i8, DType::i64, DType::i16};
  if (style_.as_reported) return one_of(kReported);
  return one_in(12) ? DType::i8 : one_in(2) ? DType::i32 : DType::i64;
}

DType RandomScope::some_dtype() {
  if (style_.as_reported) return one_in(3) ? some_integer() : one_in(6) ? DType::boolean : some_float();
  if (one_in(60)) return one_of({DType::f64, DType::i16, DType::u8});
  return one_in(4) ? some_integer() : one_in(10) ? DType::boolean : some_float();
}

int64_t RandomScope::some_size() {
  static constexpr int64_t kSizes[] = {3, 1, 2, 4, 5, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 130};
  static constexpr int64_t kLanes[] = {3, 1, 2, 5, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129};
  if (one_in(80)) return 0;
  return style_.shapes == Shapes::lanes ? one_of(kLanes) : one_of(kSizes);
}

Sizes RandomScope::some_sizes(int rank, int64_t limit) {
  static constexpr int64_t kTiny[] = {1, 2, 1, 3, 1, 2, 5, 1, 4};
  Sizes sizes;
  int64_t count = 1;
  for (int d = 0; d < rank; ++d) {
    if (style_.shapes == Shapes::tiny) {
      sizes.push_back(one_in(40) ? 0 : one_of(kTiny));
      continue;
    }
    int64_t size = some_size();
    if (count * size >= limit) size = 1 + below(3);
    if (count * size >= limit) size = 1;
    sizes.push_back(size);
    count *= std::max<int64_t>(size, 1);
  }
  // Long dims anywhere.
  if (rank > 1 && one_in(2)) std::reverse(sizes.begin(), sizes.end());
  for (int64_t& size : sizes)
    if (change_.from > 0 && size == change_.from) size = change_.to;
  return sizes;
}

int RandomScope::some_rank() {
  static constexpr int kRanks[] = {2, 1, 3, 2, 1, 2, 3, 4, 0};
  return one_of(kRanks);
}

RandomValue RandomScope::value(const Fits& fits, const std::function<RandomValue(RandomScope&)>& make, int apart_from) {
  std::vector<size_t> found;
  for (size_t v = 0; v < values_.size(); ++v)
    if (fits(values_[v])) found.push_back(v);
  if (found.empty() || one_in(8)) return parameter(make(*this), "", apart_from);
  const size_t late = std::min<size_t>(found.size(), 1 + below(static_cast<int64_t>(found.size())));
  return values_[found[found.size() - 1 - below(static_cast<int64_t>(late))]];
}

RandomValue RandomScope::any(int rank_min, int rank_max) {
  return value([=](const RandomValue& v) { return v.rank() >= rank_min && v.rank() <= rank_max; },
               [=](RandomScope& s) { return s.typed(s.some_dtype(), s.rank_within(rank_min, rank_max)); });
}

RandomValue RandomScope::floats(int rank_min, int rank_max) {
  return value([=](const RandomValue& v) { return is_float(v.dtype) && v.rank() >= rank_min && v.rank() <= rank_max; },
               [=](RandomScope& s) { return s.typed(s.some_float(), s.rank_within(rank_min, rank_max)); });
}

RandomValue RandomScope::numbers(int rank_min, int rank_max) {
  return value(
      [=](const RandomValue& v) { return v.dtype != DType::boolean && v.rank() >= rank_min && v.rank() <= rank_max; },
      [=](RandomScope& s) {
        const DType dtype = s.one_in(3) ? s.some_integer() : s.some_float();
        return s.typed(dtype, s.rank_within(rank_min, rank_max));
      });
}

RandomValue RandomScope::integers() {
  return value([](const RandomValue& v) { return is_integer(v.dtype); },
               [](RandomScope& s) { return s.typed(s.some_integer(), s.some_rank()); });
}

RandomValue RandomScope::of_type(DType dtype, const Sizes& sizes, int apart_from) {
  return value([&](const RandomValue& v) { return v.dtype == dtype && v.sizes == sizes && v.storage != apart_from; },
               [&](RandomScope&) { return RandomValue{.name = "", .dtype = dtype, .sizes = sizes}; }, apart_from);
}

RandomValue RandomScope::expandable(DType dtype, const Sizes& sizes, int apart_from) {
  Sizes mine = sizes;
  if (one_in(3)) mine.erase(mine.begin(), mine.begin() + below(static_cast<int64_t>(mine.size()) + 1));
  if (one_in(4))
    for (int64_t& size : mine)
      if (one_in(2)) size = 1;
  return of_type(dtype, mine, apart_from);
}

RandomValue RandomScope::typed(DType dtype, int rank) {
  return {.name = "", .dtype = dtype, .sizes = some_sizes(rank)};
}

int RandomScope::rank_within(int low, int high) { return std::clamp(some_rank(), low, high); }

RandomValue RandomScope::call(const std::string& op, const std::string& arguments, DType dtype, const Sizes& sizes) {
  return call(op, arguments, {.name = "", .dtype = dtype, .sizes = sizes, .storage = storages_++});
}

RandomValue RandomScope::view(const std::string& op, const std::string& arguments, const RandomValue& x,
                              const Sizes& sizes) {
  return call(op, arguments,
              {.name = "", .dtype = x.dtype, .sizes = sizes, .writable = x.writable, .storage = x.storage});
}

RandomValue RandomScope::call(const std::string& op, const std::string& arguments, RandomValue result) {
  result.name = new_name();
  line(result.name + " = aten." + op + "(" + arguments + ")");
  add(result);
  return result;
}

void RandomScope::call_all(const std::string& op, const std::string& arguments, std::vector<RandomValue> results) {
  std::vector<std::string> names;
  for (RandomValue& result : results) {
    names.push_back(result.name = new_name());
    if (result.storage < 0) result.storage = storages_++;
  }
  line(joined(names) + " = aten." + op + "(" + arguments + ")");
  for (const RandomValue& result : results) add(result);
}

std::string RandomScope::block(const std::function<void()>& body) {
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

Sizes RandomScope::changeable_sizes() const {
  Sizes sizes;
  for (const ParameterText& parameter : parameters_)
    for (const int64_t size : parameter.sizes)
      if (size > 1 && std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
  return sizes;
}

bool RandomScope::is_same_function(const RandomScope& other) const {
  if (block_ != other.block_ || attributes_ != other.attributes_ || parameters_.size() != other.parameters_.size())
    return false;
  for (size_t p = 0; p < parameters_.size(); ++p) {
    const ParameterText &mine = parameters_[p], &its = other.parameters_[p];
    if (mine.dtype != its.dtype || !mine.owner.empty() || !its.owner.empty()) return false;
  }
  return true;
}

std::string RandomScope::inputs_text(int call, bool changed) const {
  std::vector<std::string> inputs;
  for (const ParameterText& parameter : parameters_) {
    std::string source = parameter.source;
    if (source.empty() && call > 0 && parameter.owner.empty() && parameter.dtype != DType::boolean)
      source = is_float(parameter.dtype)                            ? "normal($)"
               : parameter.dtype == DType::u8 && style_.as_reported ? "integers(0,16,$)"
                                                                    : "integers(-8,8,$)";
    if (const size_t seed = source.find('$'); seed != std::string::npos)
      source.replace(seed, 1, std::to_string(call + 1));
    std::string text = parameter.name;
    if (changed) text += ": " + parameter.type;
    if (!source.empty() && parameter.owner.empty()) text += " = " + source;
    if (text != parameter.name) inputs.push_back(text);
  }
  if (call > 0)
    for (const ScalarText& scalar : scalars_) inputs.push_back(scalar.name + " = " + scalar.second);
  return joined(inputs);
}

std::string RandomScope::text(const std::vector<std::string>& returns, int calls, const RandomScope* second) const {
  std::string text;
  for (const std::string& attribute : attributes_) text += attribute + "; ";
  std::vector<std::string> parts;
  for (const ParameterText& parameter : parameters_) parts.push_back(parameter.name + ": " + parameter.type);
  for (const ScalarText& scalar : scalars_) parts.push_back(scalar.name + ": " + scalar.type + " = " + scalar.first);
  text += "def f(" + joined(parts) + "): " + joined(block_, "; ") + "; return " + joined(returns);
  for (int call = 0; call < calls; ++call) {
    const bool changed = call == 1 && second != nullptr;
    const std::string inputs = (changed ? *second : *this).inputs_text(call, changed);
    if (!inputs.empty() || calls > 1) text += "; call f(" + inputs + ")";
  }
  return text;
}

}  // namespace faultline::generate
