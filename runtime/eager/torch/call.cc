// One boxed call: tensors over the caller's bytes, arguments by the operator's schema, the dispatcher, and the stack
// read back.
#include <ATen/Parallel.h>
#include <c10/core/Allocator.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/TensorImpl.h>
#include <c10/util/Exception.h>

#include <cstring>
#include <deque>
#include <new>

#include "runtime/eager/torch/operator.h"

namespace faultline::torch_module {
namespace {

// What a result refers to. `tensors` holds every tensor whose sizes or bytes a view of the result points at.
struct Holder : TorchResult {
  std::vector<at::Tensor> arguments, tensors;
  std::vector<c10::Storage> held_storages;
  std::vector<TorchStorage> storage_list;
  std::vector<TorchView> view_list, changed_list;
  std::vector<TorchCell> cell_list;
  std::deque<std::string> texts;
};

// The view's last byte must lie in its storage: torch would enlarge a resizable storage instead, or read past the end.
void check_view(const TorchView& view, const TorchStorage& storage, int64_t element_bytes) {
  int64_t last = view.offset, count = 1;
  bool fits = view.offset >= 0;
  for (int32_t d = 0; d < view.rank; ++d) {
    int64_t span = 0;
    fits = fits && view.sizes[d] >= 0 && view.strides[d] >= 0 &&
           !__builtin_mul_overflow(std::max<int64_t>(view.sizes[d] - 1, 0), view.strides[d], &span) &&
           !__builtin_add_overflow(last, span, &last) && !__builtin_mul_overflow(count, view.sizes[d], &count);
  }
  int64_t bytes = 0;
  fits =
      fits && !__builtin_add_overflow(last, int64_t{1}, &last) && !__builtin_mul_overflow(last, element_bytes, &bytes);
  if (!fits || (count > 0 && bytes > storage.bytes))
    C10_THROW_ERROR(
        Error, "a view needs " + std::to_string(bytes) + " bytes of a storage of " + std::to_string(storage.bytes));
}

at::Tensor make_view(const TorchView& view, const c10::Storage& storage) {
  const c10::ScalarType type = to_torch(view.dtype);
  at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(storage), c10::DispatchKeySet(c10::DispatchKey::CPU), c10::scalarTypeToTypeMeta(type));
  const auto rank = static_cast<size_t>(view.rank);
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(at::IntArrayRef(view.sizes, rank),
                                                      at::IntArrayRef(view.strides, rank), view.offset);
  return tensor;
}

// Resizable as a storage of torch's own is; the first resize moves the bytes to memory of torch's, and the caller
// copies them back.
c10::Storage lend_storage(const TorchStorage& storage) {
  c10::Storage lent(c10::Storage::use_byte_size_t(), static_cast<size_t>(storage.bytes),
                    c10::DataPtr(storage.data, c10::Device(c10::kCPU)), c10::GetAllocator(c10::kCPU), true);
  return lent;
}

c10::Storage copy_storage(const TorchStorage& storage) {
  c10::Allocator* allocator = c10::GetAllocator(c10::kCPU);
  const auto bytes = static_cast<size_t>(storage.bytes);
  c10::DataPtr data = allocator->allocate(bytes);
  if (bytes > 0) std::memcpy(data.get(), storage.data, bytes);
  return c10::Storage(c10::Storage::use_byte_size_t(), bytes, std::move(data), allocator, true);
}

bool is_aligned(const TorchStorage& storage) { return reinterpret_cast<uintptr_t>(storage.data) % 64 == 0; }

// Which views stand in arguments that the operator writes.
std::vector<bool> written_views(const TorchOp& op, const TorchCall& call) {
  std::vector<bool> written(static_cast<size_t>(call.view_count));
  const TorchCell* cell = call.cells;
  for (const ArgumentPlan& plan : op.plan) {
    const TorchCell& head = *cell++;
    const int64_t count = head.kind == kTorchList ? head.integer : 0;
    if (head.kind == kTorchTensor && plan.written) written[static_cast<size_t>(head.integer)] = true;
    for (int64_t i = 0; i < count; ++i, ++cell)
      if (cell->kind == kTorchTensor && plan.written) written[static_cast<size_t>(cell->integer)] = true;
  }
  return written;
}

class Call {
 public:
  Call(const TorchOp& op, const TorchCall& call, Holder& holder) : op_(op), call_(call), holder_(holder) {}

