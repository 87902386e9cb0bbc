// The rung `capture`: segments, as traced, call by call with eager operators.
#pragma once

#include "runtime/layers/capture/run_frames.h"
#include "runtime/numerics/native_domain.h"

namespace faultline {

// Throws UserError where an operator raises, and Rejected where torch is not there.
class EagerSegmentRunner final : public SegmentRunner<NativeDomain> {
 public:
  std::vector<HostTensor<NativeDomain>> run(int entry, const Segment& segment,
                                            std::span<const HostTensor<NativeDomain>> inputs) override;
};

// Element bits in the host format of a dtype, and back.
uint64_t host_bits(DType dtype, const NativeDomain::Value& value);
NativeDomain::Value host_value(DType dtype, uint64_t bits);

}  // namespace faultline
