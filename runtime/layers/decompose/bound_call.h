// One call of a segment with its arguments by name, as an op row reads them. Asking for an argument that the overload
// does not have, or as another type than it has, throws Rejected: the row does not know this overload.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/ir/schema/schema.h"
#include "runtime/ir/segment.h"
#include "runtime/layers/decompose/builder.h"

namespace faultline {

// What an arithmetic op works on: a tensor or a Python number.
struct Operand {
  std::optional<TensorValue> tensor;
  Scalar scalar = int64_t{0};
};

class BoundCall {
 public:
  // `values` are the segment's values so far, and outlive this object; likewise the call and the schema.
  BoundCall(const SegmentCall& call, const OpSchema& schema, std::span<const TensorValue> values)
      : call_(call), schema_(schema), values_(values) {}

  const std::string& target() const { return call_.target; }
  const std::string& overload() const { return schema_.overload; }
  size_t result_count() const { return call_.results.size(); }

  bool has(std::string_view argument) const { return index_of(argument) >= 0; }
  bool given(std::string_view argument) const;  // has it, and it is not None

  const TensorValue& tensor(std::string_view argument) const;
  const TensorType& type(std::string_view argument) const { return tensor(argument).type; }
  std::optional<TensorValue> optional_tensor(std::string_view argument) const;
  std::vector<std::optional<TensorValue>> tensors(std::string_view argument) const;
  Operand operand(std::string_view argument) const;  // a tensor or a scalar
  std::optional<Operand> optional_operand(std::string_view argument) const;

  Scalar scalar(std::string_view argument) const;
  int64_t integer(std::string_view argument) const;
  double real(std::string_view argument) const;
  bool boolean(std::string_view argument) const;
  std::vector<int64_t> integers(std::string_view argument) const;
  std::vector<double> reals(std::string_view argument) const;
  std::vector<bool> booleans(std::string_view argument) const;
  std::string word(std::string_view argument, std::string_view absent = "") const;
  DType dtype(std::string_view argument, DType absent) const;

  // The dim counted from the front; throws Rejected out of range. A rank of 0 counts as 1.
  int dim(std::string_view argument, int rank) const;
  // A list of dims, sorted; None and the empty list give `absent_all ? every dim : none`.
  std::vector<int64_t> dims(std::string_view argument, int rank, bool absent_all = true) const;

  // Why this call cannot be taken.
  [[noreturn]] void reject(const std::string& why) const;

 private:
  int index_of(std::string_view argument) const;
  const SegmentArgument& at(std::string_view argument) const;
  const TensorValue* as_tensor(const SegmentArgument& argument) const;

  const SegmentCall& call_;
  const OpSchema& schema_;
  std::span<const TensorValue> values_;
};

double to_real(const Scalar& scalar);
int wrap_dim(int64_t dim, int rank);  // -1 when out of range

}  // namespace faultline
