// Lane memory of a compute instruction: operands lie in scratch memory where their address generators say.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/layers/fuse/affine.h"
#include "runtime/layers/lanes/evaluate.h"
#include "runtime/layers/memory/byte_memory.h"
#include "runtime/layers/schedule/machine_program.h"

namespace faultline {

template <class D>
class ScratchLanes : public LaneMemory<D> {
 public:
  using Value = typename D::Value;

  // Keeps references to all.
  ScratchLanes(const MachineProgram& program, const Kernel& kernel, const Compute& compute, ByteMemory<D>& scratch,
               int actor)
      : program_(program), kernel_(kernel), scratch_(scratch), actor_(actor) {
    loads_.resize(kernel.nodes.size());
    if (kernel.kernel_class == KernelClass::contraction) copies_.resize(kernel.nodes.size());
    stores_.resize(kernel.stores.size());
    for (const OperandAddress& operand : compute.operands)
      (operand.node >= 0 ? loads_[operand.node] : stores_[operand.store]) = &operand;
  }

  void load(int node, const int64_t* index, int lane_dim, int lanes, const Value* const* indirect, const Value* fill,
            Value* out) override {
    const ScalarNode& scalar = kernel_.nodes[node];
    const Access& access = scalar.access;
    const Sizes& sizes = program_.buffers[access.buffer].sizes;
    FAULTLINE_CHECK(loads_[node] != nullptr, "a load without an address");
    const OperandAddress& operand = *loads_[node];
    const int64_t element = program_.layouts[access.buffer].element_bytes;
    index_.assign(index, index + kernel_.extents.size());
    Group group;
    for (int k = 0; k < lanes; ++k) {
      if ((fill != nullptr || operand.group == 1) &&
          !find_element(access, sizes, index[lane_dim] + k, lane_dim, indirect, k) && fill != nullptr) {
        out[k] = fill[k];
        continue;
      }
      int64_t address = 0;
      int run = 1;
      if (operand.group == 1) {
        address = address_of(operand);
        run = contiguous_run(operand, access, lane_dim, lanes - k);
      } else {
        const int64_t within = (index[lane_dim] + k) % operand.group, first = k - within;
        if (first != group.first) {
          find_element(access, sizes, index[lane_dim] + first, lane_dim, indirect, std::max<int64_t>(first, 0));
          group = {first, address_of(operand)};
        }
        address = group.address + within * element;
        if (fill == nullptr) run = static_cast<int>(std::min<int64_t>(lanes - k, operand.group - within));
      }
      read(node, address, scalar.dtype, run, out + k);
      k += run - 1;
    }
  }

  void store(int store, const int64_t* index, int lane_dim, int lanes, const Value* values) override {
    FAULTLINE_CHECK(stores_[store] != nullptr, "a store without an address");
    const OperandAddress& operand = *stores_[store];
    const int buffer = kernel_.stores[store].buffer;
    const int64_t element = program_.layouts[buffer].element_bytes;
    const DType dtype = program_.buffers[buffer].dtype;
    const bool dense = element == scratch_.domain().element_bytes(dtype);
    coordinates_.assign(index, index + kernel_.parallel);
    for (int k = 0, run; k < lanes; k += run) {
      const int64_t lane = index[lane_dim] + k, within = lane % operand.group;
      if (lane_dim < kernel_.parallel) coordinates_[lane_dim] = lane - within;
      run = dense ? static_cast<int>(std::min<int64_t>(lanes - k, operand.group - within)) : 1;
      const int64_t address = address_of(operand) + within * element;
      for (Copy& copy : copies_) copy.forget(address, address + run * element);
      scratch_.write_run(address, dtype, run, values + k, actor_);
    }
  }

 private:
  // What has been read of an operand, by element from `low` on. A product reads its operands again for every row and
  // column; memory that nobody wrote to since is not asked twice.
  struct Copy {
    static constexpr int64_t kMost = 1 << 16;

    int64_t low = 0, bytes = 1;  // address of the first element; bytes of each
    std::vector<Value> values;
    std::vector<uint8_t> known;

    void forget(int64_t begin, int64_t end) {
      if (end > low && begin < low + std::ssize(known) * bytes) known.clear();
    }
  };

