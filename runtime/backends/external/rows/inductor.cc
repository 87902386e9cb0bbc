// TorchInductor's C++ code for the CPU. Its stages cannot be run one by one: each rung lets in one more of them. What
// the first one below the decomposed graph leaves is plain code, in which only what lowering inlines is together. Which
// switches change the code: docs/decisions/inductor-switches.md.
#include "runtime/backends/external/torch_compile.h"

namespace faultline {

static constexpr BackendRung kRungs[] = {
    kDynamoRung,
    kAotRung,
    kPartitionRung,
    {"plain code", Layer::decompose,
     R"({"backend": "inductor", "inductor": {"pattern_matcher": false, "max_fusion_size": 1,
         "realize_opcount_threshold": 0, "realize_reads_threshold": 0,
         "layout_optimization": false, "cpp.simdlen": 1, "allow_buffer_reuse": false, "inplace_buffers": false,
         "joint_graph_constant_folding": false,
         "disabled_passes": "remove_noop_ops,constant_fold_uniform_value,reinplace_inplaceable_ops"}})",
     "operators lowered to scalar code, fused as little as can be", Layer::schedule},
    {"vectors", Layer::tile,
     R"({"backend": "inductor", "inductor": {"pattern_matcher": false, "max_fusion_size": 1,
         "realize_opcount_threshold": 0, "realize_reads_threshold": 0,
         "layout_optimization": false, "allow_buffer_reuse": false, "inplace_buffers": false,
         "joint_graph_constant_folding": false,
         "disabled_passes": "remove_noop_ops,constant_fold_uniform_value,reinplace_inplaceable_ops"}})",
     "the same as vectors with their tails"},
    {"layouts", Layer::layout,
     R"({"backend": "inductor", "inductor": {"pattern_matcher": false, "max_fusion_size": 1,
         "realize_opcount_threshold": 0, "realize_reads_threshold": 0,
         "allow_buffer_reuse": false, "inplace_buffers": false, "joint_graph_constant_folding": false,
         "disabled_passes": "remove_noop_ops,constant_fold_uniform_value,reinplace_inplaceable_ops"}})",
     "the same with layouts chosen"},
    {"patterns", Layer::fuse,
     R"({"backend": "inductor", "inductor": {"max_fusion_size": 1,
         "realize_opcount_threshold": 0, "realize_reads_threshold": 0,
         "allow_buffer_reuse": false, "inplace_buffers": false}})",
     "the same after the passes that rewrite the graph"},
    {"fusion", Layer::fuse,
     R"({"backend": "inductor", "inductor": {"allow_buffer_reuse": false, "inplace_buffers": false}})",
     "the same fused into kernels"},
    {"full", Layer::fuse, R"({"backend": "inductor"})", "everything, with buffers reused in place"},
};

// Its own vector code is no kernel of eager's, whose erf is only absolutely accurate: what Inductor writes is held to
// ulps (https://github.com/pytorch/pytorch/issues/198183).
static ErrorProfile inductor_profile() {
  ErrorProfile profile = torch_profile();
  profile.absolute_error.erase(Function::erf);
  return profile;
}

extern const Backend backend_inductor;
constinit const Backend backend_inductor{
    .id = "inductor",
    .summary = "TorchInductor's C++ code for the CPU, as torch.compile uses it",
    .form = "python",
    .worker = kTorchWorker,
    .versions = kTorchVersions,
    .options = kTorchOptions,
    .rungs = kRungs,
    .arithmetic = torch_arithmetic,
    .profile = inductor_profile,
};

}  // namespace faultline
