// What the back ends of torch.compile have in common: the worker, the version, the upper rungs, the promises.
#pragma once

#include <array>

#include "runtime/backends/external/backend.h"

namespace faultline {

inline constexpr std::string_view kTorchWorker = "python/faultline/workers/torch_worker.py";
// The reference's own torch, of the project's environment.
inline constexpr std::array<BackendVersion, 1> kTorchVersions = {{{"installed", ""}}};

inline constexpr BackendRung kDynamoRung = {"capture", Layer::capture, R"({"backend": "eager"})",
                                            "Dynamo's graphs with eager operators"};
inline constexpr BackendRung kAotRung = {"functional", Layer::decompose, R"({"backend": "aot_eager"})",
                                         "AOTAutograd's functional graph with eager operators"};
inline constexpr BackendRung kPartitionRung = {"decompose", Layer::decompose,
                                               R"({"backend": "aot_eager_decomp_partition"})",
                                               "Inductor's decompositions, partitioned, with eager operators"};

extern const std::array<BackendOption, 5> kTorchOptions;

// Host formats; 16-bit floats are computed and summed in f32 and rounded when they are stored, or earlier.
const Arithmetic& torch_arithmetic();
// The functions of a vector library within the profile's ulps; oneDNN's products may lose subnormals.
ErrorProfile torch_profile();

}  // namespace faultline
