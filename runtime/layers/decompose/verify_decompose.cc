// Effects and aliases from the schemas. Two kinds of sharing are told apart: results that must share storage with an
// argument (views, in-place results) and those that may (reshape, contiguous, to: a view where nothing has to move).
#include "runtime/layers/decompose/verify_decompose.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "runtime/ir/schema/schema.h"

namespace faultline {
namespace {

bool may_copy(const OpSchema& schema) {
  static constexpr std::string_view names[] = {"reshape", "reshape_as",     "flatten",  "contiguous",
                                               "to",      "_reshape_alias", "unflatten"};
  return std::find(std::begin(names), std::end(names), schema.name) != std::end(names);
}

// Ops whose schema does not say that they may hand their first operand back.
bool may_return_operand(const OpSchema& schema) {
  return schema.name == "dropout" || schema.name == "_unsafe_view" || schema.name == "type_as";
}

// What a call writes to. detach_ leaves the tensor as it is, and only says that no gradient flows through it.
std::vector<int> written_by(const OpSchema& schema) {
  return schema.name == "detach_" ? std::vector<int>{} : schema.written_arguments();
}

// The inputs, by the first of their storage, that a value shares storage with.
struct Sharing {
  std::set<int> must, may;  // `may` holds `must`
};

class EffectVerifier {
 public:
  EffectVerifier(const Segment& segment, const PrimGraph& graph) : segment_(segment), graph_(graph) {}

  std::vector<Finding> run() {
    if (check_inputs()) {
      follow_calls();
      check_write_backs();
      check_outputs();
    }
    return std::move(findings_);
  }

 private:
  bool require(bool holds, std::string_view promise, const std::string& place, const std::string& text) {
    if (!holds) findings_.push_back({"decompose", std::string(promise), place, text});
    return holds;
  }
  bool is_node(int node) const { return node >= 0 && node < static_cast<int>(graph_.nodes.size()); }
  bool is_input(int input) const { return input >= 0 && input < static_cast<int>(graph_.inputs.size()); }

  int root_of(int input) const {
    while (segment_.inputs[input].alias_of >= 0) input = segment_.inputs[input].alias_of;
    return input;
  }

  bool check_inputs() {
    return require(graph_.inputs == segment_.inputs, "inputs", "graph", "inputs differ from the segment's");
  }

  void follow_calls() {
    for (size_t i = 0; i < segment_.inputs.size(); ++i)
      sharing_.push_back({{root_of(static_cast<int>(i))}, {root_of(static_cast<int>(i))}});
    for (const SegmentCall& call : segment_.calls) {
      const OpSchema* schema = find_schema(call.target);
      if (!schema) {
        sharing_.resize(sharing_.size() + call.results.size());
        continue;
      }
      for (const int argument : written_by(*schema)) note_write(call.arguments.at(argument));
      for (size_t k = 0; k < call.results.size(); ++k) sharing_.push_back(result_sharing(call, *schema, k));
    }
  }

  void note_write(const SegmentArgument& argument) {
    const Sharing written = sharing_of(argument);
    written_.must.insert(written.must.begin(), written.must.end());
    written_.may.insert(written.may.begin(), written.may.end());
  }

  Sharing sharing_of(const SegmentArgument& argument) const {
    if (const auto* id = std::get_if<ValueId>(&argument.value)) return sharing_.at(id->index);
    Sharing all;
    if (const auto* list = std::get_if<SegmentArguments>(&argument.value))
      for (const SegmentArgument& element : *list) all.may.merge(sharing_of(element).may);
    return all;
  }

  // Results that a list return names are all of the first return.
  Sharing result_sharing(const SegmentCall& call, const OpSchema& schema, size_t result) const {
    if (schema.returns.empty()) return {};
    const SchemaReturn& returned = schema.returns[std::min(result, schema.returns.size() - 1)];
    Sharing sharing;
    for (size_t k = 0; k < schema.arguments.size(); ++k) {
      const bool same = !returned.alias.empty() && returned.alias == schema.arguments[k].alias;
      const bool may = k == 0 && may_return_operand(schema);
      if (!same && !may) continue;
      sharing = sharing_of(call.arguments.at(k));
      if (may || may_copy(schema)) sharing.must.clear();
    }
    return sharing;
  }

