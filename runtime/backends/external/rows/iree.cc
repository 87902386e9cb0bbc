// IREE for the CPU: two code generators behind one front end, so that one is a second opinion on the other.
#include "runtime/backends/external/backend.h"
#include "runtime/numerics/declared_arithmetic.h"

namespace faultline {

static constexpr BackendRung kRungs[] = {
    {"vmvx", Layer::schedule, R"({"backend": "vmvx", "flags": ["--iree-opt-level=O0"]})",
     "its interpreter of kernels, without optimisation"},
    {"plain code", Layer::schedule, R"({"backend": "llvm-cpu", "flags": ["--iree-opt-level=O0"]})",
     "LLVM code without IREE's optional optimisations"},
    {"narrow", Layer::tile, R"({"backend": "llvm-cpu", "vector_bytes": 16})",
     "optimised, in short vectors"},
    {"full", Layer::fuse, R"({"backend": "llvm-cpu"})", "everything, in the machine's vectors"},
};

static constexpr BackendVersion kVersions[] = {
    {"3.13.0", "iree-base-compiler==3.13.0 iree-base-runtime==3.13.0 numpy==2.2.6"},
    {"3.11.0", "iree-base-compiler==3.11.0 iree-base-runtime==3.11.0 numpy==2.2.6"},
    {"3.10.0", "iree-base-compiler==3.10.0 iree-base-runtime==3.10.0 numpy==2.2.6"},
    {"3.1.0", "iree-base-compiler==3.1.0 iree-base-runtime==3.1.0 numpy==2.2.6"},
};

static nlohmann::json width_settings(std::string_view value) {
  for (const std::string_view width : {"8", "16", "32", "64"})
    if (value == width) return {{"vector_bytes", std::stoi(std::string(width))}};
  return value == "default" ? nlohmann::json::object() : nlohmann::json();
}
static constexpr BackendOption kOptions[] = {
    {"vector_bytes", "default, 8, 16, 32 or 64", "width of vectors, in every rung", width_settings}};

static const Arithmetic& arithmetic() {
  static const DeclaredArithmetic declared("iree");
  return declared;
}

static ErrorProfile profile() {
  ErrorProfile profile;
  profile.exact_sums = false;
  profile.subnormals_lost = true;
  return profile;
}

extern const Backend backend_iree;
constinit const Backend backend_iree{
    .id = "iree",
    .summary = "IREE for the CPU, on StableHLO",
    .form = "stablehlo",
    .worker = "python/faultline/workers/iree_worker.py",
    .versions = kVersions,
    .options = kOptions,
    .rungs = kRungs,
    .arithmetic = arithmetic,
    .profile = profile,
};

}  // namespace faultline
