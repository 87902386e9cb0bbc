// Lane memory over simulated bytes: loads and stores of one kernel, each operand where its LanePlace says.
#pragma once

#include <algorithm>
#include <limits>

#include "runtime/layers/lanes/evaluate.h"
#include "runtime/layers/layout/lane_access.h"
#include "runtime/layers/memory/byte_memory.h"

namespace faultline {

template <class D>
class PlacedMemory : public LaneMemory<D> {
 public:
  using Value = typename D::Value;

  // Keeps references. `places` has one entry a load node and one a store; `actor` is who memory events name.
  PlacedMemory(const LayoutProgram& program, int kernel, ByteMemory<D>& memory, const std::vector<LanePlace>& places,
               int actor)
      : program_(program.program), kernel_(program_.kernels[kernel]), memory_(memory), actor_(actor) {
    loads_.resize(kernel_.nodes.size(), nullptr);
    stores_.resize(kernel_.stores.size(), nullptr);
    for (const LanePlace& place : places) {
      if (place.node >= 0)
        loads_[place.node] = &place;
      else
        stores_[place.store] = &place;
    }
    size_t rank = kernel_.extents.size();
    for (const Buffer& buffer : program_.buffers) rank = std::max(rank, buffer.sizes.size());
    host_.resize(rank);
    index_.resize(kernel_.extents.size());
  }

  void load(int node, const int64_t* index, int lane_dim, int lanes, const Value* const* indirect, const Value* fill,
            Value* out) override {
    const LanePlace& place = *loads_[node];
    const Buffer& buffer = program_.buffers[place.access.buffer];
    Group group;
    for (int k = 0; k < lanes; ++k) {
      if (fill != nullptr && !inside(place, buffer, index, lane_dim, k, indirect)) {
        out[k] = fill[k];
        continue;
      }
      const int64_t address = lane_address(place, index, lane_dim, k, indirect, group);
      const int run = fill == nullptr ? lanes_left(place, index[lane_dim] + k, lanes - k) : 1;
      memory_.read_run(address, buffer.dtype, run, actor_, out + k);
      k += run - 1;
    }
  }

  void store(int store, const int64_t* index, int lane_dim, int lanes, const Value* values) override {
    const LanePlace& place = *stores_[store];
    const DType dtype = program_.buffers[place.access.buffer].dtype;
    Group group;
    const bool dense = place.lane_bytes == memory_.domain().element_bytes(dtype);
    for (int k = 0, run; k < lanes; k += run) {
      run = dense ? lanes_left(place, index[lane_dim] + k, lanes - k) : 1;
      memory_.write_run(lane_address(place, index, lane_dim, k, nullptr, group), dtype, run, values + k, actor_);
    }
  }

 private:
  // The group of lanes last addressed: offset of its first lane from index[lane_dim], and where that lies.
  struct Group {
    int64_t first = std::numeric_limits<int64_t>::min();
    int64_t address = 0;
  };

  // Host coordinates of the access at index[lane_dim] + offset, the lane whose indirect values count being `lane`.
  void find_host(const LanePlace& place, const int64_t* index, int lane_dim, int64_t offset, int lane,
                 const Value* const* indirect) {
    std::copy(index, index + index_.size(), index_.begin());
    index_[lane_dim] += offset;
    for (size_t c = 0; c < place.access.coordinates.size(); ++c) {
      const Coordinate& coordinate = place.access.coordinates[c];
      host_[c] = coordinate.affine.at(index_);
      if (coordinate.indirect >= 0) host_[c] += memory_.domain().to_integer(indirect[c][lane]);
    }
  }
  bool inside(const LanePlace& place, const Buffer& buffer, const int64_t* index, int lane_dim, int lane,
              const Value* const* indirect) {
    find_host(place, index, lane_dim, lane, lane, indirect);
    for (size_t c = 0; c < buffer.sizes.size(); ++c) {
      if (host_[c] < 0 || host_[c] >= buffer.sizes[c]) return false;
    }
    return true;
  }
  // Lanes from this index to the end of its group.
  static int lanes_left(const LanePlace& place, int64_t index, int lanes) {
    return static_cast<int>(std::min<int64_t>(lanes, place.group - index % place.group));
  }
  int64_t lane_address(const LanePlace& place, const int64_t* index, int lane_dim, int lane,
                       const Value* const* indirect, Group& group) {
    const int64_t within = (index[lane_dim] + lane) % place.group;
    const int64_t first = lane - within;
    if (first != group.first || place.group == 1) {
      find_host(place, index, lane_dim, first, std::max<int>(static_cast<int>(first), 0), indirect);
      group = {first, place.address(host_)};
    }
    return group.address + within * place.lane_bytes;
  }

  const KernelProgram& program_;
  const Kernel& kernel_;
  ByteMemory<D>& memory_;
  int actor_;
  std::vector<const LanePlace*> loads_, stores_;
  std::vector<int64_t> host_, index_;
};

}  // namespace faultline
