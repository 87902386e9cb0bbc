// TorchInductor's C++ code for the CPU. Its stages cannot be run one by one: each rung lets in one more of them, and
// what the first rung below the decomposed graph leaves is plain code for every operator by itself.
#include "runtime/backends/external/torch_compile.h"

namespace faultline {

static constexpr BackendRung kRungs[] = {
    kDynamoRung,
    kAotRung,
    kPartitionRung,
    {"plain code", Layer::decompose,
     R"({"backend": "inductor", "inductor": {"pattern_matcher": false, "max_fusion_size": 1, "epilogue_fusion": false,
         "layout_optimization": false, "cpp.simdlen": 1, "allow_buffer_reuse": false, "inplace_buffers": false,
         "split_reductions": false, "reorder_for_locality": false}})",
     "every operator lowered to scalar code of its own", Layer::schedule},
    {"vectors", Layer::tile,
     R"({"backend": "inductor", "inductor": {"pattern_matcher": false, "max_fusion_size": 1, "epilogue_fusion": false,
         "layout_optimization": false, "allow_buffer_reuse": false, "inplace_buffers": false,
         "reorder_for_locality": false}})",
     "the same as vectors with their tails, reductions split"},
    {"layouts", Layer::layout,
     R"({"backend": "inductor", "inductor": {"pattern_matcher": false, "max_fusion_size": 1, "epilogue_fusion": false,
         "allow_buffer_reuse": false, "inplace_buffers": false}})",
     "the same with layouts chosen"},
    {"patterns", Layer::fuse,
     R"({"backend": "inductor", "inductor": {"max_fusion_size": 1, "epilogue_fusion": false,
         "allow_buffer_reuse": false, "inplace_buffers": false}})",
     "the same after the passes that rewrite the graph"},
    {"fusion", Layer::fuse,
     R"({"backend": "inductor", "inductor": {"allow_buffer_reuse": false, "inplace_buffers": false}})",
     "the same fused into kernels"},
    {"full", Layer::fuse, R"({"backend": "inductor"})", "everything, with buffers reused in place"},
};

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
    .profile = torch_profile,
};

}  // namespace faultline
