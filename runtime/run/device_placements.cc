// A position is a sum of what each host dim adds to it, so a table a dim is enough for any number of elements.
#include "runtime/run/device_placements.h"

#include <algorithm>

namespace faultline {

namespace {

// Number of the space that an element lies in: its coordinates along the dims that are no memory, the last one fastest.
int64_t space_of(const DeviceLayout& layout, const std::vector<int64_t>& coordinates) {
  int64_t space = 0;
  for (size_t d = 0; d < layout.dims.size(); ++d)
    if (!layout.dims[d].is_memory() && layout.dims[d].host_dim != kByteDim)
      space = space * layout.dims[d].extent + coordinates[d];
  return space;
}

// What index i of one dim adds to the position, for every i.
std::vector<int64_t> steps_along(const DeviceLayout& layout, size_t rank, size_t dim, int64_t size) {
  std::vector<int64_t> index(rank, 0), steps;
  for (int64_t i = 0; i < size; ++i) {
    index[dim] = i;
    const int64_t space = space_of(layout, layout.coordinates(index));
    steps.push_back(space * layout.elements() + layout.address(index) / layout.element_bytes);
  }
  return steps;
}

void add_placement(const Subject& subject, const Sizes& buffer, const DeviceLayout& layout, TensorEvidence& tensor) {
  tensor.placement.reset();  // a later segment leaves the tensor that counts
  Sizes sizes = tensor.eager_type.sizes;
  if (sizes.empty()) sizes = buffer;  // a number is kept as one element of any rank
  if (sizes != buffer || element_count(sizes) != static_cast<int64_t>(tensor.eager.size())) return;
  tensor.placement = placement_of(layout, sizes);
  try {
    for (const auto& [name, elements] : subject.model->units(tensor.eager_type.dtype))
      if (elements == tensor.placement->row) tensor.placement->row_name = name;
  } catch (const Rejected&) {  // a type that the machine lacks has no units
  }
}

}  // namespace

DevicePlacement placement_of(const DeviceLayout& layout, const Sizes& sizes) {
  DevicePlacement placement;
  placement.held = layout.spaces() * layout.elements();
  placement.layout = to_text(layout);
  std::vector<int64_t> extents;  // of what is memory, innermost first
  for (const DeviceDim& dim : layout.dims)
    if (dim.is_memory()) extents.insert(extents.begin(), dim.extent);
  if (!extents.empty()) placement.row = extents[0];
  if (extents.size() > 1) placement.rows_together = extents[1];
  placement.positions = {0};
  for (size_t d = 0; d < sizes.size(); ++d) {
    const std::vector<int64_t> steps = steps_along(layout, sizes.size(), d, sizes[d]);
    std::vector<int64_t> finer;
    finer.reserve(placement.positions.size() * steps.size());
    for (const int64_t position : placement.positions)
      for (const int64_t step : steps) finer.push_back(position + step);
    placement.positions = std::move(finer);
  }
  return placement;
}

void add_device_placements(const Subject& subject, Comparison& comparison) {
  const ModelStack& stack = comparison.trial->stack();
  for (int entry = 0; entry < stack.entries(); ++entry) {
    const CompiledSegment* compiled = stack.compiled(entry);
    if (compiled == nullptr || stack.depth(entry) < Layer::layout) continue;
    const LayoutProgram& layouts = compiled->layouts;
    const auto place = [&](const std::vector<int>& buffers, size_t number, bool is_output, const std::string& name) {
      const int buffer = number < buffers.size() ? buffers[number] : -1;
      if (buffer < 0 || buffer >= static_cast<int>(layouts.layouts.size())) return;
      const auto at = static_cast<size_t>(buffer);
      for (TensorEvidence& tensor : comparison.evidence.tensors)
        if (tensor.name == name && (tensor.role == TensorRole::output) == is_output)
          add_placement(subject, layouts.program.buffers[at].sizes, layouts.layouts[at], tensor);
    };
    const PrimGraph& prims = compiled->prims;
    for (size_t i = 0; i < prims.outputs.size(); ++i) place(layouts.program.outputs, i, true, prims.outputs[i].name);
    for (size_t i = 0; i < prims.write_backs.size(); ++i)
      place(layouts.program.write_backs, i, false, prims.inputs[static_cast<size_t>(prims.write_backs[i].input)].name);
  }
}

}  // namespace faultline
