// Device memory of a layout program: one allocation a buffer, packed and unpacked by its layout. Shared by the
// executors of layout and tile.
//
// Actors in memory events: 1 is the host's pack and unpack, 2 + k is kernel k.
#pragma once

#include "runtime/layers/lanes/dense_memory.h"
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
      walk(b, [&](int64_t flat, int64_t address) { memory_.write(address, dtype, inputs[i][flat], kHostActor); });
    }
  }

  std::vector<typename D::Value> unpack(int b) {
    std::vector<typename D::Value> values;
    const DType dtype = program_.program.buffers[b].dtype;
    walk(b, [&](int64_t, int64_t address) { values.push_back(memory_.read(address, dtype, kHostActor)); });
    return values;
  }

 private:
  static constexpr int kHostActor = 1;

  typename D::Value domain_zero(DType dtype) {
    Literal zero;
    zero.dtype = dtype;
    return memory_.domain().literal(zero);
  }

  // visit(flat, address) for every element in row-major order.
  template <class Visit>
  void walk(int b, Visit visit) const {
    const Sizes& sizes = program_.program.buffers[b].sizes;
    const std::vector<CoordinateTerm> terms = program_.layouts[b].terms();
    const std::vector<int64_t> strides = program_.layouts[b].flat_strides();
    std::vector<int64_t> host(sizes.size(), 0);
    const int64_t count = element_count(sizes);
    for (int64_t flat = 0; flat < count; ++flat) {
      int64_t address = bases_[b];
      for (size_t j = 0; j < terms.size(); ++j) {
        if (terms[j].host_dim >= 0) address += terms[j].at(host[terms[j].host_dim]) * strides[j];
      }
      visit(flat, address);
      for (size_t d = host.size(); d-- > 0 && ++host[d] == sizes[d];) host[d] = 0;
    }
  }

  const LayoutProgram& program_;
  ByteMemory<D>& memory_;
  std::vector<int64_t> bases_;
};

}  // namespace faultline
