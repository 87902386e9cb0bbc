// Tables from the .def files, and look-ups.
#include <algorithm>
#include <iterator>
#include <string>

#include "taxonomy/mechanism.h"

namespace faultline {

static constexpr LayerRow kLayerRows[] = {
#define LAYER(number, id, long_name, artefact, aliases) {static_cast<Layer>(number), #id, long_name, artefact, aliases},
#include "taxonomy/layers.def"
#undef LAYER
};
static_assert(std::size(kLayerRows) == kLayers.size());

static constexpr Mechanism kMechanisms[] = {
#define MECHANISM(layer, kind, family, summary, symptoms) {#layer "." #kind, Layer::layer, #family, summary, symptoms},
#include "taxonomy/mechanisms.def"
#undef MECHANISM
};

namespace {
struct Rule {
  Layer layer;
  std::string_view promise, mechanism;
};
}  // namespace

static constexpr Rule kRules[] = {
#define RULE(layer, promise, mechanism) {Layer::layer, #promise, #layer "." #mechanism},
#include "taxonomy/rules.def"
#undef RULE
};

namespace {
struct PreconditionRow {
  std::string_view mechanism;
  Precondition precondition;
};
}  // namespace

static constexpr PreconditionRow kPreconditions[] = {
#define PRECONDITION(layer, kind, what) {#layer "." #kind, Precondition::what},
#include "taxonomy/preconditions.def"
#undef PRECONDITION
};

Precondition precondition_of(const Mechanism& mechanism) {
  for (const PreconditionRow& row : kPreconditions)
    if (row.mechanism == mechanism.id) return row.precondition;
  return Precondition::none;
}

bool breaks_a_promise(const Mechanism& mechanism) {
  return std::any_of(std::begin(kRules), std::end(kRules),
                     [&](const Rule& rule) { return rule.mechanism == mechanism.id && rule.promise != "departs"; });
}

const Mechanism* mechanism_of(Layer layer, std::string_view promise) {
  for (const Rule& rule : kRules)
    if (rule.layer == layer && rule.promise == promise) return find_mechanism(rule.mechanism);
  return nullptr;
}

std::span<const LayerRow> layer_rows() { return kLayerRows; }
std::span<const Mechanism> mechanisms() { return kMechanisms; }

std::string_view name(Layer layer) { return kLayerRows[number(layer) - 1].id; }

// Aliases are whole words.
static bool has_word(std::string_view words, std::string_view word) {
  const std::string padded = " " + std::string(words) + " ";
  return padded.find(" " + std::string(word) + " ") != std::string::npos;
}

std::optional<Layer> layer_from_name(std::string_view text) {
  for (const LayerRow& row : kLayerRows)
    if (row.id == text || std::to_string(number(row.layer)) == text || has_word(row.aliases, text)) return row.layer;
  return std::nullopt;
}

const Mechanism* find_mechanism(std::string_view id) {
  for (const Mechanism& mechanism : kMechanisms)
    if (mechanism.id == id) return &mechanism;
  return nullptr;
}

}  // namespace faultline
