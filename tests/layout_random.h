// Random kernel programs for the tests of layout and tile: a few kernels of every class over earlier buffers, with
// accesses of every form that stays within its buffer (indices, offsets, constants, pieces of an index, broadcasts) and
// some that leave it under a fill.
#pragma once

#include <algorithm>

#include "runtime/base/philox.h"
#include "runtime/layers/fuse/kernel_text.h"

namespace faultline {

class RandomKernels {
 public:
  explicit RandomKernels(uint64_t seed) : stream_(seed, "random kernels") {}

  KernelProgram take() {
    program_.name = "random";
    for (uint32_t i = 0, count = 1 + stream_.below(3); i < count; ++i) {
      program_.inputs.push_back(static_cast<int>(program_.buffers.size()));
      program_.buffers.push_back({"x" + std::to_string(i), DType::f16, random_sizes(), BufferRole::input, -1});
    }
    for (uint32_t k = 0, count = 1 + stream_.below(4); k < count; ++k) add_kernel(k);
    for (size_t b = 0; b < program_.buffers.size(); ++b) {
      if (program_.buffers[b].role == BufferRole::output) program_.outputs.push_back(static_cast<int>(b));
    }
    return std::move(program_);
  }

 private:
  int64_t random_size() {
    static constexpr int64_t sizes[] = {1, 2, 3, 5, 7, 33, 63, 64, 65, 96, 127, 128, 129};
    return sizes[stream_.below(13)];
  }
  Sizes random_sizes() {
    Sizes sizes;
    int64_t elements = 1;
    for (uint32_t d = 0, rank = 1 + stream_.below(3); d < rank; ++d) {
      int64_t size = random_size();
      if (elements * size > 12000) size = 2;
      elements *= size;
      sizes.push_back(size);
    }
    return sizes;
  }

  void add_kernel(uint32_t number) {
    Kernel kernel;
    kernel.name = "k" + std::to_string(number);
    kernel.kernel_class = static_cast<KernelClass>(stream_.below(4));
    kernel.extents = random_sizes();
    kernel.parallel = static_cast<int>(kernel.extents.size());
    const Sizes stored = kernel.extents;
    const bool reduces =
        kernel.kernel_class == KernelClass::reduction || kernel.kernel_class == KernelClass::contraction;
    if (reduces) {
      while (element_count(kernel.extents) > 3000) *std::max_element(kernel.extents.begin(), kernel.extents.end()) = 3;
      for (uint32_t r = 0, count = 1 + stream_.below(2); r < count; ++r)
        kernel.extents.push_back(r == 0 ? random_size() : 1 + stream_.below(3));
    }
    const Sizes sizes(kernel.extents.begin(), kernel.extents.begin() + kernel.parallel);
    const int value = body(kernel);
    const BufferRole role = stream_.below(2) == 0 ? BufferRole::intermediate : BufferRole::output;
    const int target = static_cast<int>(program_.buffers.size());
    program_.buffers.push_back({"y" + std::to_string(number), kernel.nodes[value].dtype, sizes, role, -1});
    kernel.stores.push_back({target, value});
    program_.kernels.push_back(std::move(kernel));
  }

  // The nodes of a kernel; returns the one to store.
  int body(Kernel& kernel) {
    switch (kernel.kernel_class) {
      case KernelClass::movement: return load(kernel);
      case KernelClass::pointwise: {
        int value = load(kernel);
        for (uint32_t i = 0, count = stream_.below(3); i < count; ++i)
          value = apply(kernel, Function::sub, {value, load(kernel)});
        return apply(kernel, Function::neg, {value});
      }
      case KernelClass::contraction: {
        kernel.reduction = KernelReduction{Reduction::sum, apply(kernel, Function::mul, {load(kernel), load(kernel)})};
        break;
      }
      case KernelClass::reduction: {
        static constexpr Reduction kinds[] = {Reduction::sum, Reduction::max, Reduction::min};
        kernel.reduction = KernelReduction{kinds[stream_.below(3)], load(kernel)};
        break;
      }
    }
    ScalarNode reduced;
    reduced.kind = ScalarNode::Kind::reduced;
    reduced.dtype = DType::f16;
    return apply(kernel, Function::add, {add(kernel, reduced), load(kernel, true)});
  }

  static int add(Kernel& kernel, ScalarNode node) {
    kernel.nodes.push_back(std::move(node));
    return static_cast<int>(kernel.nodes.size()) - 1;
  }
  static int apply(Kernel& kernel, Function function, std::vector<int> operands) {
    ScalarNode node;
    node.kind = ScalarNode::Kind::apply;
    node.dtype = DType::f16;
    node.function = function;
    node.operands = std::move(operands);
    return add(kernel, std::move(node));
  }

  // epilogue: over the parallel dims alone.
  int load(Kernel& kernel, bool epilogue = false) {
    ScalarNode node;
    node.kind = ScalarNode::Kind::load;
    node.dtype = DType::f16;
    const int buffer = static_cast<int>(stream_.below(static_cast<uint32_t>(program_.buffers.size())));
    node.access.buffer = buffer;
    const int dims = epilogue ? kernel.parallel : static_cast<int>(kernel.extents.size());
    bool leaves = false;
    for (const int64_t size : program_.buffers[buffer].sizes)
      node.access.coordinates.push_back({coordinate(kernel, dims, size, leaves), -1});
    if (leaves) {
      ScalarNode fill;
      fill.kind = ScalarNode::Kind::literal;
      fill.dtype = DType::f16;
      fill.literal = real_literal(0.5, DType::f16);
      node.operands = {add(kernel, fill)};
    }
    return add(kernel, std::move(node));
  }

  // Some function of the iteration index that stays within [0, size), or nearly so: then `leaves` is set.
  Affine coordinate(const Kernel& kernel, int dims, int64_t size, bool& leaves) {
    const int dim = static_cast<int>(stream_.below(static_cast<uint32_t>(dims)));
    const int64_t extent = kernel.extents[dim];
    const uint32_t form = stream_.below(8);
    if (form == 0) return {static_cast<int64_t>(stream_.below(static_cast<uint32_t>(size))), {}};
    if (form == 1 && extent > 1) {  // a piece of the index
      const int64_t divisor = 1 + stream_.below(static_cast<uint32_t>(extent));
      return {0, {Term{dim, 1, divisor, size}}};
    }
    if (form == 2 && extent <= size) return {extent - 1, {Term{dim, -1, 1, 0}}};
    if (extent <= size) {
      const int64_t room = size - extent;
      return {form == 3                 ? static_cast<int64_t>(stream_.below(static_cast<uint32_t>(room + 1)))
              : room >= 64 && form == 4 ? 64
                                        : 0,
              {Term{dim, 1, 1, 0}}};
    }
    leaves = true;
    return {-static_cast<int64_t>(stream_.below(3)), {Term{dim, 1, 1, 0}}};
  }

  PhiloxStream stream_;
  KernelProgram program_;
};

}  // namespace faultline
