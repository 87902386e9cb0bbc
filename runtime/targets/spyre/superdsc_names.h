// The operations of a kernel under SuperDSC's names.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "runtime/layers/fuse/kernel.h"

namespace faultline::spyre {

std::string data_format(DType dtype);

// The operation that a kernel is named after: batchmatmul, identity, maxnonstick, add.
std::string main_operation(const Kernel& kernel, bool reduces_sticks);

struct TensorNames {
  std::map<int, std::string> loads, stores;  // by node and by store number
};

// computeOp_: an entry an operation, in order; what passes between them is called "%<node>". A contraction runs on pt
// where `matrix`, all else on sfp.
nlohmann::ordered_json compute_operations(const Kernel& kernel, bool matrix, bool reduces_sticks,
                                          const TensorNames& names);

}  // namespace faultline::spyre