  // False when `copied` was asked for and a result turned out to be a view of a copy: the caller tries again without.
  bool run(bool copied) {
    check_count();
    lend(copied);
    torch::jit::Stack stack;
    stack.reserve(op_.plan.size());
    const TorchCell* cell = call_.cells;
    const TorchCell* const end = cell + call_.cell_count;
    const auto& arguments = op_.handle.schema().arguments();
    for (size_t i = 0; i < op_.plan.size(); ++i)
      stack.push_back(argument_value(op_.plan[i], arguments[i], cell, end, holder_.arguments));
    op_.handle.callBoxed(stack);
    for (const c10::IValue& value : stack) read(value);
    if (copied && result_shares_copy()) return false;
    if (op_.writes) read_changed();
    finish();
    return true;
  }

 private:
  void check_count() const {
    size_t given = 0;
    for (int32_t i = 0; i < call_.cell_count; ++given)
      i += 1 + (call_.cells[i].kind == kTorchList ? static_cast<int32_t>(call_.cells[i].integer) : 0);
    if (given != op_.plan.size())
      C10_THROW_ERROR(TypeError,
                      "takes " + std::to_string(op_.plan.size()) + " arguments, got " + std::to_string(given));
  }

  void lend(bool copied) {
    holder_.held_storages.clear();
    holder_.arguments.clear();
    holder_.tensors.clear();
    holder_.view_list.clear();
    holder_.cell_list.clear();
    const std::vector<bool> fixed = copied ? storages_to_keep() : std::vector<bool>();
    copies_.assign(static_cast<size_t>(call_.storage_count), false);
    for (int32_t i = 0; i < call_.storage_count; ++i) {
      const TorchStorage& storage = call_.storages[i];
      copies_[static_cast<size_t>(i)] = copied && !fixed[static_cast<size_t>(i)] && !is_aligned(storage);
      holder_.held_storages.push_back(copies_[static_cast<size_t>(i)] ? copy_storage(storage) : lend_storage(storage));
    }
    for (int32_t i = 0; i < call_.view_count; ++i) {
      const TorchView& view = call_.views[i];
      check_view(view, call_.storages[view.storage], static_cast<int64_t>(c10::elementSize(to_torch(view.dtype))));
      holder_.arguments.push_back(make_view(view, holder_.held_storages[static_cast<size_t>(view.storage)]));
    }
  }

  std::vector<bool> storages_to_keep() const {
    std::vector<bool> keep(static_cast<size_t>(call_.storage_count));
    const std::vector<bool> written = written_views(op_, call_);
    for (size_t i = 0; i < written.size(); ++i)
      if (written[i]) keep[static_cast<size_t>(call_.views[i].storage)] = true;
    return keep;
  }

  bool result_shares_copy() const {
    for (const TorchView& view : holder_.view_list)
      if (view.storage < call_.storage_count && copies_[static_cast<size_t>(view.storage)]) return true;
    return false;
  }

  void read(const c10::IValue& value) {
    TorchCell cell{kTorchNone, 0, 0, nullptr};
    if (value.isList()) {
      const auto elements = value.toListRef();
      cell.kind = kTorchList;
      cell.integer = static_cast<int64_t>(elements.size());
      holder_.cell_list.push_back(cell);
      for (const c10::IValue& element : elements) read(element);
      return;
    }
    if (value.isTensor()) {
      if (value.toTensor().defined()) {
        cell.kind = kTorchTensor;
        cell.integer = static_cast<int64_t>(holder_.view_list.size());
        holder_.view_list.push_back(read_tensor(value.toTensor(), true));
      }
    } else if (value.isBool()) {
      cell = {kTorchBoolean, value.toBool(), 0, nullptr};
    } else if (value.isInt()) {
      cell = {kTorchInteger, value.toInt(), 0, nullptr};
    } else if (value.isDouble()) {
      cell = {kTorchReal, 0, value.toDouble(), nullptr};
    } else if (value.isString()) {
      holder_.texts.push_back(value.toStringRef());
      cell = {kTorchText, 0, 0, holder_.texts.back().c_str()};
    } else if (!value.isNone()) {
      throw Unsupported("a result is a " + value.tagKind() + ", which programs do not have");
    }
    holder_.cell_list.push_back(cell);
  }

  int32_t storage_index(const c10::Storage& storage) {
    for (size_t i = 0; i < holder_.held_storages.size(); ++i)
      if (holder_.held_storages[i].unsafeGetStorageImpl() == storage.unsafeGetStorageImpl())
        return static_cast<int32_t>(i);
    holder_.held_storages.push_back(storage);
    return static_cast<int32_t>(holder_.held_storages.size() - 1);
  }

