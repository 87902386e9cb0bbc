// The kinds of faults, by layer (mechanisms.def). A checker or diagnosis names a kind; fault rows say which kind they
// are.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "taxonomy/layer.h"

namespace faultline {

struct LayerRow {
  Layer layer;
  std::string_view id, long_name, artefact, aliases;
};
std::span<const LayerRow> layer_rows();

struct Mechanism {
  std::string_view id;  // "schedule.trip"
  Layer layer;
  std::string_view family;    // "codegen", "sync", or the layer's id
  std::string_view summary;   // a clause: "a loop or piece count is off: ..."
  std::string_view symptoms;  // letters of W R C H P B
};
std::span<const Mechanism> mechanisms();
const Mechanism* find_mechanism(std::string_view id);

// The kind that a broken promise of this layer is first evidence for (rules.def); null when no rule speaks of it.
const Mechanism* mechanism_of(Layer layer, std::string_view promise);

// Whether a broken promise of the layer's artefact would be evidence for this kind.
bool breaks_a_promise(const Mechanism& mechanism);

// What a program must do for a kind to be possible (preconditions.def); `none` for most.
enum class Precondition : uint8_t { none, writes, broadcasts, reduces, approximates };
Precondition precondition_of(const Mechanism& mechanism);

}  // namespace faultline
