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

std::vector<FaultSite> coordinate_sites(const KernelProgram& program,
                                        bool (*wanted)(const Coordinate& coordinate, int64_t size)) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const Kernel& kernel = program.kernels[k];
    for (size_t n = 0; n < kernel.nodes.size(); ++n) {
      const ScalarNode& node = kernel.nodes[n];
      if (node.kind != ScalarNode::Kind::load || !node.operands.empty()) continue;
      for (size_t c = 0; c < node.access.coordinates.size(); ++c)
        if (wanted(node.access.coordinates[c], program.buffers[node.access.buffer].sizes[c]))
          sites.push_back(kernel_site(program, k, node.access.buffer,
                                      {static_cast<int64_t>(k), static_cast<int64_t>(n), static_cast<int64_t>(c)}));
    }
  }
  return sites;
}

bool is_elementwise(const Kernel& kernel) {
  return kernel.kernel_class == KernelClass::pointwise || kernel.kernel_class == KernelClass::movement;
}

}  // namespace faultline