  void check_write_backs() {
    std::set<int> written_back;
    for (const WriteBack& write : graph_.write_backs) {
      if (!require(is_input(write.input) && is_node(write.node), "write_back", "graph", "a write-back names nothing"))
        continue;
      const GraphInput& input = graph_.inputs[write.input];
      const PrimNode& node = graph_.nodes[write.node];
      written_back.insert(root_of(write.input));
      require(written_.may.contains(root_of(write.input)), "write_back", input.name, "no call writes to this input");
      require(write.type == input.type, "write_back", input.name,
              fmt::format("written as {}, the input is {}", to_text(write.type), to_text(input.type)));
      require(node.dtype == write.type.dtype && node.sizes == write.type.sizes, "write_back", input.name,
              fmt::format("the value %{} does not fit {}", write.node, to_text(write.type)));
    }
    for (const int input : written_.must)
      require(written_back.contains(input), "write_back", graph_.inputs[input].name,
              "a call writes to this input, and no write-back does");
  }

  void check_outputs() {
    if (!require(graph_.outputs.size() == segment_.outputs.size(), "outputs", "graph",
                 fmt::format("{} outputs when there should be {}", graph_.outputs.size(), segment_.outputs.size())))
      return;
    for (size_t k = 0; k < graph_.outputs.size(); ++k) check_output(graph_.outputs[k], segment_.outputs[k], k);
  }

  void check_output(const GraphOutput& output, const SegmentOutput& declared, size_t number) {
    const std::string& place = declared.name;
    require(output.name == declared.name, "outputs", place, fmt::format("is called '{}'", output.name));
    if (!require(is_node(output.node), "outputs", place, "names no node")) return;
    const PrimNode& node = graph_.nodes[output.node];
    require(node.dtype == output.type.dtype && node.sizes == output.type.sizes &&
                output.type.strides.size() == node.sizes.size(),
            "outputs", place, fmt::format("%{} does not fit {}", output.node, to_text(output.type)));
    const Sharing& sharing = sharing_.at(declared.value);
    if (output.alias_input < 0) {
      require(sharing.must.empty(), "alias", place, "should be a view of an input");
    } else if (require(is_input(output.alias_input), "alias", place, "is a view of no input")) {
      require(sharing.may.contains(root_of(output.alias_input)), "alias", place,
              fmt::format("should not be a view of input {}", output.alias_input));
      check_window(output, place);
    }
    if (output.alias_output >= 0)
      require(output.alias_output < static_cast<int>(number), "alias", place, "shares storage with a later output");
    for (size_t earlier = 0; earlier < number; ++earlier)
      if (segment_.outputs[earlier].value == declared.value && output.alias_input < 0)
        require(output.alias_output >= 0, "alias", place, fmt::format("is the same tensor as output {}", earlier));
  }

  // A view of an input lies inside the storage that the inputs on it prove to exist.
  void check_window(const GraphOutput& output, const std::string& place) {
    int64_t proven = 0;
    for (size_t i = 0; i < graph_.inputs.size(); ++i)
      if (root_of(static_cast<int>(i)) == root_of(output.alias_input))
        proven = std::max(proven, storage_elements(graph_.inputs[i].type));
    if (output.type.strides.size() != output.type.sizes.size()) return;
    require(storage_elements(output.type) <= proven, "alias", place,
            fmt::format("reaches {} elements of a storage of {}", storage_elements(output.type), proven));
  }

  const Segment& segment_;
  const PrimGraph& graph_;
  std::vector<Sharing> sharing_;
  Sharing written_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> verify_decompose(const Segment& segment, const PrimGraph& graph) {
  std::vector<Finding> findings = verify_nodes(graph);
  for (Finding& finding : EffectVerifier(segment, graph).run()) findings.push_back(std::move(finding));
  return findings;
}

}  // namespace faultline
