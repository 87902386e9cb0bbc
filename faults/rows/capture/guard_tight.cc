// A guard on something that never stays the same: no call finds the graph of an earlier one, and every call compiles.
// Slow, and right.
#include "faults/capture_edit.h"

namespace faultline {

static std::vector<FaultSite> applies(const Capture& capture) {
  if (capture.entries.empty() || capture.entries.back().guards.empty()) return {};
  return {guard_site(capture, 0)};
}

// No program can name a parameter or an attribute like this, so no state ever has it.
static void apply(Capture& capture, const FaultSite&, const FaultSpec&) {
  Guard guard;
  guard.kind = Guard::Kind::scalar_value;
  guard.name = "<volatile>";
  guard.value = int64_t{0};
  capture.entries.back().guards.push_back(guard);
}

extern const Fault fault_capture_guard_tight;
constinit const Fault fault_capture_guard_tight{
    .id = "capture.guard_tight",
    .summary = "a guard on a volatile value fails on every call",
    .mechanism = "capture.guard_tight",
    .origin = "https://github.com/pytorch/pytorch/issues/149405",
    .targets = "any",
    .expect = Expect::tolerate,
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[67]): y = aten.exp(x); return y; call f(); call f()",
};

}  // namespace faultline
