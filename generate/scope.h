// What a random program has so far: typed values, parameters with their data, statements. Parameters come into being
// when an operand is wanted that no value offers. Types of results are predicted by the functions that emit calls;
// where such a prediction is wrong eager refuses a later call.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/core/choices.h"
#include "runtime/ir/tensor.h"

namespace faultline::generate {

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

// Ordinary ones are about sticks of 64. Tiny tensors with odd strides are quick, and their dims of size 1 and 0 have
// strides that say nothing. `lanes`: one less, equal and one more than vectors have lanes.
enum class Shapes : uint8_t { ordinary, tiny, lanes };

struct ProgramStyle {
  Shapes shapes = Shapes::ordinary;
  int operations_min = 1, operations_max = 8;
  // Kinds of calls, types and data as often as reports of bugs in compilers speak of them; and second calls with other
  // sizes.
  bool as_reported = false;
};
// What a fuzzer of compilers wants.
inline constexpr ProgramStyle kAsReported = {Shapes::lanes, 1, 10, true};

// Wherever a type of `from` elements in some dim is made, it has `to` there: the same program for another size.
struct SizeChange {
  int64_t from = 0, to = 0;
};

using Fits = std::function<bool(const RandomValue&)>;

std::string joined(const std::vector<std::string>& parts, const std::string& between = ", ");
std::string list_text(const Sizes& numbers);
// The sizes that two operands expand to; the caller knows that they fit.
Sizes broadcast(const Sizes& a, const Sizes& b);

class RandomScope {
 public:
  explicit RandomScope(Choices& choices, const ProgramStyle& style = {}, SizeChange change = {})
      : choices_(choices), style_(style), change_(change) {}

  uint32_t below(int64_t n) { return choices_.below(static_cast<uint32_t>(n)); }
  const ProgramStyle& style() const { return style_; }
  bool one_in(uint32_t n) { return choices_.below(n) == n - 1; }
  template <class T, size_t N>
  const T& one_of(const T (&row)[N]) {
    return row[below(N)];
  }

  DType some_float();
  DType some_integer();
  DType some_dtype();
  Sizes some_sizes(int rank, int64_t limit = kElementsMax);
  int some_rank();

  // A value that fits, most often a late one; otherwise a new parameter of the type that `make` gives.
  RandomValue value(const Fits& fits, const std::function<RandomValue(RandomScope&)>& make, int apart_from = -2);
  // Any value; floats; floats and integers.
  RandomValue any(int rank_min = 0, int rank_max = 4);
  RandomValue floats(int rank_min = 0, int rank_max = 4);
  RandomValue numbers(int rank_min = 0, int rank_max = 4);
  RandomValue integers();
  // Exactly this type.
  RandomValue of_type(DType dtype, const Sizes& sizes, int apart_from = -2);
  // Something that expands to these sizes, in another storage where that matters.
  RandomValue expandable(DType dtype, const Sizes& sizes, int apart_from = -2);

  RandomValue typed(DType dtype, int rank);
  int rank_within(int low, int high);

  // A new parameter; `source` is where its data come from, with '$' for a seed: "integers(1,9,$)". It may show the
  // memory of another parameter, but not that of `apart_from`.
  RandomValue parameter(RandomValue type, const std::string& source = "", int apart_from = -2);
  // Its value is for the caller alone.
  RandomValue hidden_parameter(const RandomValue& type, const std::string& source);
  RandomValue indices(int64_t end, const Sizes& sizes, DType dtype);
  std::string scalar_parameter(const std::string& type, const std::string& first, const std::string& second);
  RandomValue attribute(const RandomValue& type);
  void scalar_attribute(const std::string& line) { attributes_.push_back(line); }
  size_t attribute_count() const { return attributes_.size(); }

  void line(const std::string& text) { block_.push_back(text); }
  std::string new_name() { return "v" + std::to_string(names_++); }
  void add(const RandomValue& value) { values_.push_back(value); }
  // "v3 = aten.<op>(<arguments>)", a tensor of its own.
  RandomValue call(const std::string& op, const std::string& arguments, DType dtype, const Sizes& sizes);
  // The same, but it may be a view of x.
  RandomValue view(const std::string& op, const std::string& arguments, const RandomValue& x, const Sizes& sizes);
  RandomValue call(const std::string& op, const std::string& arguments, RandomValue result);
  void call_all(const std::string& op, const std::string& arguments, std::vector<RandomValue> results);

  // What `body` emits as a block of its own; its values are gone afterwards.
  std::string block(const std::function<void()>& body);

  const std::vector<RandomValue>& values() const { return values_; }
  // Names that the program returns in any case.
  std::vector<std::string>& required() { return required_; }
  // Of the parameters' dims, those that may have another size.
  Sizes changeable_sizes() const;
  // The function is the same for both, and so is the initial state.
  bool is_same_function(const RandomScope& other) const;
  // The whole program on one line. With `second` the second of two calls has its sizes and data.
  std::string text(const std::vector<std::string>& returns, int calls, const RandomScope* second = nullptr) const;

 private:
  struct ParameterText {
    std::string name, type;
    DType dtype;
    std::string owner, source;
    int storage;
    Sizes sizes;
  };
  struct ScalarText {
    std::string name, type, first, second;
  };

  int64_t some_size();
  // Contiguous; dims in another order; every second element; rows with a gap; an offset.
  TensorType placed_type(const RandomValue& value);
  void permute_strides(const RandomValue& value, TensorType& type);
  int storage_of(const std::string& name) const;
  std::string some_owner(DType dtype, int apart_from) const;
  std::string shared(TensorType type, const std::string& owner);
  std::string some_source(const RandomValue& type);
  std::string inputs_text(int call, bool changed) const;

  Choices& choices_;
  ProgramStyle style_;
  SizeChange change_;
  std::vector<RandomValue> values_;  // parameters first, the newest in front
  std::vector<ParameterText> parameters_;
  std::vector<ScalarText> scalars_;
  std::vector<std::string> attributes_, block_, required_;
  int names_ = 0, storages_ = 0;
};

}  // namespace faultline::generate
