// run_tiles for the three element domains.
#include "runtime/exact/exact_domain.h"
#include "runtime/exact/fingerprint_domain.h"
#include "runtime/layers/tile/run_tiles_body.h"
#include "runtime/numerics/native_domain.h"

namespace faultline {

template MemoryRun<NativeDomain> run_tiles(const TileProgram&, NativeDomain&, const DenseBuffers<NativeDomain>&, int);
template MemoryRun<ExactDomain> run_tiles(const TileProgram&, ExactDomain&, const DenseBuffers<ExactDomain>&, int);
template MemoryRun<FingerprintDomain> run_tiles(const TileProgram&, FingerprintDomain&,
                                                const DenseBuffers<FingerprintDomain>&, int);

}  // namespace faultline
