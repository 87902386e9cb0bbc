// Simulated memory in cells of an element domain (domain.h: a cell is one byte), with shadow state for every byte.
// Shared by the reference executors of layout and tile, the machine interpreter and the device.
//
// A byte that nobody wrote reads as poison of its allocation (`first_poison` plus the number of the region). Shadow of
// a byte: who wrote it last (an actor: the caller's number of a transfer or an instruction, above 0), and whether what
// lies there is *defined*. Copies carry cells as they are, padding included, and carry undefinedness with them without
// complaint; using an undefined element is what gets recorded.
//
// No access is undefined behaviour of the simulator: outside every allocation a read gives poison and a write is
// dropped; in a guard zone both take place. All of them are recorded as events.
//
// Pages come into being when first written, so that a space of many gigabytes costs what is touched. Not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <unordered_map>

#include "runtime/base/error.h"
#include "runtime/ir/dtype.h"
#include "runtime/layers/memory/memory_event.h"
#include "runtime/layers/memory/memory_map.h"

namespace faultline {

inline constexpr int64_t kGuardBytes = 128;

// Cells on their way from one memory to another.
template <class D>
struct CellRun {
  std::vector<typename D::Cell> cells;
  std::vector<uint8_t> defined;  // by cell
};

struct ByteShadow {
  int writer = 0;  // 0: never written
  bool defined = false;
  MemoryZone zone = MemoryZone::unmapped;
};

template <class D>
class ByteMemory {
 public:
  using Value = typename D::Value;
  using Cell = typename D::Cell;

  // `first_poison` is added to a region's number to number its poison, so that several memories tell theirs apart.
  explicit ByteMemory(D& domain, int first_poison = 0)
      : domain_(&domain), first_poison_(first_poison), buffer_(kElementBytesMax, domain.poison_cell(first_poison, 0)) {}

  // --- Allocations. All return the region's id.
  // Behind everything placed so far.
  int allocate(std::string name, int64_t bytes, int64_t alignment = 128, int64_t guard = kGuardBytes) {
    return place(std::move(name), map_.free_address(alignment, guard), bytes, guard, true);
  }
  // At an address of the caller's choice. fresh: its bytes and guard zones become never written; otherwise what an
  // earlier allocation left there stays, as real allocators leave it.
  int place(std::string name, int64_t address, int64_t bytes, int64_t guard = kGuardBytes, bool fresh = false) {
    if (fresh) forget(address - guard, bytes + 2 * guard);
    patterns_.push_back(++last_pattern_);
    return map_.place(std::move(name), address, bytes, guard);
  }
  void release(int id) { map_.release(id); }
  // A program that begins on memory that outlives it: its allocations are numbered for poison as if they were the
  // first, and what was recorded so far is dropped.
  void begin_program() {
    last_pattern_ = 0;
    events_ = {};
  }
  // Bytes that nobody wrote read as zero instead of poison. Only bytes of native memory can be zero: elsewhere an
  // unwritten element stays poison, which is how the other domains tell that a result depends on it.
  void set_zeroed(bool zeroed) { zeroed_ = zeroed; }
  const MemoryRegion& region(int id) const { return map_.region(id); }
  const MemoryMap& map() const { return map_; }

