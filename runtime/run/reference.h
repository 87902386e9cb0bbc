// What a case's tensors should be: eager PyTorch's, and the fp64 value of every element with its bound.
#pragma once

#include <string>
#include <vector>

#include "runtime/core/evidence.h"
#include "runtime/eager/interpreter.h"
#include "runtime/run/stack_trial.h"

namespace faultline {

struct Reference {
  std::vector<TensorEvidence> tensors;  // without anything of a backend
  std::vector<int> tensor_operation;    // by tensor: statement number of the call that made it, or -1
  std::vector<std::string> operations;  // by statement number: the call's target, or empty
  std::string unavailable;              // why eager could not be asked
  std::vector<StateEvidence> state;     // of a Python file: eager's side
  std::string raised;                   // what eager raised: "RuntimeError: ..."; then there are no tensors
};

// One tensor that leaves a call, in host memory; a Python scalar that leaves is a tensor without dims.
struct LeavingValue {
  std::string name;
  TensorRole role = TensorRole::output;
  int call = 0;
  Tensor tensor;
  std::string alias;
};
// Outputs, inputs after the call, attributes after the call. Scalars count as outputs alone.
std::vector<LeavingValue> leaving_values(const CallOutcome& outcome, int call);
// What a call gets, by parameter.
ValueList argument_values(const Program& program, const CallInputs& inputs);

// Puts eager's side of one in; `makers`: the statement that made a name.
void add_reference(const LeavingValue& value, Reference& reference, const std::map<std::string, int>& makers = {});

// A model's layers have nothing to raise, so that a program that eager refuses is no case for them: UserError. Of a
// compiler of the outside world it is asked whether it raises as well: `keep_raised`.
Reference eager_reference(const Program& program, const CaseInputs& inputs, bool keep_raised = false);

// Values, bounds and reasons of doubt of a run of the same program; empty where it has another number of elements.
ElementReference reference_of(const LeavingTensor<ExactDomain>& exact, size_t elements);

// Element bits of a tensor, row-major.
ElementBits bits_of(const Tensor& tensor);
ElementBits bits_of(const LeavingTensor<NativeDomain>& tensor);

}  // namespace faultline
