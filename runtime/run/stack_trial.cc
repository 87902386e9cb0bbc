// Runs of rungs in the three domains, and how they may end.
#include "runtime/run/stack_trial.h"

#include <cmath>

#include "runtime/backends/model/eager_segments.h"
#include "runtime/base/error.h"

namespace faultline {

namespace {

// What came before a run with memory=stale must not be asked about; then the run's own gate answers.
class RedirectedGate final : public Gate {
 public:
  void artefact(Layer layer, std::string_view graph, void* artefact) override { to_->artefact(layer, graph, artefact); }
  TransferAnswer transfer(const TransferSite& site) override { return to_->transfer(site); }
  const Arithmetic& arithmetic(const Arithmetic& base) override { return to_->arithmetic(base); }
  void redirect(Gate& gate) { to_ = &gate; }

 private:
  Gate* to_ = &Gate::never();
};

template <class D, class Run>
void guarded(TrialOutcome<D>& outcome, Run run) {
  try {
    ProgramOutcome<D> program = run();
    outcome.tensors = std::move(program.tensors);
    outcome.log = std::move(program.log);
  } catch (const Rejected& rejected) {
    outcome.rejected_subject = rejected.subject();
    outcome.rejected_why = rejected.what();
  } catch (const Crashed& crashed) {
    outcome.crashed = crashed.what();
  } catch (const UserError& error) {  // eager's run ended: this one read other numbers
    outcome.raised = error.what();
  } catch (const DeviceStopped& stopped) {
    outcome.hung = stopped.hung();
    outcome.crashed = stopped.hung() ? std::string() : stopped.what();
  }
}

bool uses_device(Layer rung) { return rung > Layer::schedule; }

DeviceOptions device_options(const Subject& subject, const TrialOptions& trial) {
  DeviceOptions options;
  options.memory = subject.test_case.memory;
  options.trace = trial.trace;
  return options;
}

constexpr uint64_t kEarlierSeed = 0x5eed;

// Leaves the device's memory as the same program on other data does, and returns that run's tensors. Other data may
// take the program to what the stack refuses or where it raises, which is nothing against the case: memory holds what
// came until there. Twice, because a program's calls take turns in two arenas.
std::vector<LeavingTensor<NativeDomain>> run_before(const Subject& subject, ModelStack& clean, NativeDomain& domain,
                                                    const RungOptions<NativeDomain>& rung) {
  const Program& program = subject.test_case.program;
  const CaseInputs other = make_inputs(program, subject.test_case.seed + kEarlierSeed);
  Capture capture;
  TrialOutcome<NativeDomain> outcome;
  for (int turn = 0; turn < 2; ++turn) {
    const CaseInputs data = copy_inputs(other);
    RungRunner<NativeDomain> runner(clean, domain, rung);
    guarded(outcome, [&] { return run_program(program, data, capture, runner, domain, Gate::never()); });
  }
  return std::move(outcome.tensors);
}

Scalar own_scalar(DType dtype, const Bounded& value) {
  if (is_float(dtype)) return value.value;
  if (dtype == DType::boolean) return value.integer != 0;
  return value.integer;
}

// Whether a conforming run may have read this number where the exact run has `value`.
bool may_be(DType dtype, const Bounded& value, const Scalar& scalar) {
  const Scalar own = own_scalar(dtype, value);
  if (own.index() != scalar.index()) return false;
  if (value.reasons != 0) return true;
  const double* read = std::get_if<double>(&scalar);
  if (read == nullptr || std::isnan(*read) || !std::isfinite(value.value)) return same_scalar(own, scalar);
  return std::fabs(*read - value.value) <= value.bound;
}

}  // namespace

template <class D>
std::string TrialOutcome<D>::ended() const {
  if (!crashed.empty()) return "crashed: " + crashed;
  if (hung) return "hung";
  if (!rejected_subject.empty()) return "rejected: " + rejected_subject + ": " + rejected_why;
  if (!raised.empty()) return "raised: " + raised;
  return {};
}

template struct TrialOutcome<NativeDomain>;
template struct TrialOutcome<FingerprintDomain>;
template struct TrialOutcome<ExactDomain>;

TrialOutcome<NativeDomain> StackTrial::run(const TrialOptions& options) { return run(options, gate_); }

TrialOutcome<NativeDomain> StackTrial::run(const TrialOptions& options, Gate& device_gate) {
  TrialOutcome<NativeDomain> outcome;
  const Program& program = subject_.test_case.program;
  const CaseInputs inputs = copy_inputs(subject_.inputs);
  if (options.rung == Layer::capture) {
    NativeDomain domain(host_arithmetic());
    EagerSegmentRunner runner;
    guarded(outcome, [&] { return run_program(program, inputs, capture_, runner, domain, gate_, options.replay); });
    return outcome;
  }
  const IdealArithmetic ideal(&model_.arithmetic());
  const Arithmetic& arithmetic =
      options.rung == Layer::numerics || options.own_arithmetic ? device_gate.arithmetic(model_.arithmetic()) : ideal;
  NativeDomain domain(arithmetic);
  RungOptions<NativeDomain> rung{options.rung, options.first_poison, nullptr, options.record, nullptr, options.check};
  RedirectedGate redirected;
  std::unique_ptr<Device<NativeDomain>> device;
  if (uses_device(options.rung)) {
    device = std::make_unique<Device<NativeDomain>>(model_.device_parameters(), domain, redirected,
                                                    options.first_poison, device_options(subject_, options));
    rung.device = device.get();
  }
  if (device && subject_.test_case.memory == MemoryState::stale) {
    ModelStack clean(model_, Gate::never());
    outcome.earlier = run_before(subject_, clean, domain, rung);
  }
  redirected.redirect(device_gate);
  RungRunner<NativeDomain> runner(stack_, domain, rung);
  guarded(outcome, [&] { return run_program(program, inputs, capture_, runner, domain, gate_, options.replay); });
  outcome.report = runner.report();
  return outcome;
}

TrialOutcome<FingerprintDomain> StackTrial::run_field(Layer rung_layer, FingerprintDomain& domain, const RunLog& replay,
                                                      const RecordedPrims* beside, Gate& device_gate) {
  TrialOutcome<FingerprintDomain> outcome;
  const CaseInputs inputs = copy_inputs(subject_.inputs);
  RungOptions<FingerprintDomain> rung{rung_layer, 0, nullptr, nullptr, beside};
  std::unique_ptr<Device<FingerprintDomain>> device;
  if (uses_device(rung_layer)) {
    DeviceOptions options;
    device = std::make_unique<Device<FingerprintDomain>>(model_.device_parameters(), domain, device_gate, 0, options);
    rung.device = device.get();
  }
  RungRunner<FingerprintDomain> runner(stack_, domain, rung);
  guarded(outcome,
          [&] { return run_program(subject_.test_case.program, inputs, capture_, runner, domain, gate_, &replay); });
  return outcome;
}

TrialOutcome<ExactDomain> StackTrial::run_exact(std::vector<Scalar> items, const std::vector<Scalar>& otherwise,
                                                const Arithmetic& arithmetic, const ErrorProfile& profile) {
  TrialOutcome<ExactDomain> outcome;
  size_t read = 0;
  const auto read_item = [&](const HostTensor<ExactDomain>& tensor) {
    const Bounded value = tensor.gather().front();
    const size_t number = read++;
    if (number < items.size() && may_be(tensor.type.dtype, value, items[number])) return items[number];
    items = otherwise;
    return number < items.size() ? items[number] : own_scalar(tensor.type.dtype, value);
  };
  const CaseInputs inputs = copy_inputs(subject_.inputs);
  ExactDomain domain(arithmetic, profile);
  RungRunner<ExactDomain> runner(stack_, domain, {Layer::decompose});
  guarded(outcome, [&] {
    return run_program<ExactDomain>(subject_.test_case.program, inputs, capture_, runner, domain, gate_, nullptr,
                                    read_item);
  });
  for (LeavingTensor<ExactDomain>& tensor : outcome.tensors) tensor.choices = domain.choices();
  return outcome;
}

}  // namespace faultline
