// One build of the stack a run: with the faults of the case, without, or with a gate that edits one graph.
#include "runtime/run/case_exact_runs.h"

#include "runtime/base/error.h"

namespace faultline {

namespace {

class EditingGate final : public Gate {
 public:
  EditingGate(const std::string& graph, const std::function<void(PrimGraph&)>& edit) : name_(graph), edit_(edit) {}

  void artefact(Layer layer, std::string_view graph, void* artefact) override {
    if (layer == Layer::decompose && graph == name_) edit_(*static_cast<PrimGraph*>(artefact));
  }
  TransferAnswer transfer(const TransferSite&) override { return {}; }
  const Arithmetic& arithmetic(const Arithmetic& base) override { return base; }

 private:
  const std::string& name_;
  const std::function<void(PrimGraph&)>& edit_;
};

}  // namespace

std::vector<ElementReference> CaseExactRuns::values_of(const std::vector<LeavingTensor<ExactDomain>>& tensors) const {
  std::vector<ElementReference> values;
  for (size_t t = 0; t < tensors.size(); ++t) {
    const size_t elements = t < evidence_.tensors.size() ? evidence_.tensors[t].eager.size() : 0;
    values.push_back(reference_of(tensors[t], elements));
  }
  return values;
}

ExactRun CaseExactRuns::run(Gate& gate) const {
  StackTrial trial(subject_, gate);
  ExactRun run;
  run.values = values_of(trial.run_exact({}, {}, ideal_).tensors);
  for (int entry = 0; entry < trial.stack().entries(); ++entry)
    if (const CompiledSegment* compiled = trial.stack().compiled(entry))
      run.graphs.emplace(compiled->segment.name, compiled->prims);
  return run;
}

ExactRun CaseExactRuns::observed() {
  FaultGate gate(subject_.test_case.faults);
  return run(gate);
}

ExactRun CaseExactRuns::unbroken() { return run(Gate::never()); }

ExactRun CaseExactRuns::edited(const std::string& graph, const std::function<void(PrimGraph&)>& edit) {
  EditingGate gate(graph, edit);
  return run(gate);
}

ExactRun CaseExactRuns::of_program(const Program& program) {
  ExactRun run;
  try {
    Case other = subject_.test_case;
    other.program = program;
    const Subject mine(other);
    run.values = values_of(exact_reference(mine, ideal_, eager_items(mine)));
  } catch (const UserError&) {
    return {};
  }
  return run;
}

}  // namespace faultline
