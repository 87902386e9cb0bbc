// The pass pipeline.
#include "runtime/backends/model/model_stack.h"

#include <fmt/format.h>

#include "runtime/base/error.h"
#include "runtime/layers/decompose/decompose.h"
#include "runtime/layers/decompose/verify_decompose.h"
#include "runtime/layers/fuse/fuse.h"
#include "runtime/layers/layout/assign_layouts.h"
#include "runtime/layers/schedule/schedule.h"
#include "runtime/layers/tile/tile.h"

namespace faultline {

// The loader of machine programs insists that every launch that stores a buffer has at least one piece to store: a
// piece list that came out empty aborts (https://github.com/torch-spyre/torch-spyre/issues/523).
static void load_program(const MachineProgram& program) {
  for (const Launch& launch : program.launches) {
    for (const KernelStore& store : program.operations[launch.kernel].stores) {
      bool stored = false, moved = false;
      for (const Descriptor& descriptor : launch.descriptors) {
        if (descriptor.target.space != Space::device || descriptor.target.buffer != store.buffer) continue;
        stored = true;
        int64_t pieces = descriptor.bytes > 0 ? 1 : 0;
        for (const Nest& nest : descriptor.nest) pieces *= nest.count;
        moved = moved || pieces > 0;
      }
      if (stored && !moved)
        throw Crashed(fmt::format("abort while loading {}: the piece list of {} is empty", launch.name,
                                  program.buffers[store.buffer].name));
    }
  }
}

void ModelStack::compile_layer(Item& item, Layer layer) {
  CompiledSegment& mine = item.segment;
  const auto ask = [&](auto& artefact) { gate_.artefact(layer, mine.segment.name, &artefact); };
  switch (layer) {
    case Layer::decompose: mine.prims = decompose(mine.segment); return ask(mine.prims);
    case Layer::fuse: mine.kernels = fuse(mine.prims, model_.fuse_options()); return ask(mine.kernels);
    case Layer::layout: mine.layouts = assign_layouts(mine.kernels, model_.layout_policy()); return ask(mine.layouts);
    case Layer::tile: mine.tiles = tile(mine.layouts, model_.tile_policy()); return ask(mine.tiles);
    case Layer::schedule: mine.machine = schedule(mine.tiles, model_.schedule_policy()); return ask(mine.machine);
    default: return;
  }
}

const CompiledSegment& ModelStack::compile(int entry, const Segment& segment, Layer down_to) {
  if (static_cast<int>(segments_.size()) <= entry) segments_.resize(entry + 1);
  std::unique_ptr<Item>& item = segments_[entry];
  if (!item) {
    item = std::make_unique<Item>();
    item->segment.segment = segment;
  }
  while (item->depth < down_to && item->depth < Layer::schedule) {
    const auto next = static_cast<Layer>(number(item->depth) + 1);
    compile_layer(*item, next);
    item->depth = next;
  }
  if (down_to > Layer::schedule && !item->loaded) {
    load_program(item->segment.machine);
    item->segment.plan = plan_job(item->segment.machine);
    item->loaded = true;
  }
  return item->segment;
}

const CompiledSegment* ModelStack::compiled(int entry) const {
  return entry < static_cast<int>(segments_.size()) && segments_[entry] ? &segments_[entry]->segment : nullptr;
}

Layer ModelStack::depth(int entry) const { return segments_[entry] ? segments_[entry]->depth : Layer::capture; }

std::vector<Finding> verify_layer(const ModelStack& stack, Layer layer) {
  std::vector<Finding> findings;
  for (int entry = 0; entry < stack.entries(); ++entry) {
    const CompiledSegment* mine = stack.compiled(entry);
    if (mine == nullptr || stack.depth(entry) < layer) continue;
    std::vector<Finding> found;
    switch (layer) {
      case Layer::decompose: found = verify_decompose(mine->segment, mine->prims); break;
      case Layer::fuse: found = verify_fuse(mine->prims, mine->kernels); break;
      case Layer::layout: found = verify_layout(mine->layouts, stack.model().layout_policy()); break;
      case Layer::tile: found = verify_tile(mine->tiles, stack.model().tile_policy()); break;
      case Layer::schedule: found = verify_schedule(mine->tiles, mine->machine); break;
      default: break;
    }
    findings.insert(findings.end(), found.begin(), found.end());
  }
  return findings;
}

}  // namespace faultline
