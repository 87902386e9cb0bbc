// torch.compile(backend="eager"): what Dynamo captures, with eager operators.
#include "runtime/backends/external/torch_compile.h"

namespace faultline {

static constexpr BackendRung kRungs[] = {kDynamoRung};

extern const Backend backend_dynamo;
constinit const Backend backend_dynamo{
    .id = "dynamo",
    .summary = "TorchDynamo alone: its graphs, guards and resume code with eager operators",
    .form = "python",
    .worker = kTorchWorker,
    .versions = kTorchVersions,
    .options = kTorchOptions,
    .rungs = kRungs,
    .arithmetic = torch_arithmetic,
    .profile = torch_profile,
};

}  // namespace faultline
