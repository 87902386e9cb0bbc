// What the tests of fault rows share: one rung of a case with its faults and without, and what the gate's ledger and
// the layer's verifier say.
#pragma once

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "faults/fault_gate.h"
#include "runtime/layers/capture/verify_capture.h"
#include "runtime/run/stack_trial.h"

namespace faultline {

// A case's stack, planted and clean, side by side.
class FaultTrial {
 public:
  explicit FaultTrial(const std::string& line)
      : test_case_(parse_case(line)),
        subject_(test_case_),
        gate_(test_case_.faults),
        planted_(subject_, gate_),
        clean_(subject_, Gate::never()) {}

  // Whether any bit, type or alias of what leaves the rung is another than without the fault, or the rung does not end
  // as without it.
  bool differs(Layer rung) {
    TrialOptions options;
    options.rung = rung;
    const auto mine = planted_.run(options), right = clean_.run(options);
    ended_ = mine.ended();
    findings_ = mine.report.transfers;
    if (mine.ended() != right.ended() || mine.tensors.size() != right.tensors.size()) return true;
    for (size_t t = 0; t < mine.tensors.size(); ++t) {
      const auto &a = mine.tensors[t], &b = right.tensors[t];
      if (!(a.type == b.type) || a.alias != b.alias || bits_of(a) != bits_of(b)) return true;
    }
    return false;
  }

  // After differs(): how the planted run ended, and what the layer's verifier finds in the artefacts of all runs.
  const std::string& ended() const { return ended_; }
  std::vector<Finding> findings(Layer layer) const {
    if (layer == Layer::capture) return verify_capture(test_case_.program, planted_.capture());
    return layer == Layer::transfer ? findings_ : verify_layer(planted_.stack(), layer);
  }
  int64_t fired() const { return gate_.ledger().front().fired; }

 private:
  static ElementBits bits_of(const LeavingTensor<NativeDomain>& tensor) {
    ElementBits bits;
    for (const auto& value : tensor.values)
      bits.push_back(is_float(tensor.type.dtype) ? std::bit_cast<uint64_t>(value.real)
                                                 : static_cast<uint64_t>(value.integer));
    return bits;
  }

  Case test_case_;
  Subject subject_;
  FaultGate gate_;
  StackTrial planted_, clean_;
  std::string ended_;
  std::vector<Finding> findings_;
};

inline std::string case_line(std::string_view fault, std::string_view program) {
  return "fault=" + std::string(fault) + "(*) program=" + std::string(program);
}

// The rung that shows a layer's artefact first. Segments as traced run on eager operators alone; one rung below, what
// is wrong in them is wrong as well.
inline Layer first_rung(Layer layer) { return std::max(layer, Layer::decompose); }

}  // namespace faultline
