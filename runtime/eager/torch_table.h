// The border between this project and torch: plain structs and noexcept functions, no C++ type of either side. The
// module `faultline_torch` exports faultline_torch_table(); runtime/eager/module.cc opens it. Both are built from this
// file, so the size check guards against a module left over from another build.
//
// A call: storages (bytes of the caller), views into them, and cells, which are the arguments in schema order. A result
// has the same shape; its memory belongs to the module until release().
#pragma once

#include <cstdint>

extern "C" {

struct TorchStorage {
  void* data;
  int64_t bytes;
};

// `storage` indexes the storages; `dtype` is faultline::DType's number.
struct TorchView {
  int32_t storage;
  int32_t dtype;
  int32_t rank;
  int32_t same_as;  // of a result: the argument view that is this very tensor object, or -1
  const int64_t* sizes;
  const int64_t* strides;
  int64_t offset;
};

enum TorchCellKind : int32_t {
  kTorchNone,
  kTorchBoolean,
  kTorchInteger,
  kTorchReal,
  kTorchText,
  kTorchDType,
  kTorchTensor,
  kTorchList
};

// A tensor's `integer` is the index of its view; a list's is the number of elements, which follow it (lists do not
// nest).
struct TorchCell {
  TorchCellKind kind;
  int64_t integer;
  double real;
  const char* text;
};

struct TorchCall {
  const TorchStorage* storages;
  const TorchView* views;
  const TorchCell* cells;
  int32_t storage_count, view_count, cell_count;
};

enum TorchStatus : int32_t {
  kTorchOk,
  kTorchRaised,       // torch raised: error_type is what Python would show ("IndexError"), error_text one line
  kTorchUnsupported,  // an argument or a result has a type that the table cannot carry; nothing is known about torch's
                      // verdict
};

// Storages: first those of the call (data and size as they are now: a resize may have moved them), then fresh ones.
// `views` are the results' tensors; `changed` the arguments' views whose sizes, strides or offset the call changed
// (same_as says which).
struct TorchResult {
  TorchStatus status;
  const char* error_type;
  const char* error_text;
  const TorchStorage* storages;
  const TorchView* views;
  const TorchView* changed;
  const TorchCell* cells;
  int32_t storage_count, view_count, changed_count, cell_count;
};

struct TorchOp;

struct TorchTable {
  int64_t struct_size;
  const char* version;         // "2.13.0"
  const char* cpu_capability;  // "AVX512"
  int32_t op_count;
  const char* const* op_names;  // "aten::add.Tensor", sorted

  // Null for an unknown name. Handles hold for ever.
  const TorchOp* (*find_op)(const char* name, const char* overload);
  // As torch prints it; and its tags, sorted, separated by spaces. Both hold for ever.
  const char* (*schema)(const TorchOp* op);
  const char* (*tags)(const TorchOp* op);
  bool (*has_cpu_kernel)(const TorchOp* op);  // its own, or through composite ones
  TorchResult* (*call)(const TorchOp* op, const TorchCall* call);
  void (*release)(TorchResult* result);
  void (*seed)(uint64_t seed);  // torch's CPU generator
};

const TorchTable* faultline_torch_table();
}
