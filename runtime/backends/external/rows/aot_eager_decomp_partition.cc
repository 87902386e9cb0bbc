// torch.compile(backend="aot_eager_decomp_partition"): Inductor's graphs before it lowers them.
#include "runtime/backends/external/torch_compile.h"

namespace faultline {

static constexpr BackendRung kRungs[] = {kDynamoRung, kAotRung, kPartitionRung};

extern const Backend backend_aot_eager_decomp_partition;
constinit const Backend backend_aot_eager_decomp_partition{
    .id = "aot_eager_decomp_partition",
    .summary = "TorchDynamo, AOTAutograd and Inductor's decompositions with eager operators",
    .form = "python",
    .worker = kTorchWorker,
    .versions = kTorchVersions,
    .options = kTorchOptions,
    .rungs = kRungs,
    .arithmetic = torch_arithmetic,
    .profile = torch_profile,
};

}  // namespace faultline
