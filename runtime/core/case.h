// A Case is everything a run depends on, written as one line of text that replays it:
//
//   seed=1 on=spyre(cores=32,lx=on) memory=fresh fault=schedule.piece_floor(*) program=def clone65(x: f16[65]): y = ...
//
// Keys may stand in any order except `program`, which comes last and takes the rest of the line. `program=@path` names
// a file of program text or a .pt2, `program=py:path::name` a callable in a Python file, for compilers of Python alone.
// Canonical printing omits defaults.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/fault_spec.h"
#include "runtime/core/memory_state.h"
#include "runtime/core/oracle_profile.h"
#include "runtime/ir/program.h"

namespace faultline {

// "spyre(cores=1,lx=off)". Options are the switches of the target's row; unknown ones are a UserError when it is made.
struct BackendSpec {
  std::string id = "spyre";
  std::map<std::string, std::string> options;
  bool operator==(const BackendSpec&) const = default;
};

// "model.py::f": what program text cannot say (closures, classes, generators) in a file of its own. What such a file
// holds: docs/python-programs.md.
struct PythonSource {
  std::string path, entry;
  std::string text;  // of the file
  bool operator==(const PythonSource&) const = default;
};

struct Case {
  Program program;
  std::string program_path;  // set when the program came from a file: printed as @path
  PythonSource python;       // set instead of `program`
  BackendSpec backend;
  std::vector<FaultChain> faults;
  MemoryState memory = MemoryState::fresh;
  OracleProfile oracle = OracleProfile::sound;
  uint64_t seed = 1;
};

// `base_directory`: where relative @paths start. Throws UserError.
Case parse_case(std::string_view line, const std::string& base_directory = ".");
std::string to_line(const Case& test_case);
// "path.py::name", read from where relative paths start.
PythonSource load_python(std::string_view place, const std::string& base_directory = ".");
// Reads program text or a .pt2, by the file's contents.
Program load_program(const std::string& path);

}  // namespace faultline
