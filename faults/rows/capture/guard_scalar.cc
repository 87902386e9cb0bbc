// The value of a Python scalar is frozen into the graph, and no guard says so: a later call with another value finds
// the graph of the first. Bools are the business of branch_bake, attributes that of const_bake.
#include "faults/capture_edit.h"

namespace faultline {

static bool strikes(const Guard& guard) {
  return guard.kind == Guard::Kind::scalar_value && !is_attribute(guard.name) &&
         !std::holds_alternative<bool>(guard.value);
}

static std::vector<FaultSite> applies(const Capture& capture) { return guard_sites(capture, strikes); }

extern const Fault fault_capture_guard_scalar;
constinit const Fault fault_capture_guard_scalar{
    .id = "capture.guard_scalar",
    .summary = "the guard on a Python scalar that the trace froze is missing",
    .mechanism = "capture.guard_drop",
    .origin = "https://github.com/torch-spyre/torch-spyre/issues/1765",
    .targets = "any",
    .hook = rewrite<applies, drop_guard>,
    .example = "def f(x: f16[67], n: int): y = aten.mul.Scalar(x, n); return y; call f(n = 3); call f(n = 5)",
};

}  // namespace faultline
