// Values to the plain structs of torch_table.h and back.
#pragma once

#include <memory>
#include <vector>

#include "runtime/eager/executor.h"
#include "runtime/eager/torch_table.h"

namespace faultline {

// The arguments of one call as cells, views and storages. Refers to the values it was filled from; reusable, to keep
// its memory.
class MarshalledCall {
 public:
  void fill(const ValueList& arguments);
  TorchCall call() const;
  // Takes over what the call did to the arguments' storages and returns its results.
  OpResult results(const TorchResult& result);

 private:
  using Storage = std::shared_ptr<std::vector<std::byte>>;

  void add(const Value& value, bool in_list);
  void add_tensor(const Tensor& tensor);
  void take_back_storages(const TorchResult& result);
  Tensor tensor_of(const TorchView& view) const;
  Value value_of(const TorchResult& result, int& cell, OpResult& op_result) const;

  std::vector<TorchCell> cells_;
  std::vector<TorchView> views_;
  std::vector<TorchStorage> storages_;
  std::vector<Storage> owners_;  // of storages_, then of fresh ones
};

}  // namespace faultline
