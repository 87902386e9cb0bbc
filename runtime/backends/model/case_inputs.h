// The data of a case: tensors and scalars of every call, and the program's initial state, made once from program and
// seed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/ir/program.h"

namespace faultline {

struct CallInputs {
  std::vector<Tensor> tensors;            // by parameter; empty storage for scalar parameters
  std::map<std::string, Scalar> scalars;  // by name
};

struct CaseInputs {
  std::vector<CallInputs> calls;
  std::map<std::string, Tensor> attributes;
  std::map<std::string, Scalar> scalar_attributes;
};

// Parameters that share a storage get one large enough for all of them. Throws UserError.
CaseInputs make_inputs(const Program& program, uint64_t seed);
// A copy in which nothing is shared with the original, and what shared storage still does.
CaseInputs copy_inputs(const CaseInputs& inputs);

}  // namespace faultline
