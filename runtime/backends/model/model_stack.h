// The compiler under test for a modelled target: layers 2 to 6 on one segment, each pass followed by the Gate.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/core/gate.h"
#include "runtime/device/job_plan.h"
#include "runtime/ir/prim.h"
#include "runtime/ir/segment.h"
#include "runtime/layers/finding.h"
#include "runtime/layers/fuse/kernel.h"
#include "runtime/layers/layout/layout_program.h"
#include "runtime/layers/schedule/machine_program.h"
#include "runtime/layers/tile/tile_program.h"
#include "runtime/targets/target.h"

namespace faultline {

// What every layer left for one segment.
struct CompiledSegment {
  Segment segment;
  PrimGraph prims;
  KernelProgram kernels;
  LayoutProgram layouts;
  TileProgram tiles;
  MachineProgram machine;
  JobPlan plan;
};

// Compiles segments on demand and keeps them. Throws Rejected where a layer refuses, and Crashed where the modelled
// back end aborts: when a machine program is loaded, which is what the layers below `schedule` begin with.
class ModelStack {
 public:
  // Keeps references to both.
  ModelStack(const TargetModel& model, Gate& gate) : model_(model), gate_(gate) {}

  // `entry` is the index in Capture::entries. `down_to`: the deepest layer that is needed now.
  const CompiledSegment& compile(int entry, const Segment& segment, Layer down_to);

  const TargetModel& model() const { return model_; }
  Gate& gate() const { return gate_; }
  // By entry; null where nothing was compiled.
  const CompiledSegment* compiled(int entry) const;
  Layer depth(int entry) const;
  int entries() const { return static_cast<int>(segments_.size()); }

 private:
  struct Item {
    CompiledSegment segment;
    Layer depth = Layer::capture;
    bool loaded = false;
  };
  void compile_layer(Item& item, Layer layer);

  const TargetModel& model_;
  Gate& gate_;
  std::vector<std::unique_ptr<Item>> segments_;
};

// The modelled back end or device stopped: what it said.
class Crashed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The static verifiers of every layer on everything that was compiled.
std::vector<Finding> verify_layer(const ModelStack& stack, Layer layer);

}  // namespace faultline
