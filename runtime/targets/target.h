// A modelled accelerator: one row, and the policies that make the layers work for it. No code outside a target's own
// files asks which target it is dealing with.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/table.h"
#include "runtime/device/device.h"
#include "runtime/layers/fuse/fuse.h"
#include "runtime/layers/layout/layout_policy.h"
#include "runtime/layers/schedule/schedule_policy.h"
#include "runtime/layers/tile/tile_policy.h"
#include "runtime/numerics/arithmetic.h"
#include "taxonomy/layer.h"

namespace faultline {

// A switch that users of the real stack bisect with. The first value is the default; "1..32" stands for a range of
// integers.
struct TargetOption {
  std::string_view id;
  std::string_view values;
  std::string_view summary;
  // The value that takes a layer's work away, and that layer; empty: the switch serves no such purpose.
  std::string_view substitute = {}, substitute_name = {};
  Layer layer = Layer::capture;
};

// A figure of the machine with where it comes from: V read in a public source, D derived, R recalled, U unsure.
struct TargetParameter {
  std::string_view id;
  double value;
  std::string_view unit;
  char provenance;
  std::string_view source;
};

// A target with its options set. Owns its policies.
class TargetModel {
 public:
  virtual ~TargetModel() = default;
  virtual const Arithmetic& arithmetic() const = 0;
  virtual const FuseOptions& fuse_options() const = 0;
  virtual const LayoutPolicy& layout_policy() const = 0;
  virtual const TilePolicy& tile_policy() const = 0;
  virtual const SchedulePolicy& schedule_policy() const = 0;
  virtual const DeviceParameters& device_parameters() const = 0;
  // Periods that wrong positions may show, by name, in elements of this type: "stick" -> 64.
  virtual std::map<std::string, int64_t> units(DType dtype) const = 0;
  // A machine program in the form that the target's own compiler would write it, as JSON; empty where there is none.
  virtual std::string descriptors(const MachineProgram&) const { return {}; }
};

struct Target {
  std::string_view id;
  std::string_view summary;
  std::span<const TargetOption> options;
  std::span<const TargetParameter> parameters;
  // `options` holds checked values for every option of the row.
  std::unique_ptr<TargetModel> (*make)(const std::map<std::string, std::string>& options);
};

#define TARGET(name) extern const Target target_##name;
#include "runtime/targets/targets.def"
#undef TARGET
extern const Table<Target> targets;

// Fills in defaults. Throws UserError for an unknown option or value, with the nearest valid one.
std::unique_ptr<TargetModel> make_target(const Target& target, const std::map<std::string, std::string>& options);

}  // namespace faultline
