// At a graph break two live values are handed to the code that resumes under each other's names.
#include <fmt/format.h>

#include "faults/capture_edit.h"

namespace faultline {

// A fresh value that the rest of the program uses, other than the one that is read as a scalar.
static bool may_swap(const CaptureEntry& entry, const GraphOutput& output) {
  return output.alias_input < 0 && output.alias_output < 0 && !is_attribute(output.name) &&
         output.name != entry.exit.tensor && element_count(output.type.sizes) > 0;
}

static std::vector<FaultSite> applies(const Capture& capture) {
  std::vector<FaultSite> sites;
  if (capture.entries.empty() || !capture.entries.back().exit.breaks) return sites;
  const CaptureEntry& entry = capture.entries.back();
  const std::optional<PrimGraph> graph = graph_of(entry);
  if (!graph) return sites;
  for (size_t a = 0; a < graph->outputs.size(); ++a)
    for (size_t b = a + 1; b < graph->outputs.size(); ++b) {
      const GraphOutput &first = graph->outputs[a], &second = graph->outputs[b];
      if (!may_swap(entry, first) || !may_swap(entry, second) || first.node == second.node) continue;
      // With another type the code that resumes would not even trace.
      if (!(first.type == second.type)) continue;
      sites.push_back({fmt::format("break:{}/{}/{}", capture.entries.size() - 1, first.name, second.name),
                       {static_cast<int64_t>(a), static_cast<int64_t>(b)}});
      return sites;
    }
  return sites;
}

static void apply(Capture& capture, const FaultSite& site, const FaultSpec&) {
  std::vector<SegmentOutput>& outputs = capture.entries.back().segment.outputs;
  std::swap(outputs[site.at[0]].value, outputs[site.at[1]].value);
}

extern const Fault fault_capture_resume_swap;
constinit const Fault fault_capture_resume_swap{
    .id = "capture.resume_swap",
    .summary = "two live values change places at a graph break",
    .mechanism = "capture.resume_swap",
    .origin = "constructed: live values are handed to resumed code by position, which two of one type leave unchecked",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example =
        "def f(x: f16[67]): a = aten.exp(x); b = aten.neg(x); s = aten.sum.default(x); v = s.item(); "
        "y = aten.sub.Tensor(a, b); z = aten.mul.Scalar(y, v); return z",
};

}  // namespace faultline
