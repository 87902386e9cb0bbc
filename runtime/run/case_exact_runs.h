// Runs of the rung `decompose` without roundings, for the hypotheses about a wrong result, which do not see the case.
#pragma once

#include "checkers/hypotheses.h"
#include "runtime/run/compare_case.h"

namespace faultline {

class CaseExactRuns final : public ExactRuns {
 public:
  // Keeps references to both.
  CaseExactRuns(const Subject& subject, const Evidence& evidence)
      : subject_(subject), evidence_(evidence), ideal_(&subject.model->arithmetic()) {}

  const Program& program() const override { return subject_.test_case.program; }
  ExactRun observed() override;
  ExactRun unbroken() override;
  ExactRun edited(const std::string& graph, const std::function<void(PrimGraph&)>& edit) override;
  ExactRun of_program(const Program& program) override;

 private:
  ExactRun run(Gate& gate) const;
  std::vector<ElementReference> values_of(const std::vector<LeavingTensor<ExactDomain>>& tensors) const;

  const Subject& subject_;
  const Evidence& evidence_;
  IdealArithmetic ideal_;
};

}  // namespace faultline
