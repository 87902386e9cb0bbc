// A read behind an in-place write is moved before it: what was written is computed and put back, and the reader sees
// the old contents.
#include "faults/sites.h"

namespace faultline {

// The input that this buffer's value is written back to, or -1: fuse names the new value after it.
static int old_value(const KernelProgram& program, int written) {
  const Buffer& now = program.buffers[written];
  for (const int input : program.inputs) {
    const Buffer& before = program.buffers[input];
    if (now.name == before.name + "_new" && now.dtype == before.dtype && now.sizes == before.sizes) return input;
  }
  return -1;
}

static std::vector<FaultSite> applies(const KernelProgram& program) {
  std::vector<FaultSite> sites;
  for (const int written : program.write_backs) {
    const int before = old_value(program, written);
    if (before < 0) continue;
    for (size_t k = 0; k < program.kernels.size(); ++k) {
      const Kernel& kernel = program.kernels[k];
      for (size_t n = 0; n < kernel.nodes.size(); ++n)
        if (kernel.nodes[n].kind == ScalarNode::Kind::load && kernel.nodes[n].access.buffer == written)
          sites.push_back(kernel_site(program, k, written, {static_cast<int64_t>(k), static_cast<int64_t>(n), before}));
    }
  }
  return sites;
}

static void apply(KernelProgram& program, const FaultSite& site, const FaultSpec&) {
  program.kernels[site.at[0]].nodes[site.at[1]].access.buffer = static_cast<int>(site.at[2]);
}

extern const Fault fault_fuse_stale_read;
constinit const Fault fault_fuse_stale_read{
    .id = "fuse.stale_read",
    .summary = "a read behind an in-place write sees the contents from before it",
    .mechanism = "fuse.hazard",
    .origin = "https://github.com/pytorch/pytorch/issues/198131",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[67]): a = aten.mul_.Tensor(x, 3.0); y = aten.exp(x); return y",
};

}  // namespace faultline
