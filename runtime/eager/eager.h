// Eager PyTorch as an executor of single calls, by boxed dispatch: any operator torch knows, on tensors over this
// project's storages. One thread, deterministic algorithms, inference mode, always the CPU. Torch is loaded on first
// use; without it every call is an EagerError `unavailable`, never a crash.
//
// A call that torch does not survive ends the process (see guards.h for those that are caught): hostile programs belong
// in a worker.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/eager/executor.h"
#include "runtime/ir/schema/schema.h"

namespace faultline {

struct EagerStatus {
  bool available = false;
  std::string why_not;         // "this build has no torch"
  std::string version;         // "2.13.0"
  std::string cpu_capability;  // "AVX512"; torch's choice of kernels, part of what a result depends on
};
// Loads torch.
EagerStatus eager_status();

// Of torch itself, not of the compiled-in table; names as "aten.add.Tensor". False or empty without torch.
bool op_exists(std::string_view target);
std::vector<std::string> op_names();
// The table's schema, or for an operator outside of it torch's own, parsed. Null for an unknown operator and for one
// whose types programs do not have.
const OpSchema* eager_schema(std::string_view target);

// Sets torch's generator, on which only operators tagged nondeterministic_seeded depend.
void eager_seed(uint64_t seed);

class EagerExecutor final : public OpExecutor {
 public:
  void seed(uint64_t seed) override { eager_seed(seed); }
  OpResult call(std::string_view target, const ValueList& arguments) override;
};

// One call with arguments as a person writes them: by position, by keyword, defaults left out, an int where a float or
// a list of ints is meant. A call that does not fit the schema is an EagerError like torch's own.
OpResult eager_call(std::string_view target, const ValueList& arguments,
                    std::span<const std::pair<std::string, Value>> keywords = {});

}  // namespace faultline
