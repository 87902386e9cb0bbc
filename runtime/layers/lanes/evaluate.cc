// The lane evaluator for the three element domains.
#include "runtime/exact/exact_domain.h"
#include "runtime/exact/fingerprint_domain.h"
#include "runtime/layers/lanes/evaluate_body.h"
#include "runtime/numerics/native_domain.h"

namespace faultline {

template class Evaluator<NativeDomain>;
template class Evaluator<ExactDomain>;
template class Evaluator<FingerprintDomain>;

template void evaluate(const Kernel&, const Box&, const EvaluationOptions&, NativeDomain&, LaneMemory<NativeDomain>&,
                       AccumulatorState<NativeDomain>*);
template void evaluate(const Kernel&, const Box&, const EvaluationOptions&, ExactDomain&, LaneMemory<ExactDomain>&,
                       AccumulatorState<ExactDomain>*);
template void evaluate(const Kernel&, const Box&, const EvaluationOptions&, FingerprintDomain&,
                       LaneMemory<FingerprintDomain>&, AccumulatorState<FingerprintDomain>*);

}  // namespace faultline
