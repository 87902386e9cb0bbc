// Prim graphs as text. A node prints the fields that its prim uses and no others; the parser fills the same ones.
#include "runtime/ir/prim.h"

#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/base/error.h"
#include "runtime/ir/artefact_text.h"
#include "runtime/ir/program_text.h"

namespace faultline {

static constexpr std::string_view kPrims[kPrimCount] = {"input",  "literal", "iota",    "pointwise", "reduce",
                                                        "dot",    "reshape", "permute", "broadcast", "slice",
                                                        "concat", "pad",     "flip",    "gather",    "window"};

std::string_view name(Prim prim) { return kPrims[static_cast<int>(prim)]; }

static bool uses_low(Prim prim) { return prim == Prim::slice || prim == Prim::pad; }
static bool uses_step_sizes(Prim prim) { return prim == Prim::slice || prim == Prim::window; }
static bool uses_literal(Prim prim) { return prim == Prim::literal || prim == Prim::iota; }
static bool uses_axes(Prim prim) {
  return prim == Prim::reduce || prim == Prim::permute || prim == Prim::broadcast || prim == Prim::concat ||
         prim == Prim::flip || prim == Prim::gather || prim == Prim::window;
}

std::string to_text(const PrimNode& node) {
  std::vector<std::string> parts;
  for (const int operand : node.operands) parts.push_back(value_text(operand));
  if (node.prim == Prim::input) parts.push_back(fmt::format("{}", node.index));
  if (uses_literal(node.prim)) parts.push_back(to_text(node.literal));
  if (node.prim == Prim::iota) {
    const bool real = is_float(node.dtype);
    parts.push_back("step=" + (real ? real_text(node.step) : fmt::format("{}", node.low.at(0))));
    parts.push_back(fmt::format("axis={}", node.axes.at(0)));
  }
  if (uses_axes(node.prim)) parts.push_back("axes=" + list_text(node.axes));
  if (uses_low(node.prim)) parts.push_back("low=" + list_text(node.low));
  if (uses_step_sizes(node.prim)) parts.push_back("step=" + list_text(node.step_sizes));
  std::string_view word = name(node.prim);
  if (node.prim == Prim::pointwise) word = name(node.function);
  if (node.prim == Prim::reduce) word = name(node.reduction);
  return fmt::format("{}[{}] = {}({}){}", name(node.dtype), fmt::join(node.sizes, ","), word, fmt::join(parts, ", "),
                     node.origin >= 0 ? fmt::format(" at {}", node.origin) : "");
}

std::string to_text(const PrimGraph& graph) {
  std::string text = fmt::format("prims {}({}):\n", name_text(graph.name), to_text(graph.inputs));
  if (!graph.origins.empty()) text += fmt::format("  calls {}\n", fmt::join(graph.origins, ", "));
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    text += fmt::format("  {}: {}\n", value_text(static_cast<int>(i)), to_text(graph.nodes[i]));
  for (const WriteBack& write : graph.write_backs)
    text += fmt::format("  write {} {} {}\n", write.input, to_text(write.type), value_text(write.node));
  for (const SortedRows& rows : graph.sorted)
    text += fmt::format("  sorted {} {} of {}{}{}\n", value_text(rows.values), value_text(rows.indices),
                        value_text(rows.operand), rows.descending ? " descending" : "", rows.stable ? " stable" : "");
  std::vector<std::string> outputs;
  for (const GraphOutput& output : graph.outputs) {
    std::string line = fmt::format("{} {} {}", name_text(output.name), value_text(output.node), to_text(output.type));
    if (output.alias_input >= 0) line += fmt::format(" of input {}", output.alias_input);
    if (output.alias_output >= 0) line += fmt::format(" of output {}", output.alias_output);
    outputs.push_back(std::move(line));
  }
  return text + fmt::format("  return{}{}\n", outputs.empty() ? "" : " ", fmt::join(outputs, ", "));
}

namespace {

class PrimParser {
 public:
  explicit PrimParser(std::string_view text) : lexer_(text, "prims") {}

  PrimGraph parse() {
    lexer_.skip_separators();
    if (!lexer_.take_word("prims")) lexer_.expected("prims");
    graph_.name = take_name(lexer_);
    lexer_.take_open("(");
    graph_.inputs = take_inputs(lexer_);
    lexer_.take_close(")");
    need(":");
    lexer_.skip_separators();
    if (lexer_.take_word("calls")) {
      do {
        if (lexer_.token().kind != TokenKind::word) lexer_.expected("an operator");
        std::string target(lexer_.token().text);
        lexer_.advance();
        graph_.origins.push_back(target + "." + lexer_.take_path("."));
      } while (lexer_.take_symbol(","));
      take_line_end(lexer_);
    }
    while (lexer_.at_symbol("%")) parse_node();
    while (lexer_.take_word("write")) {
      WriteBack write;
      write.input = take_index(lexer_);
      write.type = take_type(lexer_);
      write.node = take_value(lexer_);
      graph_.write_backs.push_back(std::move(write));
      take_line_end(lexer_);
    }
    while (lexer_.take_word("sorted")) parse_sorted();
    if (!lexer_.take_word("return")) lexer_.expected("a node, write, sorted or return");
    if (!lexer_.at_separator() && lexer_.token().kind != TokenKind::end) {
      do parse_output();
      while (lexer_.take_symbol(","));
    }
    take_line_end(lexer_);
    if (lexer_.token().kind != TokenKind::end) lexer_.expected("the end of the text");
    return std::move(graph_);
  }

