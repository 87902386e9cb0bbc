// The piece list of a copy is sized by a division that rounds down where a ceiling is needed, so a partly filled last
// stick is not moved. The public account of the 65-element clone: the copy to the device was right, the emitted copy
// covered one stick of two. With no whole stick at all the list is empty, which the backend refuses by aborting.
#include "faults/sites.h"
#include "runtime/layers/schedule/machine_program.h"

namespace faultline {

// How many elements of the buffer's innermost host dim lie in one lane run of its layout, and how many there are.
struct StickCount {
  int64_t elements = 0, size = 0;
  bool partial() const { return elements > 1 && size % elements != 0; }
  int64_t whole() const { return size / elements; }
};

static StickCount sticks(const MachineProgram& program, int buffer) {
  const DeviceDim& lanes = program.layouts[buffer].dims.back();
  if (lanes.host_dim < 0) return {};
  return {lanes.extent, program.buffers[buffer].sizes[lanes.host_dim]};
}

static bool stores_to_device(const Descriptor& descriptor) {
  return descriptor.source.space == Space::scratch && descriptor.target.space == Space::device;
}

static std::vector<FaultSite> applies(const MachineProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t l = 0; l < program.launches.size(); ++l) {
    const Launch& launch = program.launches[l];
    if (!is_elementwise(program.operations[launch.kernel])) continue;
    for (const KernelStore& store : program.operations[launch.kernel].stores)
      if (sticks(program, store.buffer).partial())
        sites.push_back({kernel_path(program.operations[launch.kernel], l) + "/" + program.buffers[store.buffer].name,
                         {static_cast<int64_t>(l), store.buffer}});
  }
  return sites;
}

// Drops the pieces of the stores that lie in the last stick: those whose device offset is at or beyond the whole
// sticks.
static void apply(MachineProgram& program, const FaultSite& site, const FaultSpec&) {
  Launch& launch = program.launches[site.at[0]];
  const int buffer = static_cast<int>(site.at[1]);
  const DeviceLayout& layout = program.layouts[buffer];
  const StickCount count = sticks(program, buffer);
  const int host_dim = layout.dims.back().host_dim;
  const std::vector<int64_t> strides = layout.strides();
  for (size_t j = 0; j < layout.dims.size(); ++j) {
    const DeviceDim& dim = layout.dims[j];
    if (dim.host_dim != host_dim || dim.host_step != count.elements) continue;
    const int64_t stick_stride = strides[j] * layout.element_bytes;
    for (Descriptor& descriptor : launch.descriptors) {
      if (!stores_to_device(descriptor) || descriptor.target.buffer != buffer) continue;
      const int64_t first = descriptor.target.offset / stick_stride % dim.extent;
      if (first >= count.whole()) descriptor.nest.assign(1, {0, 0, 0});
      for (Nest& nest : descriptor.nest)
        if (nest.target_stride == stick_stride) nest.count = std::min(nest.count, count.whole() - first);
      // A run of sticks merged into one contiguous piece.
      if (descriptor.bytes > stick_stride && stick_stride == count.elements * layout.element_bytes)
        descriptor.bytes = std::min(descriptor.bytes, (count.whole() - first) * stick_stride);
    }
  }
}

extern const Fault fault_schedule_piece_floor;
constinit const Fault fault_schedule_piece_floor{
    .id = "schedule.piece_floor",
    .summary = "the piece list of the output copy has floor(n / stick) sticks",
    .mechanism = "schedule.trip",
    .origin = "https://github.com/torch-spyre/torch-spyre/issues/524",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def clone65(x: f16[65]): y = aten.clone(x); return y",
};

}  // namespace faultline
