// Names of places for fault sites: kernels and buffers by what they compute, never by an address or a pass's own count.
#include "faults/sites.h"

#include <fmt/format.h>

namespace faultline {

std::string kernel_path(const Kernel& kernel, size_t index) {
  const size_t underscore = kernel.name.find('_');
  return fmt::format("{}:{}", underscore == std::string::npos ? kernel.name : kernel.name.substr(underscore + 1),
                     index);
}

FaultSite kernel_site(const KernelProgram& program, size_t kernel, int buffer, std::vector<int64_t> at) {
  return {fmt::format("{}/{}", kernel_path(program.kernels[kernel], kernel), program.buffers[buffer].name),
          std::move(at)};
}

}  // namespace faultline
