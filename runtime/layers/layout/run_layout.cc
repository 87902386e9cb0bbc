// run_layout for the three element domains.
#include "runtime/exact/exact_domain.h"
#include "runtime/exact/fingerprint_domain.h"
#include "runtime/layers/layout/run_layout_body.h"
#include "runtime/numerics/native_domain.h"

namespace faultline {

template MemoryRun<NativeDomain> run_layout(const LayoutProgram&, NativeDomain&, const DenseBuffers<NativeDomain>&,
                                            int);
template MemoryRun<ExactDomain> run_layout(const LayoutProgram&, ExactDomain&, const DenseBuffers<ExactDomain>&, int);
template MemoryRun<FingerprintDomain> run_layout(const LayoutProgram&, FingerprintDomain&,
                                                 const DenseBuffers<FingerprintDomain>&, int);

}  // namespace faultline
