// The rules by which published tools call a result right, written anew from their descriptions (each row has its page).
// They stand beside the oracle when it is scored; nothing in a verdict comes from them.
#pragma once

#include <span>
#include <string_view>

#include "runtime/base/table.h"
#include "runtime/ir/dtype.h"

namespace faultline {

struct RuleInput {
  DType dtype = DType::f32;
  std::span<const double> result;
  std::span<const double> reference;  // eager's: the same type, conforming
  std::span<const double> exact;      // without roundings
};

struct Rule {
  std::string_view id;
  std::string_view summary;  // what passes
  std::string_view source;
  bool (*passes)(const RuleInput& input) = nullptr;
};

#define RULE(name) extern const Rule rule_##name;
#include "checkers/score/rules/rules.def"
#undef RULE
extern const Table<Rule> rules;

// Every element: |result - reference| <= absolute + relative * |reference|; infinities equal, NaN with NaN.
bool all_close(const RuleInput& input, double absolute, double relative);
// Every element: within one of the two.
bool all_within_either(const RuleInput& input, double absolute, double relative);

}  // namespace faultline
