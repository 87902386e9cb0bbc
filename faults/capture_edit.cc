// The newest entry of a capture.
#include "faults/capture_edit.h"

#include <fmt/format.h>

#include "runtime/base/error.h"
#include "runtime/layers/decompose/decompose.h"

namespace faultline {

bool is_attribute(const std::string& name) { return name.starts_with("self."); }

std::optional<PrimGraph> graph_of(const CaptureEntry& entry) {
  try {
    return decompose(entry.segment);
  } catch (const Rejected&) {
    return std::nullopt;
  } catch (const UserError&) {
    return std::nullopt;
  }
}

FaultSite guard_site(const Capture& capture, size_t index) {
  const Guard& guard = capture.entries.back().guards[index];
  std::string path = fmt::format("guard:{}/{}", capture.entries.size() - 1, guard.name);
  if (!guard.other.empty()) path += "/" + guard.other;
  return {std::move(path), {static_cast<int64_t>(index)}};
}

std::vector<FaultSite> guard_sites(const Capture& capture, bool (*strikes)(const Guard&)) {
  std::vector<FaultSite> sites;
  if (capture.entries.empty()) return sites;
  const std::vector<Guard>& guards = capture.entries.back().guards;
  for (size_t g = 0; g < guards.size(); ++g)
    if (strikes(guards[g])) sites.push_back(guard_site(capture, g));
  return sites;
}

void drop_guard(Capture& capture, const FaultSite& site, const FaultSpec&) {
  std::vector<Guard>& guards = capture.entries.back().guards;
  guards.erase(guards.begin() + site.at[0]);
}

}  // namespace faultline
