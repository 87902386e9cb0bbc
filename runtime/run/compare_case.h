// The two runs that decide: eager with its fp64 reference, and the full stack.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "faults/fault_gate.h"
#include "runtime/core/evidence.h"
#include "runtime/core/verdict.h"
#include "runtime/run/reference.h"

namespace faultline {

// What was seen, with what it was seen on: later steps ask the same artefacts.
struct Comparison {
  Evidence evidence;
  std::unique_ptr<FaultGate> gate;
  std::unique_ptr<StackTrial> trial;
  TrialOutcome<NativeDomain> outcome;
  std::string unavailable;  // why there is no reference; then nothing ran
};

// Throws UserError where eager raises.
Comparison compare_case(const Subject& subject, int threads = 1);

// What another run of the case runs on. Where decisions depend on data it decides for itself; otherwise it takes the
// decisions of the run that decided, and shares its artefacts.
class LaterRun {
 public:
  LaterRun(const Subject& subject, Comparison& comparison);
  StackTrial& trial() { return *trial_; }
  Gate& device_gate() { return gate_; }
  const RunLog* replay() const { return replay_; }  // null: it decides for itself

 private:
  FaultGate gate_;
  std::unique_ptr<StackTrial> own_;
  StackTrial* trial_ = nullptr;
  const RunLog* replay_ = nullptr;
};

// The numbers that the program reads from tensors in eager; nothing where that run does not end. Runs torch, which one
// thread may do at a time: a call may be tried in a forked child first (runtime/eager/trial.h), and what another thread
// holds inside torch at that moment stays held there.
using EagerItems = std::optional<std::vector<Scalar>>;
EagerItems eager_items(const Subject& subject);

// The exact run of the unbroken program under a declared arithmetic; empty without eager's items.
// `items`: the numbers that the run to be judged read from tensors; without them eager's. `signed_zeros` gets the names
// of outputs of which the sign of zeros counts (zero_sign.h).
std::vector<LeavingTensor<ExactDomain>> exact_reference(const Subject& subject, const Arithmetic& arithmetic,
                                                        const EagerItems& eager,
                                                        const std::vector<Scalar>* items = nullptr,
                                                        const ErrorProfile& profile = {},
                                                        std::set<std::string>* signed_zeros = nullptr);

// What is known of eager's own arithmetic on the host, beyond its formats.
ErrorProfile host_profile();

// A type or alias that is not eager's: "y is f32[65], eager has f16[65]"; empty when all agree.
std::string structure_difference(const std::vector<TensorEvidence>& tensors,
                                 const std::vector<LeavingTensor<NativeDomain>>& mine);

// Neither a pass nor undecided.
bool is_mismatch(Outcome seen);
// The tensor whose positions are worth a look: the first wrong one, or the first where the run did not end.
size_t suspect(const Evidence& evidence);

// Puts a run's tensors beside the references; those that are missing stay empty.
void fill_actual(std::vector<TensorEvidence>& tensors, const TrialOutcome<NativeDomain>& outcome);

// Runs the full stack once more over memory that held another pattern, and fills `actual_second_poison`; `poison` and
// `second_poison` where the wrong elements hold what memory held.
void add_second_poison(const Subject& subject, Comparison& comparison);

}  // namespace faultline
