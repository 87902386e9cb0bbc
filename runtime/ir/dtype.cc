// Names of element types, and torch's promotion table as rules.
#include "runtime/ir/dtype.h"

#include <algorithm>

namespace faultline {

static constexpr std::string_view kNames[kDTypeCount] = {"f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2",
                                                         "i64", "i32", "i16", "i8",   "u8",     "bool"};

std::string_view name(DType dtype) { return kNames[static_cast<int>(dtype)]; }

std::optional<DType> dtype_from_name(std::string_view text) {
  const auto* found = std::find(std::begin(kNames), std::end(kNames), text);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<DType>(found - std::begin(kNames));
}

// torch.promote_types; two different 8- or 16-bit floats meet in f32 (fp8 pairs are an error in torch: its callers
// reject).
DType promote(DType a, DType b) {
  if (a == b) return a;
  if (is_float(a) && is_float(b)) {
    if (a == DType::f64 || b == DType::f64) return DType::f64;
    return DType::f32;
  }
  if (is_float(a)) return a;
  if (is_float(b)) return b;
  if (a == DType::boolean) return b;
  if (b == DType::boolean) return a;
  if (a == DType::u8 || b == DType::u8) {
    const DType other = a == DType::u8 ? b : a;
    return other == DType::i8 ? DType::i16 : other;
  }
  return std::min(a, b);  // signed integers stand in falling width
}

}  // namespace faultline
