// Names of places for fault sites: kernels and buffers by what they compute, never by an address or a pass's own count.
#include "faults/sites.h"

#include <fmt/format.h>

namespace faultline {

std::string kernel_path(const Kernel& kernel, size_t index) {
  const size_t underscore = kernel.name.find('_');
  return fmt::format("{}:{}", underscore == std::string::npos ? kernel.name : kernel.name.substr(underscore + 1),
                     index);
}

std::string operation_name(std::string_view target) {
  if (const size_t dot = target.find('.'); dot != std::string_view::npos) target.remove_prefix(dot + 1);
  return std::string(target.substr(0, target.find('.')));
}

FaultSite kernel_site(const KernelProgram& program, size_t kernel, int buffer, std::vector<int64_t> at) {
  return {fmt::format("{}/{}", kernel_path(program.kernels[kernel], kernel), program.buffers[buffer].name),
          std::move(at)};
}

bool is_elementwise(const Kernel& kernel) {
  return kernel.kernel_class == KernelClass::pointwise || kernel.kernel_class == KernelClass::movement;
}

}  // namespace faultline
