// A flag chose the arm of a branch while tracing, and no guard says so: later calls take the same arm.
#include "faults/capture_edit.h"

namespace faultline {

static bool strikes(const Guard& guard) {
  return guard.kind == Guard::Kind::scalar_value && !is_attribute(guard.name) &&
         std::holds_alternative<bool>(guard.value);
}

static std::vector<FaultSite> applies(const Capture& capture) { return guard_sites(capture, strikes); }

extern const Fault fault_capture_branch_bake;
constinit const Fault fault_capture_branch_bake{
    .id = "capture.branch_bake",
    .summary = "the guard on the flag of a branch is missing",
    .mechanism = "capture.branch_bake",
    .origin = "https://github.com/pytorch/pytorch/issues/196173",
    .targets = "any",
    .hook = rewrite<applies, drop_guard>,
    .example =
        "def f(x: f16[67], flag: bool): y = aten.exp(x); "
        "if flag { z = aten.neg(y) } else { z = aten.add.Scalar(y, 1.0) }; return z; "
        "call f(flag = True); call f(flag = False)",
};

}  // namespace faultline
