// Runs a whole Program statement by statement with an executor: the "eager" rung of the ladder, what every backend is
// held against.
//
// Names are bound to objects, as in Python: an in-place operator's result is its argument, an attribute keeps the very
// tensor that was written to it, and a tensor that is reshaped in place is so under all its names.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/eager/executor.h"
#include "runtime/ir/program.h"

namespace faultline {

// `alias` says what the tensor shares storage with: "input x", "attribute count", "output y" (the first that does, in
// this order, and earlier ones only), or nothing.
struct NamedValue {
  std::string name;
  Value value;
  std::string alias;
};

// A snapshot: nothing here shares memory with the interpreter or with a later outcome; tensors that shared storage
// still do.
struct CallOutcome {
  std::vector<NamedValue> outputs;       // in the order of `return`; empty after an error
  std::vector<NamedValue> inputs_after;  // every parameter as the caller sees it after the call, also after an error
  std::vector<NamedValue> attributes_after;  // by name
  std::optional<EagerError> error;
  int error_statement = -1;  // in reading order, counting the statements inside an `if`
};

class EagerInterpreter {
 public:
  // `attributes` is the state before the first call, which is copied. `program` and `executor` outlive this object.
  EagerInterpreter(const Program& program, OpExecutor& executor, const std::map<std::string, Value>& attributes);

  // One call; state carries over to the next. `inputs` has a value a parameter, tensors of aliased parameters over one
  // storage. Writes go through to their storages.
  CallOutcome run(const ValueList& inputs);

 private:
  using Object = std::shared_ptr<Value>;
  using Failure = std::optional<EagerError>;

  Failure run_block(const std::vector<Statement>& block, int first_number);
  Failure run_statement(const Statement& statement, int number);
  Failure run_call(const CallStatement& call);
  Failure run_item(const ItemStatement& item);
  Failure run_scalar(const ScalarStatement& scalar);
  Failure run_if(const IfStatement& branch, int number);
  Failure bind_results(const CallStatement& call, OpResult result, const std::vector<Object>& operands);

  const Object& object(const std::string& name) const;
  Scalar scalar(const Argument& argument) const;
  Value resolve(const Argument& argument, std::vector<Object>& operands) const;
  CallOutcome outcome(const std::vector<Object>& inputs, Failure failure) const;

  const Program& program_;
  OpExecutor& executor_;
  std::map<std::string, Object> names_, attributes_;
  int failed_statement_ = -1;
  uint64_t calls_ = 0;
};

// The attributes of a program whose bytes are all there (a .pt2's, or generated already).
std::map<std::string, Value> attribute_values(const Program& program);

// How many statements a block has, those inside an `if` included.
int statement_count(const std::vector<Statement>& block);

}  // namespace faultline
