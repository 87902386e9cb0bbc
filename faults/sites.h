// Names of places for fault sites, the same in every row.
#pragma once

#include <string>
#include <string_view>

#include "faults/fault.h"
#include "runtime/layers/fuse/kernel.h"

namespace faultline {

// "clone:0": what the kernel computes (its name less "k<n>_") and its number.
std::string kernel_path(const Kernel& kernel, size_t index);
// "aten.add.Tensor" is "add".
std::string operation_name(std::string_view target);
// "<kernel>/<operand>" with the operand's buffer name.
FaultSite kernel_site(const KernelProgram& program, size_t kernel, int buffer, std::vector<int64_t> at);

// The coordinates of plain loads that are `wanted`, given the size of the dim they index: `at` is kernel, node,
// coordinate.
std::vector<FaultSite> coordinate_sites(const KernelProgram& program,
                                        bool (*wanted)(const Coordinate& coordinate, int64_t size));

// Every element of the result is made of elements of the operands alone: no sums.
bool is_elementwise(const Kernel& kernel);

}  // namespace faultline
