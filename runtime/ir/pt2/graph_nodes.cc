// Nodes of the graph and their arguments.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runtime/ir/program_text.h"
#include "runtime/ir/pt2/archive.h"
#include "runtime/ir/pt2/graph.h"
#include "runtime/ir/pt2/schema.h"

namespace faultline {

static constexpr int kGraphDepthMax = 16;

// Checks that the exporter adds; they have no result that a program could use.
static constexpr std::array<std::string_view, 6> kDroppedTargets = {
    "aten._assert_tensor_metadata.default", "aten._assert_scalar.default",
    "aten._assert_async.default",           "aten._assert_async.msg",
    "aten.sym_constrain_range.default",     "aten.sym_constrain_range_for_size.default"};

static constexpr std::pair<std::string_view, std::string_view> kScalarOperators[] = {
    {"_operator.add", "+"},       {"_operator.sub", "-"},  {"_operator.mul", "*"},  {"_operator.truediv", "/"},
    {"_operator.floordiv", "//"}, {"_operator.mod", "%"},  {"_operator.lt", "<"},   {"_operator.le", "<="},
    {"_operator.gt", ">"},        {"_operator.ge", ">="},  {"_operator.eq", "=="},  {"_operator.ne", "!="},
    {"_operator.and_", "and"},    {"_operator.or_", "or"}, {"torch.sym_not", "not"}};

// "torch.ops.aten.add.Tensor" becomes "aten.add.Tensor"; empty for what is no operator.
static std::string operator_target(const std::string& target) {
  constexpr std::string_view prefix = "torch.ops.";
  if (target.rfind(prefix, 0) != 0) return "";
  const std::string name = target.substr(prefix.size());
  size_t begin = 0, parts = 0;
  while (begin <= name.size()) {
    const size_t end = std::min(name.find('.', begin), name.size());
    if (!is_identifier(std::string_view(name).substr(begin, end - begin))) return "";
    begin = end + 1;
    ++parts;
  }
  return parts == 3 ? name : "";
}

static bool is_value(const Argument& argument) { return std::holds_alternative<ValueName>(argument.value); }

void GraphReader::read_nodes(Frame& frame, int depth) {
  for (const JsonView& node : frame.graph.at("nodes").elements()) read_node(frame, node, depth);
}

void GraphReader::read_node(Frame& frame, const JsonView& node, int depth) {
  const std::string name = node.at("target").text();
  if (name == "torch.ops.higher_order.wrap_with_set_grad_enabled") return read_subgraph(frame, node, depth);
  const std::string target = operator_target(name);
  if (std::find(kDroppedTargets.begin(), kDroppedTargets.end(), target) != kDroppedTargets.end()) return;
  if (target == "aten.item.default" || target == "aten._local_scalar_dense.default") return read_item(frame, node);
  if (read_symbol_node(frame, node, name)) return;
  if (target.empty())
    node.at("target").fail(
        fmt::format("expected an operator such as torch.ops.aten.add.Tensor, found '{}'", printable(name)));
  read_call(frame, node, target);
}

// wrap_with_set_grad_enabled(enabled, graph, inputs...): no gradients are taken here, so the graph is read in its
// place.
void GraphReader::read_subgraph(Frame& frame, const JsonView& node, int depth) {
  if (depth >= kGraphDepthMax) node.fail(fmt::format("expected at most {} graphs in graphs", kGraphDepthMax));
  const std::vector<JsonView> inputs = node.at("inputs").elements();
  if (inputs.size() < 2) node.fail("expected a flag, a graph and its inputs");
  Frame inner{inputs[1].at("arg").at("as_graph").at("graph"), {}};
  const std::vector<JsonView> names = inner.graph.at("inputs").elements();
  if (names.size() != inputs.size() - 2)
    node.fail(fmt::format("expected {} inputs of the graph, found {}", names.size(), inputs.size() - 2));
  for (size_t i = 0; i < names.size(); ++i) {
    const auto [kind, name] = names[i].only_member();
    const std::string key = kind == "as_tensor" ? name.at("name").text() : name.at("as_name").text();
    inner.values.emplace(key, read_argument(frame, inputs[i + 2].at("arg")));
  }
  read_nodes(inner, depth + 1);
  const std::vector<JsonView> results = inner.graph.at("outputs").elements(), outputs = node.at("outputs").elements();
  if (results.size() != outputs.size())
    node.fail(fmt::format("expected {} outputs of the graph, found {}", outputs.size(), results.size()));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto [kind, name] = outputs[i].only_member();
    const JsonView key = kind == "as_tensor" ? name.at("name") : name.at("as_name");
    if (!frame.values.emplace(key.text(), read_argument(inner, results[i])).second)
      key.fail(fmt::format("expected a new name, found '{}' again", printable(key.text())));
  }
}

