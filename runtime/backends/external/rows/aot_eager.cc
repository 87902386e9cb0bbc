// torch.compile(backend="aot_eager"): AOTAutograd's functional graphs, with eager operators.
#include "runtime/backends/external/torch_compile.h"

namespace faultline {

static constexpr BackendRung kRungs[] = {kDynamoRung, kAotRung};

extern const Backend backend_aot_eager;
constinit const Backend backend_aot_eager{
    .id = "aot_eager",
    .summary = "TorchDynamo and AOTAutograd: functional graphs with eager operators",
    .form = "python",
    .worker = kTorchWorker,
    .versions = kTorchVersions,
    .options = kTorchOptions,
    .rungs = kRungs,
    .arithmetic = torch_arithmetic,
    .profile = torch_profile,
};

}  // namespace faultline
