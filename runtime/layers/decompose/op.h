// The op table: how each ATen op becomes prims. One row an op, all its overloads; its in-place form (add_ for add)
// needs no row.
//
// A row computes the result out of place. decompose() turns an in-place call into that result, cast to the tensor's
// dtype, written to the tensor.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "runtime/base/table.h"
#include "runtime/layers/decompose/bound_call.h"

namespace faultline {

using Lowered = std::vector<TensorValue>;

// pointwise: one element from one of each operand. view: shares the operand's storage where eager does.
enum class OpFamily : uint8_t {
  pointwise,
  reduction,
  normalisation,
  contraction,
  view,
  movement,
  indexing,
  creation,
  check
};
std::string_view name(OpFamily family);

struct OpRow {
  std::string_view id;  // "add": the ATen name without overload and in-place underscore
  std::string_view summary;
  OpFamily family = OpFamily::pointwise;
  std::span<const std::string_view> synonyms = {};  // other ATen names of the same op: "clip"
  Lowered (*lower)(Builder&, const BoundCall&) = nullptr;
  bool own_type_sums = false;  // eager rounds partial sums to the tensor's type: observed of torch 2.13 on CPU
  std::span<const std::string_view> samples = {};  // program text; '$' stands for the id
  bool writes = false;  // itself, what the schema says is written; without it only an in-place form may write
};

#define OP(name) extern const OpRow op_##name;
#include "runtime/layers/decompose/ops.def"
#undef OP
extern const Table<OpRow> ops;

// The row of "aten.add_.Tensor", or null. `in_place` is set when the op is the in-place form of the row's.
const OpRow* find_op(std::string_view target, bool* in_place = nullptr);
// Of the call that a node comes from: its row's own_type_sums.
bool has_own_type_sums(const PrimGraph& graph, int node);

}  // namespace faultline
