// Cells in schema order; storages found again by pointer, so that tensors that share memory here share it in torch.
#include "runtime/eager/marshal.h"

#include "runtime/base/error.h"

namespace faultline {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

Sizes list_of(const int64_t* numbers, int32_t count) { return Sizes(numbers, numbers + count); }

}  // namespace

void MarshalledCall::fill(const ValueList& arguments) {
  cells_.clear();
  views_.clear();
  storages_.clear();
  owners_.clear();
  for (const Value& value : arguments) add(value, false);
}

TorchCall MarshalledCall::call() const {
  return {storages_.data(),
          views_.data(),
          cells_.data(),
          static_cast<int32_t>(storages_.size()),
          static_cast<int32_t>(views_.size()),
          static_cast<int32_t>(cells_.size())};
}

void MarshalledCall::add(const Value& value, bool in_list) {
  std::visit(Overloaded{
                 [&](NoneArgument) { cells_.push_back({kTorchNone, 0, 0, nullptr}); },
                 [&](bool truth) { cells_.push_back({kTorchBoolean, truth, 0, nullptr}); },
                 [&](int64_t integer) { cells_.push_back({kTorchInteger, integer, 0, nullptr}); },
                 [&](double real) { cells_.push_back({kTorchReal, 0, real, nullptr}); },
                 [&](DType dtype) { cells_.push_back({kTorchDType, static_cast<int64_t>(dtype), 0, nullptr}); },
                 [&](const Keyword& word) { cells_.push_back({kTorchText, 0, 0, word.text.c_str()}); },
                 [&](const Tensor& tensor) { add_tensor(tensor); },
                 [&](const ValueList& list) {
                   if (in_list) throw UserError("an argument is a list of lists");
                   cells_.push_back({kTorchList, static_cast<int64_t>(list.size()), 0, nullptr});
                   for (const Value& element : list) add(element, true);
                 },
             },
             value.value);
}

void MarshalledCall::add_tensor(const Tensor& tensor) {
  const TensorType& type = tensor.type;
  FAULTLINE_CHECK(tensor.storage && type.sizes.size() == type.strides.size(), to_text(type));
  size_t storage = 0;
  while (storage < owners_.size() && owners_[storage] != tensor.storage) ++storage;
  if (storage == owners_.size()) {
    owners_.push_back(tensor.storage);
    storages_.push_back({tensor.storage->data(), static_cast<int64_t>(tensor.storage->size())});
  }
  cells_.push_back({kTorchTensor, static_cast<int64_t>(views_.size()), 0, nullptr});
  views_.push_back({static_cast<int32_t>(storage), static_cast<int32_t>(type.dtype),
                    static_cast<int32_t>(type.sizes.size()), -1, type.sizes.data(), type.strides.data(), type.offset});
}

OpResult MarshalledCall::results(const TorchResult& result) {
  OpResult op_result;
  if (result.status != kTorchOk) {
    const auto kind = result.status == kTorchRaised ? EagerError::Kind::raised : EagerError::Kind::unsupported;
    op_result.error = EagerError{kind, result.error_type, result.error_text};
    return op_result;
  }
  take_back_storages(result);
  for (int cell = 0; cell < result.cell_count;) op_result.outputs.push_back(value_of(result, cell, op_result));
  for (int i = 0; i < result.changed_count; ++i)
    op_result.changed.emplace_back(result.changed[i].same_as, tensor_of(result.changed[i]));
  return op_result;
}

// A storage that torch enlarged lies in torch's memory now; the owner's vector takes the bytes, so that every view of
// it follows.
void MarshalledCall::take_back_storages(const TorchResult& result) {
  for (int i = 0; i < result.storage_count; ++i) {
    const TorchStorage& after = result.storages[i];
    const auto* first = static_cast<const std::byte*>(after.data);
    const auto index = static_cast<size_t>(i);
    if (index >= storages_.size()) {
      owners_.push_back(std::make_shared<std::vector<std::byte>>(first, first + after.bytes));
    } else if (after.data != storages_[index].data || after.bytes != storages_[index].bytes) {
      owners_[index]->assign(first, first + after.bytes);
    }
  }
}

Tensor MarshalledCall::tensor_of(const TorchView& view) const {
  return {
      {static_cast<DType>(view.dtype), list_of(view.sizes, view.rank), list_of(view.strides, view.rank), view.offset},
      owners_[static_cast<size_t>(view.storage)]};
}

Value MarshalledCall::value_of(const TorchResult& result, int& cell, OpResult& op_result) const {
  const TorchCell& head = result.cells[cell++];
  switch (head.kind) {
    case kTorchBoolean: return {head.integer != 0};
    case kTorchInteger: return {head.integer};
    case kTorchReal: return {head.real};
    case kTorchText: return {Keyword{head.text}};
    case kTorchTensor: {
      const TorchView& view = result.views[head.integer];
      op_result.same_as.push_back(view.same_as);
      return {tensor_of(view)};
    }
    case kTorchList: {
      ValueList elements;
      for (int64_t i = 0; i < head.integer; ++i) elements.push_back(value_of(result, cell, op_result));
      return {std::move(elements)};
    }
    default: return {NoneArgument{}};
  }
}

}  // namespace faultline
