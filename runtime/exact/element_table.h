// Memory of the domains whose values are no bits: each cell names an element in a side table and the byte of it that it
// is.
//
// A read gives the element's value only if its cells are all bytes of one element, in order, and the element was stored
// in the format now asked for. Everything else (torn, swapped, misplaced, flipped bytes, another format) is given back
// as pieces, and the domain says what that means. Stores only append; forget() drops everything, and with it the
// meaning of all cells.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/numerics/format.h"

namespace faultline {

// Bit 31: poison; bits 30..3: element, or the allocation of poison; bits 2..0: byte number.
struct ElementCell {
  uint32_t code = 0;

  static constexpr uint32_t kPoison = uint32_t{1} << 31;
  static constexpr uint32_t kMost = uint32_t{1} << 28;

  bool is_poison() const { return (code & kPoison) != 0; }
  uint32_t element() const { return (code & ~kPoison) >> 3; }
  uint32_t byte_number() const { return code & 7; }
  bool operator==(const ElementCell&) const = default;
};

template <class Value>
class ElementTable {
 public:
  struct Element {
    Value value;
    uint32_t origin = 0;  // the element before bits were flipped
    Format format = Format::f64;
    bool real = true;     // of a float dtype
    uint8_t flipped = 0;  // mask
  };

  void store(ElementCell* cells, Format format, bool real, const Value& value) {
    const uint32_t id = append(value, count_, format, real, 0);
    const int size = byte_size(format);
    for (int byte = 0; byte < size; ++byte) cells[byte].code = id << 3 | static_cast<uint32_t>(byte);
  }

  // The same for elements that lie one behind the other.
  void store_lanes(ElementCell* cells, Format format, bool real, const Value* values, int n) {
    const auto size = static_cast<uint32_t>(byte_size(format));
    for (int k = 0; k < n; ++k, cells += size) {
      const uint32_t code = append(values[k], count_, format, real, 0) << 3;
      for (uint32_t byte = 0; byte < size; ++byte) cells[byte].code = code | byte;
    }
  }
  // Gives what are whole elements of this kind; asks other(k) for the rest.
  template <class Other>
  void load_lanes(const ElementCell* cells, Format format, bool real, Value* values, int n, Other other) const {
    const int size = byte_size(format);
    for (int k = 0; k < n; ++k, cells += size) {
      const Element* element = whole(cells, format);
      values[k] = element != nullptr && element->real == real ? element->value : other(k);
    }
  }

  // The element that these cells are, or null.
  const Element* whole(const ElementCell* cells, Format format) const {
    if (cells[0].is_poison() || cells[0].byte_number() != 0) return nullptr;
    const int size = byte_size(format);
    for (int byte = 1; byte < size; ++byte)
      if (cells[byte].code != cells[0].code + static_cast<uint32_t>(byte)) return nullptr;
    const Element& element = this->element(cells[0]);
    return element.format == format && element.flipped == 0 ? &element : nullptr;
  }

  // The first poison cell among an element's, or null.
  static const ElementCell* poison(const ElementCell* cells, Format format) {
    for (int byte = 0; byte < byte_size(format); ++byte)
      if (cells[byte].is_poison()) return cells + byte;
    return nullptr;
  }

  const Element& element(const ElementCell& cell) const {
    return chunks_[cell.element() / kChunk][cell.element() % kChunk];
  }

  ElementCell poison_cell(int allocation, int byte_number) const {
    FAULTLINE_CHECK(allocation >= 0 && static_cast<uint32_t>(allocation) < ElementCell::kMost,
                    std::to_string(allocation));
    return {ElementCell::kPoison | static_cast<uint32_t>(allocation) << 3 | (static_cast<uint32_t>(byte_number) & 7)};
  }

  // Poison stays poison; flipping the same bits again gives the first cell back.
  ElementCell flip(const ElementCell& cell, int mask) {
    if (cell.is_poison()) return cell;
    const Element before = element(cell);
    const auto flipped = static_cast<uint8_t>(before.flipped ^ mask);
    if (flipped == 0) return {before.origin << 3 | cell.byte_number()};
    const uint32_t id = append(before.value, before.origin, before.format, before.real, flipped);
    return {id << 3 | cell.byte_number()};
  }

  // Assembles bits from cells that are all bytes of concrete integers; `bits_of(element)` gives the bits of one.
  template <class BitsOf>
  bool assemble(const ElementCell* cells, Format format, uint64_t& bits, BitsOf bits_of) const {
    bits = 0;
    for (int byte = 0; byte < byte_size(format); ++byte) {
      const Element& piece = element(cells[byte]);
      if (piece.real) return false;
      const uint64_t stored = bits_of(piece) >> (8 * cells[byte].byte_number()) & 0xFF;
      bits |= (stored ^ piece.flipped) << (8 * byte);
    }
    return true;
  }

  size_t size() const { return count_; }
  void forget() {
    chunks_.clear();
    count_ = 0;
  }

 private:
  // Elements never move: growth copies nothing.
  static constexpr uint32_t kChunk = 4096;

  // Constructed where it stays: a copy from the stack would wait for the stores of its parts.
  uint32_t append(const Value& value, uint32_t origin, Format format, bool real, uint8_t flipped) {
    FAULTLINE_CHECK(count_ < ElementCell::kMost, "the side table of values is full");
    if (count_ % kChunk == 0) chunks_.emplace_back().reserve(kChunk);
    chunks_.back().emplace_back(value, origin, format, real, flipped);
    return count_++;
  }

  std::vector<std::vector<Element>> chunks_;
  uint32_t count_ = 0;
};

}  // namespace faultline
