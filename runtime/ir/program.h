// A Program: a tensor function as the user wrote it, before any layer. Text form: docs/program-text.md.
//
//   def clone65(x: f16[65]): y = aten.clone(x); return y
//   def f(x: f32[4,8]{stride=1,4}, n: int = 3, p: float, flag: bool):
//     s = aten.sum.default(x)
//     v = s.item()
//     c = v > 0.0
//     if c { y = aten.mul.Scalar(x, 2.0) } else { y = aten.neg(x) }
//     self.count = y
//     return y, s
//   call f(x = normal(1), n = 3)
//   call f(x: f32[6,8] = address(), n = 4)
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/ir/tensor.h"

namespace faultline {

struct Argument;
using ArgumentList = std::vector<Argument>;

// A reference to a value of the program by name.
struct ValueName {
  std::string text;
  bool operator==(const ValueName&) const = default;
};
// A word with a meaning of its own in the schema: memory formats, layouts, devices, and strings such as "tanh".
struct Keyword {
  std::string text;
  bool operator==(const Keyword&) const = default;
};
struct NoneArgument {
  bool operator==(const NoneArgument&) const = default;
};

struct Argument {
  std::variant<NoneArgument, bool, int64_t, double, DType, Keyword, ValueName, ArgumentList> value;
  // Doubles are equal when they print alike: -0.0 is not 0.0, and a NaN is a NaN.
  bool operator==(const Argument&) const;
};

// "y, z = aten.split.Tensor(x, 32)". `target` is "aten.<name>.<overload>"; the parser completes "aten.clone" to
// "aten.clone.default". An in-place op has results like any other (the alias it returns). For an op that returns a
// list of tensors (split, unbind, chunk) results name its elements.
struct CallStatement {
  std::vector<std::string> results;
  std::string target;
  ArgumentList arguments;
  std::vector<std::pair<std::string, Argument>> keywords;
  bool operator==(const CallStatement&) const = default;
};
// "v = s.item()": reads one element as a Python scalar (graph break).
struct ItemStatement {
  std::string result, tensor;
  bool operator==(const ItemStatement&) const = default;
};
// "c = v > 0.0": arithmetic on scalars; op is one of + - * / // % < <= > >= == != and or not.
struct ScalarStatement {
  std::string result, op;
  ArgumentList operands;
  bool operator==(const ScalarStatement&) const = default;
};
// "w = self.scale" and "self.count = y": state of the program that outlives a call; holds tensors or scalars.
struct ReadAttribute {
  std::string result, attribute;
  bool operator==(const ReadAttribute&) const = default;
};
struct WriteAttribute {
  std::string attribute;
  Argument value;
  bool operator==(const WriteAttribute&) const = default;
};
struct Statement;
struct IfStatement {
  std::string condition;
  std::vector<Statement> then_branch, else_branch;
  bool operator==(const IfStatement&) const;
};
struct Statement {
  std::variant<CallStatement, ItemStatement, ScalarStatement, ReadAttribute, WriteAttribute, IfStatement> value;
  bool operator==(const Statement&) const = default;
};
inline bool IfStatement::operator==(const IfStatement& other) const {
  return condition == other.condition && then_branch == other.then_branch && else_branch == other.else_branch;
}

enum class ScalarType : uint8_t { integer, real, boolean };
using Scalar = std::variant<int64_t, double, bool>;
// Of one type, and equal as text: -0.0 is not 0.0, and a NaN is a NaN.
bool same_scalar(const Scalar& a, const Scalar& b);

// One typed input. Exactly one of `tensor`, `scalar` is set. `alias_of` names an earlier parameter of the same dtype
// whose storage it shares ("b: f16[4]{offset=2 of=a}"); that one is not itself an alias. The storage holds the
// largest of the group.
struct Parameter {
  std::string name;
  std::optional<TensorType> tensor;
  std::optional<ScalarType> scalar;
  std::optional<Scalar> default_scalar;
  std::string alias_of;
  bool operator==(const Parameter&) const;
};

// Where an input's data come from: normal(seed), uniform(seed), integers(low,high,seed), address(), zeros(), ones(),
// full(v), arange(), values(v0,v1,...). Empty generator: chosen by the Case's seed. What each means:
// runtime/numerics/data_source.h.
struct DataSource {
  std::string generator;
  std::vector<double> parameters;
  bool operator==(const DataSource&) const;
};
struct CallInput {
  std::optional<TensorType> tensor;  // overrides the parameter's type for this call
  std::optional<Scalar> scalar;
  DataSource data;
  bool operator==(const CallInput&) const;
};
// One call of the program. Inputs not named take the parameter's type and seed data.
struct CallSpec {
  std::map<std::string, CallInput> inputs;
  bool operator==(const CallSpec&) const = default;
};

struct Program {
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<Statement> body;
  std::vector<std::string> returns;
  // Initial state: attributes by name ("layers.0.weight"). A tensor holds either bytes (weights and buffers of a
  // .pt2, `hex` in text: value.storage is set) or a DataSource (value.storage is null), or shares the storage of
  // another attribute.
  struct Attribute {
    std::variant<Tensor, Scalar> value;
    TensorType type;       // for tensors; value's type is the same
    DataSource data;       // for tensors that were given by generator in text
    std::string alias_of;  // owner of the storage, itself no alias; the pointer is shared when there are bytes
    bool operator==(const Attribute&) const;
  };
  std::map<std::string, Attribute> attributes;
  std::vector<CallSpec> calls;  // empty means one call
  bool operator==(const Program&) const = default;
};

// The names of the generators a DataSource may have, sorted.
const std::vector<std::string>& generator_names();
// Empty when the source can be drawn from, else what is wrong with its generator or parameters.
std::string source_problem(const DataSource& source);

}  // namespace faultline
