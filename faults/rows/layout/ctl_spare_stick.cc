// Control: an output has one stick of padding more than it needs. Every element still has one place and nobody reads
// the padding, so whoever accuses this raises a false alarm.
#include "faults/layout_edit.h"

namespace faultline {

static std::vector<FaultSite> applies(const LayoutProgram& program) { return stick_stores(program); }

static void apply(LayoutProgram& program, const FaultSite& site, const FaultSpec&) {
  const int buffer = static_cast<int>(site.at[1]);
  DeviceLayout& layout = program.layouts[buffer];
  ++layout.dims[stick_dim(layout)].extent;
  refit_kernels(program, buffer);
}

extern const Fault fault_layout_ctl_spare_stick;
constinit const Fault fault_layout_ctl_spare_stick{
    .id = "layout.ctl_spare_stick",
    .summary = "an output has a spare stick of padding, legally",
    .mechanism = "layout.pad_dirty",
    .origin = "constructed: a control; a layout may hold more than its tensor as long as the padding is masked",
    .targets = "any",
    .expect = Expect::benign,
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[5,67]): y = aten.relu(x); return y",
};

}  // namespace faultline
