// W15: the failing set differs between identical runs. Decided from the repeats (observations.h), before any rule is
// believed.
#include "checkers/patterns/families.h"

namespace faultline {

constinit const WhereFamily where_moving{.id = "W15",
                                         .name = "moving between identical runs",
                                         .layers = "schedule.raw,schedule.sync,transfer.reorder",
                                         .propose = nullptr};

}  // namespace faultline
