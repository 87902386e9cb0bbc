// W12: the wrong bytes are not the output's: padding, or an input that the call must not change. No rule of its own:
// the elements come as a case with a `place`, any rule may name them, and the report gives them this family's
// suggestions.
#include "checkers/patterns/families.h"

namespace faultline {

constinit const WhereFamily where_elsewhere{.id = "W12",
                                            .name = "padding or input, not output",
                                            .layers = "schedule.mask,decompose.copyback",
                                            .propose = nullptr};

}  // namespace faultline
