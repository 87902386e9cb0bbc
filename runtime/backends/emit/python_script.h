// A finding as a Python script that stands alone: torch and nothing else, the data as bytes. It runs the program in
// eager and compiled, in a process of its own, because what is looked for may end it. Exit code 1: it reproduces; 0: it
// does not; 2: something else happened.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/backends/model/case_inputs.h"

namespace faultline {

// What is wrong with one tensor that leaves a call: "output v3", "input x after", "attribute w after".
struct ScriptTensor {
  int call = 0;
  std::string name;
  std::vector<int64_t> elements;  // in row-major order; empty: any
  double tolerance = 0;           // what rounding may differ by
};

struct ScriptExpectation {
  std::string title;                  // one line
  std::vector<std::string> comments;  // lines
  // "differs": in the elements of `tensors`, or in type, place or aliasing of any; "ends": raises, crashes or hangs
  // where eager does not, or the reverse.
  std::string kind = "differs";
  std::vector<ScriptTensor> tensors;
};

// `settings` as the worker of torch.compile takes them. Throws UserError for what has no form in Python.
std::string python_script(const Program& program, const CaseInputs& inputs, const nlohmann::json& settings,
                          const ScriptExpectation& expectation);

}  // namespace faultline
