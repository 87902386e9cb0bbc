// Signature of the graph: what comes in, what goes out, what is written. Nodes: graph_nodes.cc.
#include "runtime/ir/pt2/graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/ir/program_text.h"
#include "runtime/ir/pt2/archive.h"
#include "runtime/ir/pt2/schema.h"

namespace faultline {

void GraphReader::read(const JsonView& module) {
  Frame frame{module.at("graph"), {}};
  const JsonView signature = module.at("signature");
  for (const JsonView& spec : signature.at("input_specs").elements()) read_input(frame, spec);
  read_nodes(frame, 0);
  for (const JsonView& spec : signature.at("output_specs").elements()) read_output(frame, spec);
  drop_dead_scalars();
  choose_index_data();
}

void GraphReader::read_input(Frame& frame, const JsonView& spec) {
  const auto [kind, value] = spec.only_member();
  if (kind == "user_input") return read_user_input(frame, value.at("arg"));
  if (kind == "parameter") return read_state_input(frame, value, "parameter_name");
  if (kind == "buffer") return read_state_input(frame, value, "buffer_name");
  if (kind == "tensor_constant") return read_state_input(frame, value, "tensor_constant_name");
  if (kind == "constant_input") return;  // its value stands in the graph
  spec.fail(fmt::format("an input of kind {} has no counterpart", printable(kind)));
}

void GraphReader::read_user_input(Frame& frame, const JsonView& argument) {
  const auto [kind, value] = argument.only_member();
  Parameter parameter;
  if (kind == "as_tensor") {
    const std::string name = value.at("name").text();
    parameter.tensor = read_tensor_type(frame.graph.at("tensor_values").at(name));
    parameter.name = define(frame, value.at("name"));
  } else if (kind == "as_sym_int" || kind == "as_sym_float" || kind == "as_sym_bool") {
    const JsonView name = value.at("as_name");
    const bool integer = kind == "as_sym_int";
    const auto number = hint(frame,
                             integer                  ? "sym_int_values"
                             : kind == "as_sym_float" ? "sym_float_values"
                                                      : "sym_bool_values",
                             name.text());
    parameter.scalar = integer ? ScalarType::integer : kind == "as_sym_float" ? ScalarType::real : ScalarType::boolean;
    if (number && integer) parameter.default_scalar = std::get<int64_t>(number->value);
    parameter.name = define(frame, name);
  } else {
    return;  // a constant of the example, which stands in the graph
  }
  program_.parameters.push_back(std::move(parameter));
}

void GraphReader::read_state_input(Frame& frame, const JsonView& spec, std::string_view name_key) {
  const JsonView fqn = spec.at(name_key);
  const std::string attribute = weights_.attribute(fqn.text(), fqn, program_);
  program_.body.push_back({ReadAttribute{define(frame, spec.at("arg").at("name")), attribute}});
}

void GraphReader::read_output(const Frame& frame, const JsonView& spec) {
  const auto [kind, value] = spec.only_member();
  if (kind == "buffer_mutation") return write_state(frame, value, "buffer_name");
  if (kind == "parameter_mutation") return write_state(frame, value, "parameter_name");
  if (kind == "user_input_mutation") {
    const JsonView input = value.at("user_input_name");
    const Argument target = this->value(frame, input), source = this->value(frame, value.at("arg").at("name"));
    if (!std::holds_alternative<ValueName>(target.value)) input.fail("expected a tensor of the user");
    program_.body.push_back({CallStatement{{}, "aten.copy_.default", {target, source}, {}}});
    return;
  }
  if (kind != "user_output" && kind != "loss_output")
    spec.fail(fmt::format("an output of kind {} has no counterpart", printable(kind)));
  const JsonView argument = value.at("arg");
  // None and constants are no values of the body: the caller of the exported model gets them from the output's
  // structure.
  const Argument result =
      kind == "loss_output" ? this->value(frame, argument.at("name")) : read_argument(frame, argument);
  if (const ValueName* name = std::get_if<ValueName>(&result.value)) program_.returns.push_back(name->text);
}

// Rebinding is right for a tensor of its own; where other attributes share the bytes they must see the write.
void GraphReader::write_state(const Frame& frame, const JsonView& spec, std::string_view name_key) {
  const JsonView fqn = spec.at(name_key);
  const std::string attribute = weights_.attribute(fqn.text(), fqn, program_);
  const Argument source = value(frame, spec.at("arg").at("name"));
  if (!weights_.is_shared(attribute)) {
    program_.body.push_back({WriteAttribute{attribute, source}});
    return;
  }
  const std::string target = new_name("state");
  program_.body.push_back({ReadAttribute{target, attribute}});
  program_.body.push_back({CallStatement{{}, "aten.copy_.default", {Argument{ValueName{target}}, source}, {}}});
}

std::string GraphReader::new_name(const std::string& graph_name) {
  std::string name = graph_name;
  for (char& c : name)
    if (!is_identifier(std::string("_") + c)) c = '_';
  if (!is_identifier(name)) name = "v" + name;
  std::string unique = name;
  while (is_reserved_word(unique) || !names_.insert(unique).second)
    unique = fmt::format("{}_{}", name, ++repeats_[name]);
  return unique;
}

std::string GraphReader::define(Frame& frame, const JsonView& name) {
  const std::string graph_name = name.text();
  const std::string result = new_name(graph_name);
  if (!frame.values.emplace(graph_name, Argument{ValueName{result}}).second)
    name.fail(fmt::format("expected a new name, found '{}' again", printable(graph_name)));
  return result;
}

// Comparisons of symbols feed assertions, which are dropped; what only they used goes as well.
void GraphReader::drop_dead_scalars() {
  std::set<std::string> used(program_.returns.begin(), program_.returns.end());
  const auto use = [&](const Argument& argument) {
    std::vector<const Argument*> open{&argument};
    while (!open.empty()) {
      const Argument* next = open.back();
      open.pop_back();
      if (const ValueName* name = std::get_if<ValueName>(&next->value)) used.insert(name->text);
      if (const ArgumentList* list = std::get_if<ArgumentList>(&next->value))
        for (const Argument& element : *list) open.push_back(&element);
    }
  };
  std::vector<Statement> kept;
  for (auto statement = program_.body.rbegin(); statement != program_.body.rend(); ++statement) {
    if (const auto* scalar = std::get_if<ScalarStatement>(&statement->value)) {
      if (!used.count(scalar->result)) continue;
      for (const Argument& operand : scalar->operands) use(operand);
    } else if (const auto* call = std::get_if<CallStatement>(&statement->value)) {
      for (const Argument& argument : call->arguments) use(argument);
      for (const auto& [name, argument] : call->keywords) use(argument);
    } else if (const auto* write = std::get_if<WriteAttribute>(&statement->value)) {
      use(write->value);
    }
    kept.push_back(std::move(*statement));
  }
  std::reverse(kept.begin(), kept.end());
  program_.body = std::move(kept);
}

// A parameter that indexes an embedding gets data within its table: seed data of an integer type would be out of
// range.
void GraphReader::choose_index_data() {
  CallSpec call;
  std::set<std::string> tensors;
  for (const Parameter& parameter : program_.parameters)
    if (parameter.tensor) tensors.insert(parameter.name);
  std::map<std::string, std::string> attribute_of;
  for (const Statement& statement : program_.body) {
    if (const auto* read = std::get_if<ReadAttribute>(&statement.value)) attribute_of[read->result] = read->attribute;
    const auto* lookup = std::get_if<CallStatement>(&statement.value);
    if (!lookup || lookup->target != "aten.embedding.default" || lookup->arguments.size() < 2) continue;
    const auto* table = std::get_if<ValueName>(&lookup->arguments[0].value);
    const auto* index = std::get_if<ValueName>(&lookup->arguments[1].value);
    if (!table || !index || !attribute_of.count(table->text)) continue;
    const Sizes& sizes = program_.attributes.at(attribute_of.at(table->text)).type.sizes;
    const DataSource source{"integers", {0, sizes.empty() ? 0.0 : static_cast<double>(sizes[0])}};
    if (source_problem(source).empty() && tensors.count(index->text)) call.inputs[index->text].data = source;
  }
  if (!call.inputs.empty()) program_.calls.push_back(std::move(call));
}

}  // namespace faultline
