// Look-ups in function.def; the tables are small enough for a linear walk.
#include "runtime/ir/function.h"

#include <iterator>

namespace faultline {

static constexpr FunctionRow kRows[] = {
#define FUNCTION(name, arity, kind) {#name, arity, FunctionKind::kind},
#include "runtime/ir/function.def"
#undef FUNCTION
};

static constexpr std::string_view kReductions[kReductionCount] = {"sum", "prod", "max",    "min",
                                                                  "any", "all",  "argmax", "argmin"};

const FunctionRow& row(Function function) { return kRows[static_cast<int>(function)]; }
std::string_view name(Function function) { return row(function).name; }
int function_count() { return static_cast<int>(std::size(kRows)); }

std::optional<Function> function_from_name(std::string_view text) {
  for (int i = 0; i < function_count(); ++i)
    if (kRows[i].name == text) return static_cast<Function>(i);
  return std::nullopt;
}

std::string_view name(Reduction reduction) { return kReductions[static_cast<int>(reduction)]; }

std::optional<Reduction> reduction_from_name(std::string_view text) {
  for (int i = 0; i < kReductionCount; ++i)
    if (kReductions[i] == text) return static_cast<Reduction>(i);
  return std::nullopt;
}

}  // namespace faultline
