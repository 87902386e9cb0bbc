// V21: the right bytes read the wrong way: bytes, half words or nibbles in another order, another type of the same
// width, or the elements of a unit in a packed permutation.
#include <fmt/format.h>

#include "checkers/patterns/element.h"
#include "checkers/patterns/moves.h"

namespace faultline {

namespace {

enum class Order { bytes, halves, nibbles };
enum class Packing { interleaved, separated, reversed };

constexpr std::string_view kOrders[] = {"bytes reversed", "half words swapped", "nibbles swapped"};
constexpr std::string_view kPackings[] = {"halves interleaved", "even and odd separated", "reversed"};

uint64_t reorder(uint64_t bits, int width, Order order) {
  if (order == Order::nibbles) return (bits & 0x0F0F0F0F0F0F0F0FU) << 4 | (bits >> 4 & 0x0F0F0F0F0F0F0F0FU);
  if (order == Order::halves) return (bits << width / 2 | bits >> width / 2) & bit_mask(width);
  uint64_t result = 0;
  for (int byte = 0; byte < width / 8; ++byte) result |= (bits >> 8 * byte & 0xFF) << (width - 8 - 8 * byte);
  return result;
}

int64_t packed(int64_t local, int64_t unit, Packing packing) {
  switch (packing) {
    case Packing::interleaved: return local % 2 * (unit / 2) + local / 2;
    case Packing::separated: return local < unit / 2 ? 2 * local : 2 * (local - unit / 2) + 1;
    default: return unit - 1 - local;
  }
}

// Types of the same width that bytes may be taken for.
std::vector<DType> twins(DType dtype) {
  std::vector<DType> found;
  for (int k = 0; k < kDTypeCount; ++k) {
    const auto other = static_cast<DType>(k);
    if (other != dtype && other != DType::boolean && byte_size(other) == byte_size(dtype)) found.push_back(other);
  }
  return found;
}

void offer_type(Proposals& proposals, DType other, bool taken_for, double bits) {
  const Scene& scene = proposals.scene();
  proposals.offer(
      bits,
      [&scene, other, taken_for](size_t at, int64_t flat, int) {
        const uint64_t right = scene.cases[at].reference[static_cast<size_t>(flat)];
        if (taken_for) return Predicted{true, bits_of(scene.dtype, value_of(other, right)), 0};
        return Predicted{true, bits_of(other, value_of(scene.dtype, right)), 0};
      },
      [&] { return fmt::format("{} {}", taken_for ? "bytes read as" : "bytes of", name(other)); });
}

void propose(Proposals& proposals) {
  const Scene& scene = proposals.scene();
  if (scene.dtype == DType::boolean) return;
  const std::vector<DType> others = twins(scene.dtype);
  const double bits =
      choice_bits(3.0 + 2.0 * static_cast<double>(others.size()) + 3.0 * static_cast<double>(scene.units.size()));
  for (const Order order : {Order::bytes, Order::halves, Order::nibbles}) {
    if ((order == Order::bytes && scene.width < 16) || (order == Order::halves && scene.width < 32)) continue;
    proposals.offer(
        bits,
        [&scene, order](size_t at, int64_t flat, int) {
          return Predicted{true, reorder(scene.cases[at].reference[static_cast<size_t>(flat)], scene.width, order), 0};
        },
        [&] { return std::string(kOrders[static_cast<int>(order)]); });
  }
  for (const DType other : others) {
    offer_type(proposals, other, true, bits);
    offer_type(proposals, other, false, bits);
  }
  const Source source(scene);
  for (const ScalarUnit& unit : scene.units) {
    if (unit.dim || unit.elements % 2 != 0 || unit.elements > scene.count_max) continue;
    for (const Packing packing : {Packing::interleaved, Packing::separated, Packing::reversed})
      proposals.offer(
          bits,
          [source, elements = unit.elements, packing](size_t at, int64_t flat, int) {
            return source.element(at, flat / elements * elements + packed(flat % elements, elements, packing));
          },
          [&] { return fmt::format("{} within {}", kPackings[static_cast<int>(packing)], unit.text); });
  }
}

}  // namespace

constinit const WhatFamily what_reinterpreted{
    .id = "V21", .name = "reinterpreted", .layers = "layout.pack", .moves = false, .propose = propose};

}  // namespace faultline
