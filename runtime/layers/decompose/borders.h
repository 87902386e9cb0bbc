// Padding by the tensor's own elements.
#pragma once

#include "runtime/layers/decompose/op.h"

namespace faultline {

// reflect: mirrored at the edge elements. replicate: the edge elements again. circular: the other end.
enum class Border : uint8_t { reflect, replicate, circular };

// `pad` holds pairs (before, after), the last dim first; negative ones cut off.
int bordered(Builder& builder, const BoundCall& call, int x, const std::vector<int64_t>& pad, Border border);

// aten.pad in a mode other than constant.
Lowered lower_bordered_pad(Builder& builder, const BoundCall& call, const std::string& mode);

}  // namespace faultline
