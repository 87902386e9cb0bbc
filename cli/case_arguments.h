// The arguments that make a case, shared by the commands that run one.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "runtime/core/case.h"

namespace faultline {

struct CaseArguments {
  std::string subject;  // program text, a file of it, a .pt2, or a case line
  std::string target;
  std::vector<std::string> options, faults;
  std::string seed, memory, oracle, data;

  void declare(CLI::App& app);
  // Throws UserError. Arguments beside a case line replace what the line says; faults and options are added to it. What
  // the case is not, though it was asked for, is said on `notes`.
  Case make(std::ostream& notes) const;
};

MemoryState memory_named(const std::string& text);

}  // namespace faultline
