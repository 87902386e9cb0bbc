// The eight layers a program passes through, numbered 1 to 8 (layers.def). Names are data with aliases.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace faultline {

enum class Layer : uint8_t { capture = 1, decompose, fuse, layout, tile, schedule, transfer, numerics };

inline constexpr std::array<Layer, 8> kLayers = {Layer::capture, Layer::decompose, Layer::fuse,     Layer::layout,
                                                 Layer::tile,    Layer::schedule,  Layer::transfer, Layer::numerics};

std::string_view name(Layer layer);
constexpr int number(Layer layer) { return static_cast<int>(layer); }
// Accepts the id, the number as text, and the aliases.
std::optional<Layer> layer_from_name(std::string_view text);

}  // namespace faultline
