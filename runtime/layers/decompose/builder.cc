// Reads show a storage's contents through the path of a view; writes go back along that path, one scatter a step.
#include "runtime/layers/decompose/builder.h"

#include <fmt/format.h>

#include "runtime/base/error.h"

namespace faultline {

TensorValue Builder::fresh(int node, const Sizes& strides) { return fresh(node, strides, 0); }

TensorValue Builder::fresh(int node, const Sizes& strides, int64_t offset) {
  Storage storage;
  storage.node = node;
  storage.base = {dtype(node), sizes(node), strides, offset};
  storages_.push_back(storage);
  return {static_cast<int>(storages_.size()) - 1, {}, storages_.back().base};
}

TensorValue Builder::input_tensor(int input, int node, const TensorType& type) {
  Storage storage;
  storage.node = node;
  storage.base = type;
  storage.input = input;
  storages_.push_back(storage);
  return {static_cast<int>(storages_.size()) - 1, {}, type};
}

TensorValue Builder::view(const TensorValue& tensor, std::vector<ViewStep> steps, TensorType type) const {
  TensorValue result = tensor;
  for (ViewStep& step : steps) {
    FAULTLINE_CHECK(step.from == (result.path.empty() ? storages_[tensor.storage].base.sizes : result.path.back().to),
                    to_text(type));
    if (step.prim == Prim::reshape && step.from == step.to) continue;
    result.path.push_back(std::move(step));
  }
  FAULTLINE_CHECK(type.sizes == (result.path.empty() ? storages_[tensor.storage].base.sizes : result.path.back().to),
                  to_text(type));
  result.type = std::move(type);
  return result;
}

static bool same_steps(const std::vector<ViewStep>& a, const std::vector<ViewStep>& b, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (a[i] != b[i]) return false;
  return true;
}

// Prefixes already shown of the same contents are found again, so that reading a view twice costs its movement once.
int Builder::show_path(const TensorValue& tensor, size_t steps) {
  const Storage& storage = storages_[tensor.storage];
  if (steps == 0) return storage.node;
  for (const Shown& shown : shown_)
    if (shown.storage == tensor.storage && shown.version == storage.version && shown.path.size() == steps &&
        same_steps(shown.path, tensor.path, steps))
      return shown.node;
  const int version = storage.version;
  const int node = show(*this, tensor.path[steps - 1], show_path(tensor, steps - 1));
  const auto end = tensor.path.begin() + static_cast<std::ptrdiff_t>(steps);
  shown_.push_back({tensor.storage, version, node, {tensor.path.begin(), end}});
  return node;
}

int Builder::read(const TensorValue& tensor) { return show_path(tensor, tensor.path.size()); }

void Builder::write(const TensorValue& tensor, int node) {
  FAULTLINE_CHECK(sizes(node) == tensor.type.sizes && dtype(node) == tensor.type.dtype, to_text(tensor.type));
  for (size_t steps = tensor.path.size(); steps > 0; --steps)
    node = scatter(*this, tensor.path[steps - 1], show_path(tensor, steps - 1), node);
  Storage& storage = storages_[tensor.storage];
  storage.node = node;
  storage.written = true;
  ++storage.version;
}

}  // namespace faultline