  // --- Elements.
  Value read(int64_t address, DType dtype, int actor) {
    const int bytes = domain_->element_bytes(dtype);
    check_zone(address, bytes, actor, MemoryEventKind::read_guard, MemoryEventKind::read_unmapped);
    const Page* page = find(address);
    const int64_t at = address & (kPageBytes - 1);
    if (page != nullptr && at + bytes <= kPageBytes && page->all_defined(at, bytes)) {
      return domain_->load(page->cells.data() + at, dtype);
    }
    gather(address, bytes);
    note_undefined(address, bytes, actor);
    return domain_->load(buffer_.data(), dtype);
  }
  // `count` elements that lie one behind the other.
  void read_run(int64_t address, DType dtype, int count, int actor, Value* out) {
    const int bytes = domain_->element_bytes(dtype);
    const int64_t all = int64_t{bytes} * count;
    const MemoryMap::Answer& zone = map_.at(address);
    const Page* page = find(address);
    const int64_t at = address & (kPageBytes - 1);
    if (zone.zone == MemoryZone::body && address + all <= zone.end && page != nullptr && at + all <= kPageBytes &&
        page->all_defined(at, static_cast<int>(all))) {
      return domain_->load_lanes(page->cells.data() + at, dtype, out, count);
    }
    for (int k = 0; k < count; ++k) out[k] = read(address + int64_t{bytes} * k, dtype, actor);
  }
  void write(int64_t address, DType dtype, const Value& value, int actor) {
    const int bytes = domain_->element_bytes(dtype);
    domain_->store(buffer_.data(), dtype, value);
    check_zone(address, bytes, actor, MemoryEventKind::write_guard, MemoryEventKind::write_unmapped);
    for (int byte = 0; byte < bytes; ++byte) put(address + byte, buffer_[byte], true, actor);
  }
  // `count` elements that lie one behind the other.
  void write_run(int64_t address, DType dtype, int count, const Value* values, int actor) {
    const int64_t all = int64_t{domain_->element_bytes(dtype)} * count;
    const MemoryMap::Answer& zone = map_.at(address);
    const int64_t at = address & (kPageBytes - 1);
    if (zone.zone == MemoryZone::body && address + all <= zone.end && at + all <= kPageBytes) {
      FAULTLINE_CHECK(actor > 0, std::to_string(actor));
      Page& page = make(address);
      domain_->store_lanes(page.cells.data() + at, dtype, values, count);
      std::fill_n(page.writers.begin() + at, all, actor);
      std::fill_n(page.defined.begin() + at, all, 1);
      return;
    }
    for (int k = 0; k < count; ++k) write(address + all / count * k, dtype, values[k], actor);
  }

  // --- Ranges of cells.
  CellRun<D> take(int64_t address, int64_t bytes, int actor) {
    CellRun<D> run;
    take(address, bytes, actor, run);
    return run;
  }
  // Appends to `run`.
  void take(int64_t address, int64_t bytes, int actor, CellRun<D>& run) {
    check_zone(address, bytes, actor, MemoryEventKind::read_guard, MemoryEventKind::read_unmapped);
    for (int64_t at = address; at < address + bytes;) {
      const int64_t in = at & (kPageBytes - 1);
      const int64_t count = std::min(kPageBytes - in, address + bytes - at);
      const Page* page = find(at);
      if (page != nullptr && page->all_defined(in, static_cast<int>(count))) {
        run.cells.insert(run.cells.end(), page->cells.begin() + in, page->cells.begin() + in + count);
        run.defined.resize(run.cells.size(), 1);
      } else {
        for (int64_t byte = at; byte < at + count; ++byte) {
          run.defined.push_back(shadow_defined(byte));
          run.cells.push_back(cell(byte));
        }
      }
      at += count;
    }
  }
  // The bytes of an element that somebody uses: undefined ones are recorded.
  void take_used(int64_t address, int bytes, int actor, CellRun<D>& run) {
    take(address, bytes, actor, run);
    if (std::any_of(run.defined.end() - bytes, run.defined.end(), [](uint8_t flag) { return flag == 0; }))
      note_undefined(address, bytes, actor);
  }
  void put(int64_t address, const CellRun<D>& run, int actor) {
    put(address, run, 0, static_cast<int64_t>(run.cells.size()), actor);
  }
  // `bytes` cells of `run` from `first` on.
  void put(int64_t address, const CellRun<D>& run, int64_t first, int64_t bytes, int actor) {
    check_zone(address, bytes, actor, MemoryEventKind::write_guard, MemoryEventKind::write_unmapped);
    FAULTLINE_CHECK(actor > 0, std::to_string(actor));
    for (int64_t at = address; at < address + bytes;) {
      const MemoryMap::Answer& zone = map_.at(at);
      const int64_t in = at & (kPageBytes - 1);
      const int64_t count = std::min({kPageBytes - in, address + bytes - at, zone.end - at});
      if (zone.zone != MemoryZone::unmapped) {
        Page& page = make(at);
        const int64_t from = first + at - address;
        std::copy_n(run.cells.begin() + from, count, page.cells.begin() + in);
        std::copy_n(run.defined.begin() + from, count, page.defined.begin() + in);
        std::fill_n(page.writers.begin() + in, count, actor);
      }
      at += count;
    }
  }
  // The cell at an address as it lies there, poison where nobody wrote; records nothing.
  Cell cell(int64_t address) {
    const Page* page = find(address);
    const int64_t at = address & (kPageBytes - 1);
    return page != nullptr && page->writers[at] != 0 ? page->cells[at] : poison(address);
  }
  // Changes the cell under the shadow's nose: a flipped bit. Nothing happens to a byte that nobody wrote.
  void replace_cell(int64_t address, const Cell& changed) {
    Page* page = find(address);
    const int64_t at = address & (kPageBytes - 1);
    if (page != nullptr && page->writers[at] != 0) page->cells[at] = changed;
  }

