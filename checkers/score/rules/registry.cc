// The table of rules, in the order of rules.def, and what several of them share.
#include <algorithm>
#include <cmath>

#include "checkers/score/rules/rule.h"

namespace faultline {

static constexpr const Rule* kRows[] = {
#define RULE(name) &rule_##name,
#include "checkers/score/rules/rules.def"
#undef RULE
};
constinit const Table<Rule> rules{kRows};

namespace {

// Of every element: equal, both NaN, or `close` of the difference and the reference's magnitude.
template <class Close>
bool every(const RuleInput& input, const Close& close) {
  for (size_t i = 0; i < input.result.size(); ++i) {
    const double a = input.result[i], b = input.reference[i];
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const double difference = std::abs(a - b);
    if (!std::isfinite(difference) || !close(difference, std::abs(b))) return false;
  }
  return true;
}

}  // namespace

bool all_close(const RuleInput& input, double absolute, double relative) {
  return every(input,
               [=](double difference, double magnitude) { return difference <= absolute + relative * magnitude; });
}

bool all_within_either(const RuleInput& input, double absolute, double relative) {
  return every(input, [=](double difference, double magnitude) {
    return difference <= absolute || difference <= relative * magnitude;
  });
}

}  // namespace faultline
