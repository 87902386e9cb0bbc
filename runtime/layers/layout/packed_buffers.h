// Device memory of a layout program: one allocation a buffer, packed and unpacked by its layout. Shared by the
// executors of layout and tile.
//
// Actors in memory events: 1 is the host's pack and unpack, 2 + k is kernel k.
#pragma once

#include "runtime/layers/lanes/dense_memory.h"
#include "runtime/layers/layout/host_image.h"
#include "runtime/layers/layout/layout_program.h"
#include "runtime/layers/memory/byte_memory.h"

namespace faultline {

template <class D>
class PackedBuffers {
 public:
  // Allocates every buffer. A layout with zero padding finds its memory zeroed, any other as it was.
  PackedBuffers(const LayoutProgram& program, ByteMemory<D>& memory) : program_(program), memory_(memory) {
    for (size_t b = 0; b < program.layouts.size(); ++b) {
      const DeviceLayout& layout = program.layouts[b];
      const Buffer& buffer = program.program.buffers[b];
      const int region = memory_.allocate(buffer.name, layout.flat_bytes());
      bases_.push_back(memory_.region(region).address);
      if (layout.padding != Padding::zero) continue;
      const typename D::Value zero = domain_zero(buffer.dtype);
      for (int64_t byte = 0; byte < layout.flat_bytes(); byte += layout.flat_element_bytes()) {
        memory_.write(bases_.back() + byte, buffer.dtype, zero, kHostActor);
      }
    }
  }

  static int kernel_actor(int kernel) { return kHostActor + 1 + kernel; }
  int64_t base(int buffer) const { return bases_[buffer]; }

  void pack_inputs(const DenseBuffers<D>& inputs) {
    FAULTLINE_CHECK(inputs.size() == program_.program.inputs.size(), program_.program.name);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const int b = program_.program.inputs[i];
      const DType dtype = program_.program.buffers[b].dtype;
      FAULTLINE_CHECK(static_cast<int64_t>(inputs[i].size()) == element_count(program_.program.buffers[b].sizes),
                      program_.program.buffers[b].name);
      pack(program_.layouts[b], program_.program.buffers[b].sizes, dtype, inputs[i], memory_, bases_[b]);
    }
  }

  std::vector<typename D::Value> unpack(int b) {
    const Buffer& buffer = program_.program.buffers[b];
    return faultline::unpack<D>(program_.layouts[b], buffer.sizes, buffer.dtype, memory_, bases_[b]);
  }

 private:
  typename D::Value domain_zero(DType dtype) {
    Literal zero;
    zero.dtype = dtype;
    return memory_.domain().literal(zero);
  }

  const LayoutProgram& program_;
  ByteMemory<D>& memory_;
  std::vector<int64_t> bases_;
};

}  // namespace faultline