  void read(int node, int64_t address, DType dtype, int count, Value* out) {
    if (copies_.empty()) return scratch_.read_run(address, dtype, count, actor_, out);
    Copy& copy = copies_[node];
    if (copy.known.empty()) {
      copy.low = address;
      copy.bytes = scratch_.domain().element_bytes(dtype);
    }
    const int64_t from = address - copy.low, first = from / copy.bytes;
    if (from < 0 || from % copy.bytes != 0 || first + count > Copy::kMost)
      return scratch_.read_run(address, dtype, count, actor_, out);
    if (first + count > std::ssize(copy.known)) {
      copy.known.resize(static_cast<size_t>(first + count), 0);
      copy.values.resize(copy.known.size());
    }
    if (std::memchr(copy.known.data() + first, 0, static_cast<size_t>(count)) != nullptr) {
      scratch_.read_run(address, dtype, count, actor_, copy.values.data() + first);
      std::fill_n(copy.known.begin() + first, count, 1);
    }
    std::copy_n(copy.values.begin() + first, count, out);
  }

  // The group of lanes last addressed: offset of its first lane from index[lane_dim], and where that lies.
  struct Group {
    int64_t first = std::numeric_limits<int64_t>::min();
    int64_t address = 0;
  };

  // The element that the lane at `at` along lane_dim reads, with the indirect values of lane `lane`; whether the buffer
  // has it.
  bool find_element(const Access& access, const Sizes& sizes, int64_t at, int lane_dim, const Value* const* indirect,
                    int64_t lane) {
    index_[lane_dim] = at;
    bool inside = true;
    coordinates_.resize(access.coordinates.size());
    for (size_t c = 0; c < access.coordinates.size(); ++c) {
      coordinates_[c] = access.coordinates[c].affine.at(index_);
      if (access.coordinates[c].indirect >= 0) coordinates_[c] += scratch_.domain().to_integer(indirect[c][lane]);
      inside = inside && coordinates_[c] >= 0 && coordinates_[c] < sizes[c];
    }
    return inside;
  }

  int64_t address_of(const OperandAddress& operand) const {
    int64_t address = operand.base;
    for (const AddressDim& dim : operand.dims) {
      int64_t place = floor_divide(coordinates_[dim.host_dim], dim.step);
      if (dim.modulus != 0) place -= floor_divide(place, dim.modulus) * dim.modulus;
      address += (place - dim.origin) * dim.stride_bytes;
    }
    return address;
  }

  // How many of the next lanes lie one element apart in scratch: the lane dim steps one coordinate by one, that
  // coordinate's innermost device dim is the unit-stride one, and the run ends with it.
  int contiguous_run(const OperandAddress& operand, const Access& access, int lane_dim, int lanes) const {
    int stepping = -1;
    for (size_t c = 0; c < access.coordinates.size(); ++c) {
      if (access.coordinates[c].indirect >= 0) return 1;
      for (const Term& term : access.coordinates[c].affine.terms) {
        if (term.dim != lane_dim) continue;
        if (stepping >= 0 || term.coefficient != 1 || term.divisor != 1 || term.modulus != 0) return 1;
        stepping = static_cast<int>(c);
      }
    }
    if (stepping < 0) return 1;
    const int64_t element = program_.layouts[access.buffer].element_bytes;
    for (const AddressDim& dim : operand.dims) {
      if (dim.host_dim != stepping || dim.step != 1) continue;
      if (dim.stride_bytes != element) return 1;
      const int64_t place = coordinates_[stepping];
      if (place < 0) return 1;
      const int64_t left = dim.modulus == 0 ? lanes : dim.modulus - place % dim.modulus;
      const int64_t inside = program_.buffers[access.buffer].sizes[stepping] - place;
      return static_cast<int>(std::max<int64_t>(1, std::min<int64_t>({lanes, left, std::max<int64_t>(inside, 1)})));
    }
    return 1;
  }

  static int64_t floor_divide(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

  const MachineProgram& program_;
  const Kernel& kernel_;
  ByteMemory<D>& scratch_;
  int actor_;
  std::vector<const OperandAddress*> loads_, stores_;
  std::vector<Copy> copies_;  // by load node, of a contraction
  std::vector<int64_t> index_, coordinates_;
};

}  // namespace faultline
