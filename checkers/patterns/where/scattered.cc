// W13: no rule beats the list of the wrong elements. Decided by the absence of a rule; observations.h says how evenly
// they lie.
#include "checkers/patterns/families.h"

namespace faultline {

constinit const WhereFamily where_scattered{
    .id = "W13", .name = "scattered", .layers = "numerics.flip1,numerics.flipn,schedule.raw", .propose = nullptr};

}  // namespace faultline
