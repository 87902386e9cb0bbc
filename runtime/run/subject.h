// What all runs of one case share: its target with the options set, and its data.
#pragma once

#include <memory>

#include "runtime/backends/model/case_inputs.h"
#include "runtime/core/case.h"
#include "runtime/targets/target.h"

namespace faultline {

struct Subject {
  const Case& test_case;
  std::unique_ptr<TargetModel> model;
  CaseInputs inputs;
  bool reads_data = false;  // the program has `.item()`: what it does next depends on values

  // Keeps a reference to the case. Throws UserError for an unknown target or option, and for data that cannot be made.
  explicit Subject(const Case& test_case);
  explicit Subject(const Case&&) = delete;
};

// The target of a case with some options changed.
std::unique_ptr<TargetModel> make_model(const BackendSpec& backend);

}  // namespace faultline
