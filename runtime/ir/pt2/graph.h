// The graph of an export as the body of a Program.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/ir/program.h"
#include "runtime/ir/pt2/json_view.h"
#include "runtime/ir/pt2/weights.h"

namespace faultline {

// Method. The signature tells what each placeholder is: user inputs become parameters, weights and constants become
// reads of attributes at the start of the body, and mutations become writes of attributes and copies into inputs at
// its end. Nodes become calls one by one; arguments equal to the schema's default stay omitted.
//
// Numbers behind symbols. A symbol with a hint becomes that number, and the nodes that only compute with such symbols
// vanish: the Program has the sizes of the exporter's example. A number read from data (item) has no hint and stays a
// scalar of the Program, with the arithmetic on it.
class GraphReader {
 public:
  GraphReader(Weights& weights, Program& program) : weights_(weights), program_(program) {}

  // `module` is the "graph_module" of the export.
  void read(const JsonView& module);

 private:
  // The names of one graph; a subgraph that is read in place has its own.
  struct Frame {
    JsonView graph;
    std::map<std::string, Argument> values;
  };

  void read_input(Frame& frame, const JsonView& spec);
  void read_user_input(Frame& frame, const JsonView& argument);
  void read_state_input(Frame& frame, const JsonView& spec, std::string_view name_key);
  void read_output(const Frame& frame, const JsonView& spec);
  void write_state(const Frame& frame, const JsonView& spec, std::string_view name_key);

  void read_nodes(Frame& frame, int depth);
  void read_node(Frame& frame, const JsonView& node, int depth);
  void read_subgraph(Frame& frame, const JsonView& node, int depth);
  void read_call(Frame& frame, const JsonView& node, const std::string& target);
  void read_item(Frame& frame, const JsonView& node);
  bool read_symbol_node(Frame& frame, const JsonView& node, const std::string& target);
  std::vector<std::string> read_results(Frame& frame, const JsonView& outputs);
  void read_result(Frame& frame, const JsonView& output, std::vector<std::string>& results);

  Argument read_argument(const Frame& frame, const JsonView& argument) const;
  Argument read_list(const Frame& frame, std::string_view kind, const JsonView& list) const;
  Argument value(const Frame& frame, const JsonView& name) const;
  Argument symbol(const Frame& frame, const JsonView& argument) const;
  std::optional<Argument> hint(const Frame& frame, const std::string& table, const std::string& name) const;
  std::string define(Frame& frame, const JsonView& name);
  std::string new_name(const std::string& graph_name);
  void drop_dead_scalars();
  void choose_index_data();

  Weights& weights_;
  Program& program_;
  std::set<std::string> names_;
  std::map<std::string, int> repeats_;  // of a name that was taken: the last number put behind it
};

}  // namespace faultline
