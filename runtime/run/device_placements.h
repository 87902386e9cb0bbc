// Where the device keeps what leaves the program: the layout of the buffer that holds each tensor.
#pragma once

#include "runtime/run/compare_case.h"

namespace faultline {

// Positions by this layout, which may be a broken one: spaces one behind the other, each in the order of its addresses.
DevicePlacement placement_of(const DeviceLayout& layout, const Sizes& sizes);

// Fills `placement` of the outputs and written inputs that have a buffer of their own sizes.
void add_device_placements(const Subject& subject, Comparison& comparison);

}  // namespace faultline
