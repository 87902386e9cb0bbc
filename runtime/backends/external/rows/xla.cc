// XLA for the CPU, as jaxlib brings it. Its first rung is not XLA: the reference interpreter of StableHLO says whether
// the emitted text means what the prims do.
#include "runtime/backends/external/backend.h"
#include "runtime/numerics/declared_arithmetic.h"

namespace faultline {

// Passes that may be switched off one by one: rewriting and fusion. Not among them are those that others rely on:
// without layout-assignment, copy-insertion or float-normalization programs come out wrong or do not compile.
#define REWRITES                                                                                             \
  "algsimp,constant_folding,gather_simplifier,reshape-mover,cse,transpose-folding,batch-dot-simplification," \
  "simplify-fp-conversions,dynamic-dimension-simplifier"
#define FUSIONS "fusion,fusion-wrapper"
#define LIBRARIES "dot-library-rewriter"

static constexpr BackendRung kRungs[] = {
    {"interpreter", Layer::decompose, R"({"interpreter": true})", "StableHLO's reference interpreter"},
    {"plain code", Layer::schedule,
     R"({"flags": {"xla_backend_optimization_level": 0, "xla_disable_hlo_passes": ")" REWRITES "," LIBRARIES "," FUSIONS
     R"("}})",
     "one kernel an operation, LLVM without optimisation"},
    {"vectors", Layer::tile, R"({"flags": {"xla_disable_hlo_passes": ")" REWRITES "," LIBRARIES "," FUSIONS R"("}})",
     "the same with LLVM's optimisations"},
    {"libraries", Layer::tile, R"({"flags": {"xla_disable_hlo_passes": ")" REWRITES "," FUSIONS R"("}})",
     "the same with contractions handed to libraries"},
    {"rewrites", Layer::fuse, R"({"flags": {"xla_disable_hlo_passes": ")" FUSIONS R"("}})",
     "the same after the passes that rewrite the graph"},
    {"full", Layer::fuse, R"({})", "everything, fused into kernels"},
};

static constexpr BackendVersion kVersions[] = {
    {"0.10.2", "jaxlib==0.10.2 numpy==2.2.6"},  {"0.12.0.1", "jaxlib==0.12.0.1 numpy==2.2.6"},
    {"0.11.1", "jaxlib==0.11.1 numpy==2.2.6"},  {"0.11.0", "jaxlib==0.11.0 numpy==2.2.6"},
    {"0.9.1", "jaxlib==0.9.1 numpy==2.2.6"},    {"0.9.0", "jaxlib==0.9.0 numpy==2.2.6"},
    {"0.6.2", "jaxlib==0.6.2 numpy==2.2.6"},    {"0.6.1", "jaxlib==0.6.1 numpy==2.2.6"},
    {"0.4.28", "jaxlib==0.4.28 numpy==1.26.4"},
};

namespace {

// Host formats, sums of small floats in f32 as the emitted text says; subnormals of the types that the machine computes
// in are taken for 0, operands too. expm1 of 16-bit floats subtracts in its own type.
class XlaArithmetic final : public Arithmetic {
 public:
  XlaArithmetic() : declared_("xla") {
    for (const DType dtype : {DType::f64, DType::f32, DType::bf16}) declared_.formats(dtype).flushes_subnormals = true;
  }
  std::string_view id() const override { return declared_.id(); }
  Format storage_format(DType dtype) const override { return declared_.storage_format(dtype); }
  Format compute_format(DType dtype) const override { return declared_.compute_format(dtype); }
  Format accumulator_format(DType dtype) const override { return declared_.accumulator_format(dtype); }
  Format function_format(DType dtype) const override { return declared_.function_format(dtype); }
  bool flushes_subnormals(DType dtype) const override { return declared_.flushes_subnormals(dtype); }
  double round(DType dtype, double exact) const override { return declared_.round(dtype, exact); }
  bool is_plain_transfer(DType) const override { return true; }
  double inner_error(Function function, DType dtype) const override {
    const bool narrow = is_float(dtype) && byte_size(dtype) < byte_size(DType::f32);
    return narrow && function == Function::expm1 ? gamma_factor(3, limits(host_format(dtype)).unit_roundoff) : 0;
  }

 private:
  DeclaredArithmetic declared_;
};

const Arithmetic& arithmetic() {
  static const XlaArithmetic declared;
  return declared;
}

// sinh and cosh are exp of a shifted argument, whose rounding exp magnifies by up to 710; lgamma is a sum that cancels
// where it is small.
ErrorProfile profile() {
  ErrorProfile profile;
  profile.exact_sums = false;
  profile.subnormals_lost = true;
  profile.ulps = {{Function::sinh, 300}, {Function::cosh, 300}};
  profile.absolute_error = {{Function::lgamma, 2e-6}};
  return profile;
}

}  // namespace

extern const Backend backend_xla;
constinit const Backend backend_xla{
    .id = "xla",
    .summary = "XLA for the CPU, on StableHLO",
    .form = "stablehlo",
    .worker = "python/faultline/workers/xla_worker.py",
    .versions = kVersions,
    .options = {},
    .rungs = kRungs,
    .arithmetic = arithmetic,
    .profile = profile,
};

}  // namespace faultline
