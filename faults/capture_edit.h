// What fault rows of `capture` ask of the newest entry, and how they change it. Older entries have been asked about
// when they were new.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faults/fault.h"
#include "runtime/ir/prim.h"
#include "runtime/layers/capture/capture.h"

namespace faultline {

// State of the program: "self.<name>".
bool is_attribute(const std::string& name);
// What the newest entry's segment means; nothing where `decompose` refuses it.
std::optional<PrimGraph> graph_of(const CaptureEntry& entry);

// "guard:<entry>/<name>" for guard `index` of the newest entry; drop_guard() takes it away.
FaultSite guard_site(const Capture& capture, size_t index);
std::vector<FaultSite> guard_sites(const Capture& capture, bool (*strikes)(const Guard&));
void drop_guard(Capture& capture, const FaultSite& site, const FaultSpec& spec);

}  // namespace faultline
