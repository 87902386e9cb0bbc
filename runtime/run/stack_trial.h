// One build of the stack under test (capture, compiler, gate) and runs of its rungs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/backends/model/program_run.h"
#include "runtime/backends/model/rung_runner.h"
#include "runtime/run/subject.h"

namespace faultline {

struct TrialOptions {
  Layer rung = Layer::numerics;
  int first_poison = 0;
  const RunLog* replay = nullptr;    // take these decisions; else decide, and trace what is not traced yet
  RecordedPrims* record = nullptr;   // on `decompose`
  bool own_arithmetic = false;       // the target's arithmetic also above `numerics`
  bool trace = false;                // the device writes down its events
  ArithmeticCheck* check = nullptr;  // on `decompose`: is shown every step
};

// A run's tensors, or why there are none.
template <class D>
struct TrialOutcome {
  std::vector<LeavingTensor<D>> tensors;
  RunLog log;
  std::string rejected_subject, rejected_why;
  std::string crashed;  // the back end aborted, or the device reported an error
  std::string raised;   // an operator, or the host's code, raised
  bool hung = false;
  RungReport report;
  std::vector<LeavingTensor<D>> earlier;  // memory=stale: what the run left that came before

  // Empty, or how it ended without values: "crashed: ...".
  std::string ended() const;
};

class StackTrial {
 public:
  // Keeps references to both; layers 1 to 6 and the device ask `gate`.
  StackTrial(const Subject& subject, Gate& gate) : StackTrial(subject, *subject.model, gate) {}
  // With a model other than the subject's.
  StackTrial(const Subject& subject, const TargetModel& model, Gate& gate)
      : subject_(subject), model_(model), gate_(gate), stack_(model, gate) {}

  TrialOutcome<NativeDomain> run(const TrialOptions& options);
  // Same, with the device and arithmetic asking another gate than the compiler did.
  TrialOutcome<NativeDomain> run(const TrialOptions& options, Gate& device_gate);
  TrialOutcome<FingerprintDomain> run_field(Layer rung, FingerprintDomain& domain, const RunLog& replay,
                                            const RecordedPrims* beside, Gate& device_gate);
  // Rung `decompose` under a declared arithmetic: values and bounds. What `.item()` gives are the numbers of another
  // run, as long as they are within the bounds; from the first that is not those of `otherwise`. So a run is held to
  // what follows from the numbers that it read itself.
  TrialOutcome<ExactDomain> run_exact(std::vector<Scalar> items, const std::vector<Scalar>& otherwise,
                                      const Arithmetic& arithmetic, const ErrorProfile& profile = {});

  const Capture& capture() const { return capture_; }
  const ModelStack& stack() const { return stack_; }

 private:
  const Subject& subject_;
  const TargetModel& model_;
  Gate& gate_;
  Capture capture_;
  ModelStack stack_;
};

}  // namespace faultline
