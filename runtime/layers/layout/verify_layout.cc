// Each promise is checked from its definition: legality by the algebra, sizes from the kernels, alignment from the
// target's rule.
#include <fmt/format.h>

#include "runtime/layers/layout/assign_layouts.h"
#include "runtime/layers/layout/lane_access.h"

namespace faultline {

namespace {

class Verifier {
 public:
  Verifier(const LayoutProgram& program, const LayoutPolicy& policy) : program_(program), policy_(policy) {}

  std::vector<Finding> take() {
    for (size_t b = 0; b < program_.program.buffers.size(); ++b) check_buffer(static_cast<int>(b));
    for (size_t k = 0; k < program_.program.kernels.size(); ++k) {
      check_extents(static_cast<int>(k));
      if (is_movement(program_, static_cast<int>(k)))
        check_movement(static_cast<int>(k));
      else
        check_alignment(static_cast<int>(k));
    }
    return std::move(findings_);
  }

 private:
  void add(std::string promise, std::string place, std::string text) {
    findings_.push_back({"layout", std::move(promise), std::move(place), std::move(text)});
  }
  std::string kernel_place(int kernel) const {
    return fmt::format("kernel {} {}", kernel, program_.program.kernels[kernel].name);
  }

  static bool holds_all(const DeviceLayout& layout, const Sizes& sizes) {
    for (size_t d = 0; d < sizes.size(); ++d)
      if (held_extent(layout, static_cast<int>(d)) < sizes[d]) return false;
    return true;
  }

  void check_buffer(int b) {
    const Buffer& buffer = program_.program.buffers[b];
    const DeviceLayout& layout = program_.layouts[b];
    const std::string place = fmt::format("buffer {} {}", b, buffer.name);
    if (const std::string problem = check_layout(layout, buffer.sizes); !problem.empty())
      add(holds_all(layout, buffer.sizes) ? "one_to_one" : "held", place, problem);
    const int stored = policy_.element_bytes(buffer.dtype);
    if (layout.flat_element_bytes() == stored) return;
    add("element_bytes", place,
        fmt::format("an element of {} has {} bytes in the layout and {} in memory", name(buffer.dtype),
                    layout.flat_element_bytes(), stored));
  }

  void check_extents(int k) {
    const Kernel& kernel = program_.program.kernels[k];
    const KernelLayout& layout = program_.kernels[k];
    const std::vector<int64_t> held = padded_extents(program_, k);
    for (size_t d = 0; d < kernel.extents.size(); ++d) {
      const std::string place = fmt::format("{}, dim {}", kernel_place(k), d);
      if (layout.valid[d] != kernel.extents[d]) {
        add("masked", place,
            fmt::format("masks from {} on, where the kernel has {} points", layout.valid[d], kernel.extents[d]));
      }
      if (layout.padded[d] < kernel.extents[d]) {
        add("padded", place, fmt::format("runs over [0,{}) of {}", layout.padded[d], kernel.extents[d]));
      } else if (layout.padded[d] != held[d]) {
        add("padded", place, fmt::format("runs over [0,{}) where the layouts hold {}", layout.padded[d], held[d]));
      }
    }
  }

  void check_alignment(int k) {
    const Kernel& kernel = program_.program.kernels[k];
    const KernelLayout& layout = program_.kernels[k];
    const LaneChoice choice{layout.lane_dim, layout.lanes == 1};
    for (size_t n = 0; n < kernel.nodes.size(); ++n) {
      if (kernel.nodes[n].kind != ScalarNode::Kind::load) continue;
      const int buffer = kernel.nodes[n].access.buffer;
      if (is_aligned(policy_, kernel, static_cast<int>(n), choice, program_.layouts[buffer])) continue;
      add("aligned", fmt::format("{}, load {} of {}", kernel_place(k), n, program_.program.buffers[buffer].name),
          fmt::format("the lanes run along dim {}, the buffer lies as {}", layout.lane_dim,
                      to_text(program_.layouts[buffer])));
    }
    for (size_t s = 0; s < kernel.stores.size(); ++s) check_store(k, static_cast<int>(s), choice);
  }

  void check_store(int k, int s, const LaneChoice& choice) {
    const Kernel& kernel = program_.program.kernels[k];
    const int buffer = kernel.stores[s].buffer;
    const DeviceLayout& layout = program_.layouts[buffer];
    const bool dense = !choice.single && choice.dim < kernel.parallel;
    const std::vector<uint8_t> nothing(kernel.parallel, 0);
    if (dense && policy_.runs_along(store_access(kernel, s), choice.dim, nothing, layout)) return;
    if ((!dense || kernel.extents[choice.dim] == 1) && policy_.is_sparse(layout)) return;
    add("aligned", fmt::format("{}, store of {}", kernel_place(k), program_.program.buffers[buffer].name),
        fmt::format("the lanes run along dim {}, the buffer lies as {}", choice.dim, to_text(layout)));
  }

  void check_movement(int k) {
    if (!program_.kernels[k].relayout) return;
    const Kernel& kernel = program_.program.kernels[k];
    for (const KernelStore& store : kernel.stores) {
      const ScalarNode& node = kernel.nodes[store.node];
      const std::string place =
          fmt::format("{}, store of {}", kernel_place(k), program_.program.buffers[store.buffer].name);
      if (node.kind != ScalarNode::Kind::load) {
        add("relayout", place, fmt::format("stores node {}, which is no load", store.node));
      } else if (program_.program.buffers[node.access.buffer].dtype != program_.program.buffers[store.buffer].dtype) {
        add("relayout", place,
            fmt::format("stores {} from {}", name(program_.program.buffers[store.buffer].dtype),
                        name(program_.program.buffers[node.access.buffer].dtype)));
      }
    }
  }

  const LayoutProgram& program_;
  const LayoutPolicy& policy_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> verify_layout(const LayoutProgram& program, const LayoutPolicy& policy) {
  return Verifier(program, policy).take();
}

}  // namespace faultline
