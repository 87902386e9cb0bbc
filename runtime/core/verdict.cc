// Names and exit codes of outcomes.
#include "runtime/core/verdict.h"

#include <iterator>

namespace faultline {

namespace {

struct OutcomeRow {
  std::string_view name;
  int exit_code;
};

constexpr OutcomeRow kOutcomes[] = {
    {"pass", 0},      {"wrong_value", 1}, {"wrong_metadata", 1}, {"lost_mutation", 1},
    {"rejected", 17}, {"crashed", 14},    {"hung", 15},          {"nondeterministic", 1},
    {"slow", 16},     {"untrusted", 13},  {"unknown", 13},       {"detected", 0},
    {"missed", 10},   {"masked", 0},      {"false_alarm", 11},   {"not_exercised", 12},
};
static_assert(std::size(kOutcomes) == static_cast<size_t>(Outcome::not_exercised) + 1);

}  // namespace

std::string_view name(Outcome outcome) { return kOutcomes[static_cast<int>(outcome)].name; }
int exit_code(Outcome outcome) { return kOutcomes[static_cast<int>(outcome)].exit_code; }

}  // namespace faultline