  ByteShadow shadow(int64_t address) const {
    ByteShadow shadow{0, false, map_.at(address).zone};
    if (const Page* page = find(address)) {
      shadow.writer = page->writers[address & (kPageBytes - 1)];
      shadow.defined = page->defined[address & (kPageBytes - 1)] != 0;
    }
    return shadow;
  }
  const MemoryEventLog& events() const { return events_; }
  D& domain() { return *domain_; }

 private:
  static constexpr int kPageBits = 12;
  static constexpr int64_t kPageBytes = int64_t{1} << kPageBits;
  static constexpr int kElementBytesMax = 16;

  struct Page {
    std::vector<Cell> cells;
    std::array<int, kPageBytes> writers{};
    std::array<uint8_t, kPageBytes> defined{};
    bool all_defined(int64_t at, int bytes) const {
      return std::all_of(defined.begin() + at, defined.begin() + at + bytes, [](uint8_t flag) { return flag != 0; });
    }
  };

  Page* find(int64_t address) const {
    const int64_t number = address >> kPageBits;
    if (number == last_number_ && last_ != nullptr) return last_;
    const auto found = pages_.find(number);
    if (found == pages_.end()) return nullptr;
    last_number_ = number;
    return last_ = found->second.get();
  }
  Page& make(int64_t address) {
    if (Page* page = find(address)) return *page;
    auto page = std::make_unique<Page>();
    page->cells.assign(kPageBytes, domain_->poison_cell(first_poison_, 0));
    return *(pages_[address >> kPageBits] = std::move(page));
  }
  bool shadow_defined(int64_t address) const {
    const Page* page = find(address);
    return page != nullptr && page->defined[address & (kPageBytes - 1)] != 0;
  }
  Cell poison(int64_t address) {
    if constexpr (std::is_same_v<Cell, std::byte>) {
      if (zeroed_) return std::byte{0};
    }
    const int id = map_.at(address).region;
    if (id == 0) return domain_->poison_cell(first_poison_, static_cast<int>(address));
    return domain_->poison_cell(first_poison_ + patterns_[id - 1], static_cast<int>(address - map_.region(id).address));
  }
  void gather(int64_t address, int bytes) {
    for (int byte = 0; byte < bytes; ++byte) buffer_[byte] = cell(address + byte);
  }
  void put(int64_t address, const Cell& cell, bool defined, int actor) {
    if (map_.at(address).zone == MemoryZone::unmapped) return;
    FAULTLINE_CHECK(actor > 0, std::to_string(actor));
    Page& page = make(address);
    const int64_t at = address & (kPageBytes - 1);
    page.cells[at] = cell;
    page.writers[at] = actor;
    page.defined[at] = defined;
  }
  void forget(int64_t address, int64_t bytes) {
    for (auto& [number, page] : pages_) {  // order does not matter: the effect on each page is its own
      const int64_t first = number << kPageBits;
      const int64_t begin = std::max(address, first), end = std::min(address + bytes, first + kPageBytes);
      for (int64_t at = begin; at < end; ++at) {
        page->writers[at - first] = 0;
        page->defined[at - first] = 0;
      }
    }
  }
  void check_zone(int64_t address, int64_t bytes, int actor, MemoryEventKind guard, MemoryEventKind unmapped) {
    for (int64_t at = address; at < address + bytes;) {
      const MemoryMap::Answer& answer = map_.at(at);
      const int64_t end = std::min(answer.end, address + bytes);
      if (answer.zone != MemoryZone::body) {
        events_.add({answer.zone == MemoryZone::guard ? guard : unmapped, at, end - at, actor, answer.region});
      }
      at = end;
    }
  }
  void note_undefined(int64_t address, int bytes, int actor) {
    for (int byte = 0; byte < bytes; ++byte) {
      if (shadow_defined(address + byte)) continue;
      events_.add({MemoryEventKind::read_undefined, address + byte, 1, actor, map_.at(address + byte).region});
    }
  }

  D* domain_;
  int first_poison_;
  MemoryMap map_;
  std::vector<int> patterns_;  // of poison, by region
  int last_pattern_ = 0;
  bool zeroed_ = false;
  MemoryEventLog events_;
  std::vector<Cell> buffer_;
  std::unordered_map<int64_t, std::unique_ptr<Page>> pages_;
  mutable int64_t last_number_ = 0;
  mutable Page* last_ = nullptr;
};

}  // namespace faultline
