// What all runs of one case share: its backend with the options set, and its data.
#pragma once

#include <memory>

#include "runtime/backends/external/backend.h"
#include "runtime/backends/model/case_inputs.h"
#include "runtime/core/case.h"
#include "runtime/targets/target.h"

namespace faultline {

struct Subject {
  const Case& test_case;
  NamedBackend external;               // a compiler of the outside world; else the model's layers run
  std::unique_ptr<TargetModel> model;  // for an external one its arithmetic alone
  ErrorProfile profile;                // of what results are held to
  CaseInputs inputs;
  bool reads_data = false;  // the program has `.item()`: what it does next depends on values

  // Keeps a reference to the case. Throws UserError for an unknown backend or option, and for data that cannot be made.
  explicit Subject(const Case& test_case);
  explicit Subject(const Case&&) = delete;
};

// The model of a target, or the arithmetic of an external backend. Throws UserError for what neither has.
std::unique_ptr<TargetModel> make_model(const BackendSpec& backend);

}  // namespace faultline
