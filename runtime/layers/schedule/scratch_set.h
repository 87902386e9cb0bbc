// The scratch memories of all cores, each made when it is first used. They outlive a program where their owner does: a
// card keeps them, so that a program may find what another one left.
#pragma once

#include <map>
#include <memory>

#include "runtime/layers/memory/byte_memory.h"

namespace faultline {

template <class D>
class ScratchSet {
 public:
  // Keeps a reference to `domain`.
  ScratchSet(D& domain, int first_poison, bool zeroed = false)
      : domain_(domain), first_poison_(first_poison), zeroed_(zeroed) {}

  // `bytes` counts at the first use.
  ByteMemory<D>& of(int core, int64_t bytes) {
    std::unique_ptr<ByteMemory<D>>& memory = memories_[core];
    if (!memory) {
      memory = std::make_unique<ByteMemory<D>>(domain_, first_poison_ + 1000 * (core + 1));
      memory->set_zeroed(zeroed_);
      memory->place("scratch", 0, bytes);
    }
    return *memory;
  }
  // A program that begins: see ByteMemory.
  void begin_program() {
    for (auto& [core, memory] : memories_) memory->begin_program();
  }
  const std::map<int, std::unique_ptr<ByteMemory<D>>>& memories() const { return memories_; }

 private:
  D& domain_;
  int first_poison_;
  bool zeroed_;
  std::map<int, std::unique_ptr<ByteMemory<D>>> memories_;  // by core
};

}  // namespace faultline