void GraphReader::read_call(Frame& frame, const JsonView& node, const std::string& target) {
  CallStatement call;
  call.target = target;
  for (const JsonView& input : node.at("inputs").elements()) {
    const std::string name = input.at("name").text();
    Argument argument = read_argument(frame, input.at("arg"));
    const auto kind = input.find("kind");
    const bool positional = kind && kind->integer() == 1 && call.keywords.empty();
    if (positional) {
      call.arguments.push_back(std::move(argument));
      continue;
    }
    if (!is_identifier(name)) input.fail(fmt::format("expected the name of an argument, found '{}'", printable(name)));
    for (const auto& [other, value] : call.keywords)
      if (other == name) input.fail(fmt::format("expected each argument once, found '{}' again", name));
    call.keywords.emplace_back(name, std::move(argument));
  }
  call.results = read_results(frame, node.at("outputs"));
  program_.body.push_back({std::move(call)});
}

void GraphReader::read_item(Frame& frame, const JsonView& node) {
  const std::vector<JsonView> inputs = node.at("inputs").elements(), outputs = node.at("outputs").elements();
  if (inputs.size() != 1 || outputs.size() != 1) node.fail("expected one input and one output");
  const Argument tensor = read_argument(frame, inputs[0].at("arg"));
  if (!is_value(tensor)) inputs[0].fail("expected a tensor");
  const JsonView name = outputs[0].only_member().second.at("as_name");
  const std::string source = std::get<ValueName>(tensor.value).text;
  program_.body.push_back({ItemStatement{define(frame, name), source}});
}

// Nodes whose one result is a number. With a hint, and no number from data among the operands, they vanish.
bool GraphReader::read_symbol_node(Frame& frame, const JsonView& node, const std::string& target) {
  const std::vector<JsonView> outputs = node.at("outputs").elements();
  if (outputs.size() != 1) return false;
  const auto [kind, output] = outputs[0].only_member();
  const bool integer = kind == "as_sym_int", real = kind == "as_sym_float";
  if (!integer && !real && kind != "as_sym_bool") return false;
  const JsonView name = output.at("as_name");
  ArgumentList operands;
  for (const JsonView& input : node.at("inputs").elements()) operands.push_back(read_argument(frame, input.at("arg")));

  const bool is_operator = target.rfind("torch.ops.", 0) == 0;  // sym_size(x, d): its tensor is no number from data
  const bool from_data = !is_operator && std::any_of(operands.begin(), operands.end(), is_value);
  const auto number = hint(frame,
                           integer ? "sym_int_values"
                           : real  ? "sym_float_values"
                                   : "sym_bool_values",
                           name.text());
  if (number && !from_data) {
    if (!frame.values.emplace(name.text(), *number).second)
      name.fail(fmt::format("expected a new name, found '{}' again", printable(name.text())));
    return true;
  }
  if (is_operator) return false;
  std::string op;
  for (const auto& [known, text] : kScalarOperators)
    if (known == target) op = text;
  if (target == "_operator.neg") op = "-", operands.insert(operands.begin(), Argument{int64_t{0}});
  if (target == "torch.sym_float") op = "*", operands.push_back(Argument{1.0});
  const bool scalars = std::all_of(operands.begin(), operands.end(), [](const Argument& operand) {
    return operand.value.index() >= 1 && (operand.value.index() <= 3 || is_value(operand));
  });
  if (op.empty() || operands.size() != (op == "not" ? 1u : 2u) || !scalars)
    node.fail(fmt::format("'{}' on a number that is read from data has no counterpart", printable(target)));
  program_.body.push_back({ScalarStatement{define(frame, name), op, std::move(operands)}});
  return true;
}

std::vector<std::string> GraphReader::read_results(Frame& frame, const JsonView& outputs) {
  std::vector<std::string> results;
  const std::vector<JsonView> list = outputs.elements();
  if (list.size() == 1 && list[0].only_member().first == "as_none") return results;
  for (const JsonView& output : list) read_result(frame, output, results);
  return results;
}