  TorchView read_tensor(const at::Tensor& tensor, bool result) {
    if (tensor.layout() != c10::Layout::Strided || !tensor.device().is_cpu() || tensor.is_neg() ||
        tensor._is_zerotensor())
      throw Unsupported("a result is not a plain strided tensor");
    TorchView view{storage_index(tensor.storage()),
                   dtype_number(tensor.scalar_type()),
                   static_cast<int32_t>(tensor.dim()),
                   -1,
                   tensor.sizes().data(),
                   tensor.strides().data(),
                   tensor.storage_offset()};
    for (size_t i = 0; result && i < holder_.arguments.size(); ++i)
      if (holder_.arguments[i].unsafeGetTensorImpl() == tensor.unsafeGetTensorImpl())
        view.same_as = static_cast<int32_t>(i);
    const TorchStorage storage{nullptr, static_cast<int64_t>(tensor.storage().nbytes())};
    check_view(view, storage, tensor.element_size());
    holder_.tensors.push_back(tensor);
    return view;
  }

  void read_changed() {
    for (int32_t i = 0; i < call_.view_count; ++i) {
      const TorchView& before = call_.views[i];
      const at::Tensor& tensor = holder_.arguments[static_cast<size_t>(i)];
      const auto rank = static_cast<size_t>(before.rank);
      const bool same = tensor.sizes() == at::IntArrayRef(before.sizes, rank) &&
                        tensor.strides() == at::IntArrayRef(before.strides, rank) &&
                        tensor.storage_offset() == before.offset && storage_index(tensor.storage()) == before.storage;
      if (same) continue;
      TorchView after = read_tensor(tensor, false);
      after.same_as = i;
      holder_.changed_list.push_back(after);
    }
  }

  void finish() {
    for (size_t i = 0; i < holder_.held_storages.size(); ++i) {
      const c10::Storage& storage = holder_.held_storages[i];
      const bool copy = i < copies_.size() && copies_[i];
      holder_.storage_list.push_back(
          copy ? call_.storages[i]
               : TorchStorage{const_cast<void*>(storage.data()), static_cast<int64_t>(storage.nbytes())});
    }
    holder_.storages = holder_.storage_list.data();
    holder_.storage_count = static_cast<int32_t>(holder_.storage_list.size());
    holder_.views = holder_.view_list.data();
    holder_.view_count = static_cast<int32_t>(holder_.view_list.size());
    holder_.changed = holder_.changed_list.data();
    holder_.changed_count = static_cast<int32_t>(holder_.changed_list.size());
    holder_.cells = holder_.cell_list.data();
    holder_.cell_count = static_cast<int32_t>(holder_.cell_list.size());
  }

  const TorchOp& op_;
  const TorchCall& call_;
  Holder& holder_;
  std::vector<bool> copies_;
};

const char* python_type(const c10::Error& error) {
  if (dynamic_cast<const c10::IndexError*>(&error)) return "IndexError";
  if (dynamic_cast<const c10::ValueError*>(&error)) return "ValueError";
  if (dynamic_cast<const c10::TypeError*>(&error)) return "TypeError";
  if (dynamic_cast<const c10::NotImplementedError*>(&error)) return "NotImplementedError";
  if (dynamic_cast<const c10::LinAlgError*>(&error)) return "LinAlgError";
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error)) return "OutOfMemoryError";
  return "RuntimeError";
}

void fail(Holder& holder, TorchStatus status, const char* type, std::string text) {
  text.resize(std::min(text.find('\n'), text.size()));
  holder.texts.push_back(std::move(text));
  holder.status = status;
  holder.error_type = type;
  holder.error_text = holder.texts.back().c_str();
}

// OpenMP's thread number belongs to the calling thread.
void use_one_thread() {
  static thread_local bool done = false;
  if (!std::exchange(done, true)) at::set_num_threads(1);
}

}  // namespace

TorchResult* run_call(const TorchOp& op, const TorchCall& call) noexcept {
  auto* holder = new Holder();
  try {
    use_one_thread();
    const c10::InferenceMode inference;
    Call attempt(op, call, *holder);
    if (!attempt.run(op.aligned)) attempt.run(false);
  } catch (const Unsupported& error) {
    fail(*holder, kTorchUnsupported, "", error.what());
  } catch (const c10::Error& error) {
    fail(*holder, kTorchRaised, python_type(error), error.what_without_backtrace());
  } catch (const std::bad_alloc&) {
    fail(*holder, kTorchRaised, "MemoryError", "out of memory");
  } catch (const std::exception& error) {
    fail(*holder, kTorchRaised, "RuntimeError", error.what());
  } catch (...) {
    fail(*holder, kTorchRaised, "RuntimeError", "an exception of unknown type");
  }
  return holder;
}

void release_result(TorchResult* result) noexcept { delete static_cast<Holder*>(result); }

}  // namespace faultline::torch_module
