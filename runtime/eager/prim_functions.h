// Which operator of torch carries out a scalar function or a reduction of the prim graph.
#pragma once

#include <string_view>

#include "runtime/ir/function.h"

namespace faultline {

// "aten.add.Tensor". `select`, `cast` and `refresh` have none: they are not functions of their operands' type.
std::string_view torch_target(Function function);
// Reductions that take a list of dims (sum, max, min, any, all) or one dim (prod, argmax, argmin).
std::string_view torch_target(Reduction reduction);

}  // namespace faultline
