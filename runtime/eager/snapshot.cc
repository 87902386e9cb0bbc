// One copy a storage, found again by the storage's address.
#include "runtime/eager/snapshot.h"

namespace faultline {

Tensor Snapshot::copy(const Tensor& tensor) {
  std::shared_ptr<Bytes>& copied = copies_[tensor.storage.get()];
  if (!copied) copied = std::make_shared<Bytes>(*tensor.storage);
  return {tensor.type, copied};
}

Value Snapshot::copy(const Value& value) {
  if (const Tensor* tensor = value.tensor()) return {copy(*tensor)};
  if (const auto* list = std::get_if<ValueList>(&value.value)) {
    ValueList copies;
    for (const Value& element : *list) copies.push_back(copy(element));
    return {std::move(copies)};
  }
  return value;
}

}  // namespace faultline
