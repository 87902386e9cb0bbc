// Whether two inputs share storage decides what a graph that writes to one of them means for the other; the guard on it
// is missing.
#include <algorithm>
#include <set>

#include "faults/capture_edit.h"

namespace faultline {

// Inputs of the newest segment that its graph writes back to.
static std::set<std::string> written_inputs(const CaptureEntry& entry) {
  std::set<std::string> written;
  const std::optional<PrimGraph> graph = graph_of(entry);
  if (!graph) return written;
  for (const WriteBack& write : graph->write_backs) written.insert(entry.inputs[write.input]);
  return written;
}

static std::vector<FaultSite> applies(const Capture& capture) {
  if (capture.entries.empty()) return {};
  const std::set<std::string> written = written_inputs(capture.entries.back());
  std::vector<FaultSite> sites;
  const std::vector<Guard>& guards = capture.entries.back().guards;
  for (size_t g = 0; g < guards.size(); ++g) {
    const Guard& guard = guards[g];
    if (guard.kind != Guard::Kind::apart && guard.kind != Guard::Kind::same_storage) continue;
    // Parameters share storage in every call or in none.
    if (!is_attribute(guard.name) && !is_attribute(guard.other)) continue;
    if (guard.kind == Guard::Kind::same_storage || written.contains(guard.name) || written.contains(guard.other))
      sites.push_back(guard_site(capture, g));
  }
  return sites;
}

extern const Fault fault_capture_guard_alias;
constinit const Fault fault_capture_guard_alias{
    .id = "capture.guard_alias",
    .summary = "the guard on whether two inputs share storage is missing",
    .mechanism = "capture.guard_drop",
    .origin = "https://github.com/pytorch/pytorch/issues/139789",
    .targets = "any",
    .hook = rewrite<applies, drop_guard>,
    .example =
        "self.a = tensor f16[67]; self.b = tensor f16[67]; "
        "def f(x: f16[67]): a = self.a; b = self.b; c = aten.add_.Tensor(a, x); y = aten.mul.Tensor(a, b); "
        "self.b = a; return y; call f(); call f()",
};

}  // namespace faultline
