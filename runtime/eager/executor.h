// One call of an operator, whoever runs it: eager torch, or something that watches or replaces it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/eager/value.h"

namespace faultline {

// Torch's "no", as data. `raised`: torch raised, `type` is the exception Python would show. `unsupported`: this project
// cannot ask torch (a type that programs lack, a call that would end the process), so eager's behaviour is unknown.
// `unavailable`: no torch.
struct EagerError {
  enum class Kind : uint8_t { raised, unsupported, unavailable };
  Kind kind = Kind::raised;
  std::string type;  // "RuntimeError", "IndexError", ...; empty unless raised
  std::string text;  // one line
};
std::string to_text(const EagerError& error);

// `outputs` has one value a return of the schema. A tensor that shares memory with an argument holds the identical
// storage pointer; outputs that share a fresh storage share one pointer; strides and offset are torch's.
struct OpResult {
  ValueList outputs;
  // For each tensor of `outputs` (tensors_of): the argument tensor (index into tensors_of(arguments)) that is this very
  // object, as an in-place operator returns; otherwise -1.
  std::vector<int> same_as;
  // Argument tensors whose sizes, strides, offset or storage the call changed (resize_, t_, set_), by the same index.
  std::vector<std::pair<int, Tensor>> changed;
  std::optional<EagerError> error;  // set: the rest is empty, but storages of written arguments may have been touched
};

class OpExecutor {
 public:
  virtual ~OpExecutor() = default;
  // Starts the stream of random numbers anew; only operators tagged nondeterministic_seeded depend on it.
  virtual void seed(uint64_t) {}
  // `target` is "aten.add.Tensor"; `arguments` has one value an argument of the schema, defaults filled in
  // (bind_arguments). Writes go through to the storages of `arguments`.
  virtual OpResult call(std::string_view target, const ValueList& arguments) = 0;
};

}  // namespace faultline
