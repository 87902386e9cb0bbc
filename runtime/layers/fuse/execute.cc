// run_kernels for the three element domains.
#include "runtime/exact/exact_domain.h"
#include "runtime/exact/fingerprint_domain.h"
#include "runtime/layers/fuse/execute_body.h"
#include "runtime/numerics/native_domain.h"

namespace faultline {

template DenseBuffers<NativeDomain> run_kernels(const KernelProgram&, NativeDomain&, const DenseBuffers<NativeDomain>&);
template DenseBuffers<ExactDomain> run_kernels(const KernelProgram&, ExactDomain&, const DenseBuffers<ExactDomain>&);
template DenseBuffers<FingerprintDomain> run_kernels(const KernelProgram&, FingerprintDomain&,
                                                     const DenseBuffers<FingerprintDomain>&);

}  // namespace faultline
