// The shape, strides and type that a parameter had while tracing are frozen into the graph, and no guard says so: a
// later call with another shape runs the graph of the first. Where the number of elements differs as well, the entry
// code of the compiled graph refuses; where it is the same, the result has the old shape.
#include <algorithm>

#include "faults/capture_edit.h"

namespace faultline {

static bool strikes(const Guard& guard) { return guard.kind == Guard::Kind::tensor_type && !is_attribute(guard.name); }

// Before the first graph break every tensor by name is a parameter, and one in every call.
static std::vector<FaultSite> applies(const Capture& capture) {
  const bool breaks = std::any_of(capture.entries.begin(), capture.entries.end(),
                                  [](const CaptureEntry& entry) { return entry.exit.breaks; });
  return breaks ? std::vector<FaultSite>() : guard_sites(capture, strikes);
}

extern const Fault fault_capture_guard_shape;
constinit const Fault fault_capture_guard_shape{
    .id = "capture.guard_shape",
    .summary = "the guard on the shape and type of a parameter is missing",
    .mechanism = "capture.guard_drop",
    .origin = "https://github.com/pytorch/pytorch/issues/150364",
    .targets = "any",
    .hook = rewrite<applies, drop_guard>,
    .example = "def f(x: f16[4,67]): y = aten.exp(x); return y; call f(); call f(x: f16[67,4])",
};

}  // namespace faultline
