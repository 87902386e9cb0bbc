// Printing is the inverse of parsing, for programs that RapidCheck builds; and a damaged text is refused or valid.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "runtime/base/error.h"
#include "runtime/ir/program_text.h"

namespace faultline {
namespace {

int pick(int n) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, n)); }
template <class T>
T pick_of(const std::vector<T>& items) {
  return items[static_cast<size_t>(pick(static_cast<int>(items.size())))];
}

double any_real() {
  const std::vector<double> special = {0.0,
                                       -0.0,
                                       1.0,
                                       std::numeric_limits<double>::infinity(),
                                       -std::numeric_limits<double>::infinity(),
                                       std::numeric_limits<double>::quiet_NaN(),
                                       std::numeric_limits<double>::denorm_min(),
                                       std::numeric_limits<double>::max()};
  return pick(2) ? pick_of(special) : *rc::gen::arbitrary<double>();
}

Scalar any_scalar() {
  switch (pick(3)) {
    case 0: return *rc::gen::arbitrary<int64_t>();
    case 1: return any_real();
    default: return pick(2) == 1;
  }
}

TensorType any_type() {
  TensorType type;
  type.dtype = static_cast<DType>(pick(kDTypeCount));
  for (int rank = pick(4); rank > 0; --rank) type.sizes.push_back(pick(5));
  type.strides = contiguous_strides(type.sizes);
  if (pick(3) == 0)
    for (int64_t& stride : type.strides) stride = pick(20);
  if (pick(3) == 0) type.offset = pick(100);
  return type;
}

DataSource any_source() {
  switch (pick(6)) {
    case 0: return {"normal", {static_cast<double>(pick(1000))}};
    case 1: return {"integers", {-5, 7}};
    case 2: return {"address", {}};
    case 3: return {"full", {any_real()}};
    case 4: return {"values", {any_real(), any_real(), 3}};
    default: return {"uniform", {}};
  }
}

// Builds programs that the parser must accept: it keeps the same account of names, in its own way.
class Builder {
 public:
  Program build() {
    Program program;
    program.name = "f" + std::to_string(pick(10));
    for (int i = pick(4); i > 0; --i) add_attribute(program);
    for (int i = pick(4); i > 0; --i) add_parameter(program);
    program.body = statements(pick(12), 0);
    for (int i = pick(3); i > 0 && !all().empty(); --i) program.returns.push_back(pick_of(all()));
    for (int i = pick(3); i > 0; --i) program.calls.push_back(call_of(program));
    return program;
  }

 private:
  std::string fresh() { return "v" + std::to_string(next_++); }
  std::vector<std::string> all() const {
    std::vector<std::string> names = tensors_;
    names.insert(names.end(), scalars_.begin(), scalars_.end());
    return names;
  }

  void add_attribute(Program& program) {
    Program::Attribute attribute;
    const std::string name = pick_of<std::string>({"scale", "layers.0.w", "count", "b"}) + std::to_string(next_++);
    const int kind = pick(4);
    if (kind == 0) {
      attribute.value = any_scalar();
    } else {
      attribute.type = any_type();
      Tensor tensor{attribute.type, nullptr};
      if (kind == 1) attribute.data = any_source();
      if (kind == 2) {
        tensor = make_tensor(attribute.type);
        for (std::byte& byte : *tensor.storage) byte = static_cast<std::byte>(pick(256));
      }
      attribute.value = tensor;
      const std::string alias = "a" + std::to_string(next_++);
      if (pick(3) == 0) {
        Program::Attribute other = attribute;
        other.alias_of = name;
        other.data = {};
        program.attributes[alias] = other;
        tensor_attributes_.push_back(alias);
      }
    }
    program.attributes[name] = attribute;
    (kind == 0 ? scalar_attributes_ : tensor_attributes_).push_back(name);
  }

  void add_parameter(Program& program) {
    Parameter parameter;
    parameter.name = fresh();
    if (pick(3) == 0) {
      const Scalar value = any_scalar();
      const ScalarType types[] = {ScalarType::integer, ScalarType::real, ScalarType::boolean};
      parameter.scalar = types[value.index()];
      if (pick(2)) parameter.default_scalar = value;
      scalars_.push_back(parameter.name);
    } else {
      parameter.tensor = any_type();
      const Parameter* owner = program.parameters.empty() ? nullptr : &program.parameters.front();
      if (owner && owner->tensor && pick(2)) {
        parameter.tensor->dtype = owner->tensor->dtype;
        parameter.alias_of = owner->name;
      }
      tensors_.push_back(parameter.name);
    }
    program.parameters.push_back(parameter);
  }

  CallSpec call_of(const Program& program) {
    CallSpec call;
    for (const Parameter& parameter : program.parameters) {
      if (pick(2)) continue;
      CallInput input;
      if (parameter.tensor) {
        if (pick(2)) input.tensor = any_type();
        if (parameter.alias_of.empty() && (pick(2) || !input.tensor)) input.data = any_source();
        if (!input.tensor && input.data.generator.empty()) continue;
      } else {
        input.scalar = *parameter.scalar == ScalarType::real      ? Scalar{any_real()}
                       : *parameter.scalar == ScalarType::integer ? Scalar{*rc::gen::arbitrary<int64_t>()}
                                                                  : Scalar{true};
      }
      call.inputs[parameter.name] = input;
    }
    return call;
  }

