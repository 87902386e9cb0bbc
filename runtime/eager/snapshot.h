// Copies values so that tensors that shared storage share the copy.
#pragma once

#include <map>
#include <memory>

#include "runtime/eager/value.h"

namespace faultline {

class Snapshot {
 public:
  Value copy(const Value& value);
  Tensor copy(const Tensor& tensor);

 private:
  using Bytes = std::vector<std::byte>;
  std::map<const Bytes*, std::shared_ptr<Bytes>> copies_;  // looked up only, never walked
};

}  // namespace faultline