 private:
  void need(std::string_view symbol) {
    if (!lexer_.take_symbol(symbol)) lexer_.expected(fmt::format("'{}'", symbol));
  }
  void need_word(std::string_view word) {
    if (!lexer_.take_word(word)) lexer_.expected(word);
  }

  void parse_sorted() {
    SortedRows rows;
    rows.values = take_value(lexer_);
    rows.indices = take_value(lexer_);
    need_word("of");
    rows.operand = take_value(lexer_);
    rows.descending = lexer_.take_word("descending");
    rows.stable = lexer_.take_word("stable");
    graph_.sorted.push_back(rows);
    take_line_end(lexer_);
  }

  void parse_output() {
    GraphOutput output;
    output.name = take_name(lexer_);
    output.node = take_value(lexer_);
    output.type = take_type(lexer_);
    while (lexer_.take_word("of")) {
      const bool of_input = lexer_.take_word("input");
      if (!of_input) need_word("output");
      (of_input ? output.alias_input : output.alias_output) = take_index(lexer_);
    }
    graph_.outputs.push_back(std::move(output));
  }

  void parse_node() {
    const size_t begin = lexer_.token().begin;
    const int number = take_value(lexer_);
    if (number != static_cast<int>(graph_.nodes.size()))
      lexer_.fail_at(begin, fmt::format("node %{} stands where %{} is next", number, graph_.nodes.size()));
    need(":");
    const TensorType type = take_type(lexer_);
    PrimNode node;
    node.dtype = type.dtype;
    node.sizes = type.sizes;
    need("=");
    take_operation(node);
    lexer_.take_open("(");
    while (!lexer_.at_symbol(")")) {
      take_field(node);
      if (!lexer_.take_symbol(",")) break;
    }
    if (node.prim == Prim::iota && (node.axes.empty() || (node.low.empty() && !is_float(node.dtype))))
      lexer_.expected("an axis and a step for iota");
    lexer_.take_close(")");
    if (lexer_.take_word("at")) node.origin = take_index(lexer_);
    take_line_end(lexer_);
    graph_.nodes.push_back(std::move(node));
  }

  // A prim, or the function or reduction that stands for one.
  void take_operation(PrimNode& node) {
    const std::string_view word = lexer_.token().text;
    bool found = false;
    for (int i = 0; i < kPrimCount && !found; ++i) {
      const Prim prim = static_cast<Prim>(i);
      found = kPrims[i] == word && prim != Prim::pointwise && prim != Prim::reduce;
      if (found) node.prim = prim;
    }
    if (const auto function = function_from_name(word); !found && function) {
      node.prim = Prim::pointwise;
      node.function = *function;
      found = true;
    }
    if (const auto reduction = reduction_from_name(word); !found && reduction) {
      node.prim = Prim::reduce;
      node.reduction = *reduction;
      found = true;
    }
    if (!found) lexer_.expected("a prim, a function or a reduction");
    lexer_.advance();
  }

  // "low" and its like, of a prim that has it: what a printed node would leave out is refused.
  bool take_key(std::string_view key, bool has) {
    if (!lexer_.at_word(key)) return false;
    if (!has) lexer_.expected("a field that the prim has");
    lexer_.advance();
    need("=");
    return true;
  }

  void take_field(PrimNode& node) {
    const bool iota = node.prim == Prim::iota;
    if (lexer_.at_symbol("%")) {
      node.operands.push_back(take_value(lexer_));
    } else if (take_key("axes", uses_axes(node.prim))) {
      node.axes = take_list(lexer_);
    } else if (take_key("axis", iota)) {
      node.axes = {take_integer(lexer_)};
    } else if (take_key("low", uses_low(node.prim))) {
      node.low = take_list(lexer_);
    } else if (take_key("step", iota || uses_step_sizes(node.prim))) {
      take_step(node);
    } else if (node.prim == Prim::input) {
      node.index = take_index(lexer_);
    } else if (uses_literal(node.prim)) {
      node.literal = take_literal(lexer_);
    } else {
      lexer_.expected("a value or a field that the prim has");
    }
  }

  void take_step(PrimNode& node) {
    if (uses_step_sizes(node.prim)) {
      node.step_sizes = take_list(lexer_);
    } else if (is_float(node.dtype)) {
      const size_t begin = lexer_.token().begin;
      node.step = take_real(lexer_);
      if (!std::isfinite(node.step)) lexer_.fail_at(begin, "expected a finite step");
    } else {
      node.low = {take_integer(lexer_)};
    }
  }

  TextLexer lexer_;
  PrimGraph graph_;
};

}  // namespace

PrimGraph parse_prim_graph(std::string_view text) { return PrimParser(text).parse(); }

}  // namespace faultline
