// The closed set of scalar functions and reductions that prims and kernels use (function.def).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace faultline {

enum class Function : uint8_t {
#define FUNCTION(name, arity, kind) name,
#include "runtime/ir/function.def"
#undef FUNCTION
};

enum class FunctionKind : uint8_t { arithmetic, order, special, integer, compare, move };

struct FunctionRow {
  std::string_view name;
  int arity;
  FunctionKind kind;
};

const FunctionRow& row(Function function);
std::string_view name(Function function);
std::optional<Function> function_from_name(std::string_view text);
int function_count();

// argmax and argmin keep (value, index) and return the first index of the extreme value, NaN counting as extreme, as
// PyTorch.
enum class Reduction : uint8_t { sum, prod, max, min, any, all, argmax, argmin };
inline constexpr int kReductionCount = 8;

std::string_view name(Reduction reduction);
std::optional<Reduction> reduction_from_name(std::string_view text);

}  // namespace faultline