  Argument argument(int depth) {
    switch (pick(depth < 3 ? 8 : 7)) {
      case 0: return {NoneArgument{}};
      case 1: return {pick(2) == 1};
      case 2: return {*rc::gen::arbitrary<int64_t>()};
      case 3: return {any_real()};
      case 4: return {static_cast<DType>(pick(kDTypeCount))};
      case 5:
        return {Keyword{pick(2) ? pick_of<std::string>({"contiguous_format", "tanh", "", "a\"b\\c", "ij,jk->ik"})
                                : *rc::gen::arbitrary<std::string>()}};
      case 6: return all().empty() ? Argument{NoneArgument{}} : Argument{ValueName{pick_of(all())}};
      default: {
        ArgumentList list;
        for (int i = pick(4); i > 0; --i) list.push_back(argument(depth + 1));
        return {list};
      }
    }
  }

  Argument scalar_operand() {
    if (!scalars_.empty() && pick(2)) return {ValueName{pick_of(scalars_)}};
    return std::visit([](auto value) { return Argument{value}; }, any_scalar());
  }

  Statement call_statement() {
    CallStatement call;
    call.target =
        pick_of<std::string>({"aten.clone.default", "aten.add.Tensor", "aten.add_.Tensor", "prims.sum.default"});
    for (int i = pick(4); i > 0; --i) call.arguments.push_back(argument(0));
    for (const char* name : {"dtype", "alpha", "if"})
      if (pick(4) == 0) call.keywords.emplace_back(name, argument(0));
    for (int i = pick(4); i > 0; --i) call.results.push_back(fresh());
    tensors_.insert(tensors_.end(), call.results.begin(), call.results.end());
    return {call};
  }

  Statement scalar_statement() {
    ScalarStatement statement;
    statement.op =
        pick_of<std::string>({"+", "-", "*", "/", "//", "%", "<", "<=", ">", ">=", "==", "!=", "and", "or", "not"});
    for (int i = statement.op == "not" ? 1 : 2; i > 0; --i) statement.operands.push_back(scalar_operand());
    statement.result = fresh();
    scalars_.push_back(statement.result);
    return {statement};
  }

  Statement if_statement(int depth) {
    IfStatement statement;
    statement.condition = pick_of(scalars_);
    const auto tensors = tensors_, scalars = scalars_;
    statement.then_branch = statements(pick(3), depth + 1);
    const std::string both = fresh();
    statement.then_branch.push_back({CallStatement{{both}, "aten.ones.default", {}, {}}});
    tensors_ = tensors, scalars_ = scalars;
    if (pick(2)) {
      statement.else_branch = statements(pick(3), depth + 1);
      statement.else_branch.push_back({CallStatement{{both}, "aten.zeros.default", {}, {}}});
      tensors_ = tensors, scalars_ = scalars;
      tensors_.push_back(both);
    }
    return {statement};
  }

  Statement statement(int depth) {
    switch (pick(7)) {
      case 0:
        if (!tensors_.empty()) {
          ItemStatement item{fresh(), pick_of(tensors_)};
          scalars_.push_back(item.result);
          return {item};
        }
        [[fallthrough]];
      case 1: return scalar_statement();
      case 2:
        if (!scalars_.empty() && depth < 3) return if_statement(depth);
        [[fallthrough]];
      case 3:
        if (!tensor_attributes_.empty()) {
          ReadAttribute read{fresh(), pick_of(tensor_attributes_)};
          tensors_.push_back(read.result);
          return {read};
        }
        [[fallthrough]];
      case 4: return {WriteAttribute{"written", scalar_operand()}};
      default: return call_statement();
    }
  }

  std::vector<Statement> statements(int count, int depth) {
    std::vector<Statement> result;
    for (int i = 0; i < count; ++i) result.push_back(statement(depth));
    return result;
  }

  int next_ = 0;
  std::vector<std::string> tensors_, scalars_, tensor_attributes_, scalar_attributes_;
};

RC_GTEST_PROP(ProgramTextProperty, PrintedProgramsReadBack, ()) {
  const Program program = Builder().build();
  const std::string text = to_text(program), line = to_line(program);
  RC_LOG() << text;
  RC_ASSERT(parse_program(text, "text") == program);
  RC_ASSERT(parse_program(line, "line") == program);
  RC_ASSERT(line.find('\n') == std::string::npos);
  RC_ASSERT(to_text(parse_program(line, "line")) == text);
}

// A damaged text is refused by UserError or is a program that again prints and reads back; anything else is a
// failure.
RC_GTEST_PROP(ProgramTextProperty, DamagedTextIsRefusedOrValid, ()) {
  std::string text = to_text(Builder().build());
  for (int i = pick(4) + 1; i > 0; --i) {
    const size_t at = static_cast<size_t>(pick(static_cast<int>(text.size())));
    switch (pick(3)) {
      case 0: text.erase(at, static_cast<size_t>(pick(10) + 1)); break;
      case 1: text.insert(at, text.substr(static_cast<size_t>(pick(static_cast<int>(text.size()))), 12)); break;
      default: text[at] = static_cast<char>(pick(128));
    }
  }
  try {
    const Program program = parse_program(text, "damaged");
    RC_ASSERT(parse_program(to_text(program), "text") == program);
  } catch (const UserError& error) {
    const std::string line = error.what();
    RC_ASSERT(line.rfind("damaged:", 0) == 0u);
    RC_ASSERT(line.find('\n') == std::string::npos);
  }
}

}  // namespace
}  // namespace faultline
