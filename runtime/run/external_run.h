// A case's program on a compiler of the outside world: what is asked of its worker, and the answer as a run's outcome.
#pragma once

#include <string>

#include "runtime/backends/external/backend.h"
#include "runtime/run/reference.h"
#include "runtime/run/stack_trial.h"

namespace faultline {

// A value that Python keeps after a call, as text.
struct KeptState {
  std::string name;
  int call = 0;
  std::string text;
};

struct ExternalRun {
  TrialOutcome<NativeDomain> outcome;
  std::string unavailable;           // why it could not be asked
  std::string phase;                 // the last that the worker announced
  std::vector<LeavingValue> values;  // what leaves, as it came
  std::vector<KeptState> state;      // of a Python file
};

// A run that does not end in time is tried once more: a machine may be busy. Throws UserError for a program that has no
// form for this backend.
ExternalRun run_external(const Subject& subject, const BackendRung& rung);

// Eager's run of a Python file in a worker of the same kind. `wide`: with every float of its inputs and state in f64.
ExternalRun run_python_eager(const Subject& subject, bool wide);

// A run's tensors in the order of the reference's; those that are missing have no values.
std::vector<LeavingTensor<NativeDomain>> in_order_of(const std::vector<TensorEvidence>& reference,
                                                     std::vector<LeavingTensor<NativeDomain>> tensors);

}  // namespace faultline
