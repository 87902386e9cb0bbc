// The graph computes the new value of an attribute, and the code around it does not store it: the program's state stays
// as it was, and what builds on it falls further behind with every call.
#include <fmt/format.h>

#include <algorithm>

#include "faults/capture_edit.h"

namespace faultline {

enum Kind : int64_t { kTensor, kScalar };

// An attribute has a value without the update: it is an input of the segment, or a scalar that the trace guarded.
static bool has_old_value(const CaptureEntry& entry, const std::string& name) {
  return std::find(entry.inputs.begin(), entry.inputs.end(), name) != entry.inputs.end() ||
         std::any_of(entry.guards.begin(), entry.guards.end(),
                     [&](const Guard& guard) { return guard.kind == Guard::Kind::scalar_value && guard.name == name; });
}

static bool is_itself(const CaptureEntry& entry, const SegmentOutput& output) {
  return output.value < std::ssize(entry.inputs) && entry.inputs[output.value] == output.name;
}

static bool keeps_number(const CaptureEntry& entry, const std::string& name, const Scalar& value) {
  return std::any_of(entry.guards.begin(), entry.guards.end(), [&](const Guard& guard) {
    return guard.kind == Guard::Kind::scalar_value && guard.name == name && guard.value == value;
  });
}

static std::vector<FaultSite> applies(const Capture& capture) {
  std::vector<FaultSite> sites;
  if (capture.entries.empty()) return sites;
  const CaptureEntry& entry = capture.entries.back();
  const auto add = [&](const std::string& name, Kind kind, int64_t at) {
    sites.push_back({fmt::format("update:{}/{}", capture.entries.size() - 1, name), {kind, at}});
  };
  for (size_t o = 0; o < entry.segment.outputs.size(); ++o) {
    const SegmentOutput& output = entry.segment.outputs[o];
    if (is_attribute(output.name) && has_old_value(entry, output.name) && !is_itself(entry, output))
      add(output.name, kTensor, static_cast<int64_t>(o));
  }
  int64_t at = 0;
  for (const auto& [name, value] : entry.scalars) {
    if (is_attribute(name) && has_old_value(entry, name) && !keeps_number(entry, name, value)) add(name, kScalar, at);
    ++at;
  }
  return sites;
}

static void apply(Capture& capture, const FaultSite& site, const FaultSpec&) {
  CaptureEntry& entry = capture.entries.back();
  if (site.at[0] == kTensor)
    entry.segment.outputs.erase(entry.segment.outputs.begin() + site.at[1]);
  else
    entry.scalars.erase(std::next(entry.scalars.begin(), site.at[1]));
}

extern const Fault fault_capture_effect_lost;
constinit const Fault fault_capture_effect_lost{
    .id = "capture.effect_lost",
    .summary = "the update of an attribute is not replayed",
    .mechanism = "capture.effect_lost",
    .origin = "https://github.com/pytorch/pytorch/issues/169253",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example =
        "self.total = tensor f16[67]; def f(x: f16[67]): t = self.total; s = aten.add.Tensor(t, x); "
        "self.total = s; y = aten.neg(s); return y; call f(); call f()",
};

}  // namespace faultline
