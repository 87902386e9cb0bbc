// A number that the program keeps as an attribute, and changes between calls, is a constant of the graph.
#include "faults/capture_edit.h"

namespace faultline {

static bool strikes(const Guard& guard) { return guard.kind == Guard::Kind::scalar_value && is_attribute(guard.name); }

static std::vector<FaultSite> applies(const Capture& capture) { return guard_sites(capture, strikes); }

extern const Fault fault_capture_const_bake;
constinit const Fault fault_capture_const_bake{
    .id = "capture.const_bake",
    .summary = "the value of a mutable attribute is a constant of the graph, without a guard",
    .mechanism = "capture.const_bake",
    .origin = "https://github.com/pytorch/pytorch/issues/176851",
    .targets = "any",
    .hook = rewrite<applies, drop_guard>,
    .example =
        "self.count = 2; def f(x: f16[67]): n = self.count; y = aten.mul.Scalar(x, n); m = n + 1; "
        "self.count = m; return y; call f(); call f()",
};

}  // namespace faultline
