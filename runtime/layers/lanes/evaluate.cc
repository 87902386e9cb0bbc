// The lane evaluator for the element domains.
#include "runtime/layers/lanes/evaluate_body.h"
#include "runtime/numerics/native_domain.h"

namespace faultline {

template class Evaluator<NativeDomain>;

template void evaluate(const Kernel&, const Box&, const EvaluationOptions&, NativeDomain&, LaneMemory<NativeDomain>&,
                       AccumulatorState<NativeDomain>*);

}  // namespace faultline
