// Layer 4. Takes the kernels of `fuse` in order. For each one the lane dim is chosen that leaves the fewest bytes of
// operands to convert; what still does not run along the lanes is copied, by a relayout kernel put before, into a
// buffer shaped like the access; what the kernel stores gets a layout with the lane dim along the sticks, or one value
// a stick when the lanes are reduced.
#pragma once

#include "runtime/layers/finding.h"
#include "runtime/layers/layout/layout_policy.h"

namespace faultline {

// Throws Rejected for a type or a relayout that the machine does not have.
LayoutProgram assign_layouts(const KernelProgram& program, const LayoutPolicy& policy);

// Every broken promise of layout_program.h; empty for the output of assign_layouts().
std::vector<Finding> verify_layout(const LayoutProgram& program, const LayoutPolicy& policy);

}  // namespace faultline
