// run_kernels for the element domains.
#include "runtime/exact/fingerprint_domain.h"
#include "runtime/layers/fuse/execute_body.h"
#include "runtime/numerics/native_domain.h"

namespace faultline {

template DenseBuffers<NativeDomain> run_kernels(const KernelProgram&, NativeDomain&, const DenseBuffers<NativeDomain>&);
template DenseBuffers<FingerprintDomain> run_kernels(const KernelProgram&, FingerprintDomain&,
                                                     const DenseBuffers<FingerprintDomain>&);

}  // namespace faultline