// Results keep their positions: one that nobody can name gets a name all the same.
void GraphReader::read_result(Frame& frame, const JsonView& output, std::vector<std::string>& results) {
  const auto [kind, value] = output.only_member();
  if (kind == "as_tensor") {
    results.push_back(define(frame, value.at("name")));
  } else if (kind == "as_tensors") {
    for (const JsonView& tensor : value.elements()) results.push_back(define(frame, tensor.at("name")));
  } else if (kind == "as_optional_tensor") {
    read_result(frame, value, results);
  } else if (kind == "as_optional_tensors") {
    for (const JsonView& tensor : value.elements()) read_result(frame, tensor, results);
  } else if (kind == "as_sym_int" || kind == "as_sym_float" || kind == "as_sym_bool") {
    const auto name = value.find("as_name");
    results.push_back(name ? define(frame, *name) : new_name("unused"));
  } else if (kind == "as_none" || kind == "as_int" || kind == "as_float" || kind == "as_bool") {
    results.push_back(new_name("unused"));
  } else {
    output.fail(fmt::format("a result of kind {} has no counterpart", printable(kind)));
  }
}

Argument GraphReader::value(const Frame& frame, const JsonView& name) const {
  const std::string key = name.text();
  const auto found = frame.values.find(key);
  if (found == frame.values.end()) name.fail(fmt::format("expected a value defined above, found '{}'", printable(key)));
  return found->second;
}

// A SymIntArgument and its likes: a name, or a number.
Argument GraphReader::symbol(const Frame& frame, const JsonView& argument) const {
  const auto [kind, content] = argument.only_member();
  if (kind == "as_name") return value(frame, content);
  if (kind == "as_int") return {content.integer()};
  if (kind == "as_float") return {content.real()};
  if (kind == "as_bool") return {content.boolean()};
  argument.fail(fmt::format("expected a name or a number, found {}", printable(kind)));
}

// The number of a symbol in one of the graph's tables: itself, or the hint of its expression.
std::optional<Argument> GraphReader::hint(const Frame& frame, const std::string& table, const std::string& name) const {
  const auto values = frame.graph.find(table);
  const auto entry = values ? values->find(name) : std::nullopt;
  if (!entry) return std::nullopt;
  auto [kind, content] = entry->only_member();
  if (kind == "as_expr") {
    const auto number = content.find("hint");
    if (!number) return std::nullopt;
    std::tie(kind, content) = number->only_member();
  }
  if (table == "sym_int_values") return Argument{content.integer()};
  if (table == "sym_float_values") return Argument{content.real()};
  return Argument{content.boolean()};
}

Argument GraphReader::read_argument(const Frame& frame, const JsonView& argument) const {
  const auto [kind, content] = argument.only_member();
  if (kind == "as_none") return {NoneArgument{}};
  if (kind == "as_tensor") return value(frame, content.at("name"));
  if (kind == "as_optional_tensor") return read_argument(frame, content);
  if (kind == "as_int") return {content.integer()};
  if (kind == "as_float") return {content.real()};
  if (kind == "as_bool") return {content.boolean()};
  if (kind == "as_string") return {Keyword{content.text()}};
  if (kind == "as_sym_int" || kind == "as_sym_float" || kind == "as_sym_bool") return symbol(frame, content);
  if (kind == "as_scalar_type") return {read_dtype(content)};
  if (kind == "as_memory_format") return {Keyword{read_memory_format(content)}};
  if (kind == "as_layout") return {Keyword{read_layout(content)}};
  if (kind == "as_device") return {Keyword{read_device(content)}};
  return read_list(frame, kind, content);
}

Argument GraphReader::read_list(const Frame& frame, std::string_view kind, const JsonView& list) const {
  static constexpr std::string_view kinds[] = {
      "as_tensors",   "as_ints",       "as_floats",    "as_strings",     "as_sym_ints",         "as_bools",
      "as_sym_bools", "as_sym_floats", "as_int_lists", "as_float_lists", "as_optional_tensors", "as_nested_tensors"};
  if (std::find(std::begin(kinds), std::end(kinds), kind) == std::end(kinds))
    list.fail(fmt::format("an argument of kind {} has no counterpart", printable(kind)));
  ArgumentList result;
  for (const JsonView& element : list.elements()) {
    if (kind == "as_tensors")
      result.push_back(value(frame, element.at("name")));
    else if (kind == "as_ints")
      result.push_back({element.integer()});
    else if (kind == "as_floats")
      result.push_back({element.real()});
    else if (kind == "as_strings")
      result.push_back({Keyword{element.text()}});
    else if (kind == "as_bools")
      result.push_back({element.boolean()});
    else if (kind == "as_int_lists")
      result.push_back(read_list(frame, "as_ints", element));
    else if (kind == "as_float_lists")
      result.push_back(read_list(frame, "as_floats", element));
    else if (kind == "as_nested_tensors")
      result.push_back(read_list(frame, "as_tensors", element));
    else if (kind == "as_optional_tensors")
      result.push_back(read_argument(frame, element));
    else
      result.push_back(symbol(frame, element));
  }
  return {std::move(result)};
}

}  // namespace faultline
