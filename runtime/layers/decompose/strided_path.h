// A strided window on a tensor, as steps of view: what as_strided and a second input on the same storage mean.
#pragma once

#include <optional>
#include <vector>

#include "runtime/layers/decompose/view.h"

namespace faultline {

// Steps from a tensor of type `base` to what `window` shows of the same storage (strides and offset are the storage's).
// Nothing when `base` is not dense, when the window leaves it, or when the window's dims overlap other than by stride
// 0.
std::optional<std::vector<ViewStep>> strided_path(const TensorType& base, const TensorType& window);

}  // namespace faultline
