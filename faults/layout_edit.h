// What fault rows of `layout` ask of a layout program, and how they change one.
#pragma once

#include "faults/sites.h"
#include "runtime/layers/layout/layout_program.h"

namespace faultline {

// The device dim that counts sticks of the lanes' host dim, or -1 where a stick holds one element or no host dim.
int stick_dim(const DeviceLayout& layout);
// Elements of the lanes' host dim.
int64_t stick_size(const LayoutProgram& program, int buffer);

// What kernels store with lanes along a dim of the result, and all elementwise kernels: {kernel, buffer} for each store
// of a buffer that counts sticks.
std::vector<FaultSite> stick_stores(const LayoutProgram& program);

// Kernels that store or load a buffer whose layout has changed run as far as the layouts hold it, as the pass derives
// it.
void refit_kernels(LayoutProgram& program, int buffer);

}  // namespace faultline
