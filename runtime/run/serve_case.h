// Programs that another program brings with their data, on a modelled target, faults included: no reference, no
// verdict, only what comes out.
#pragma once

#include "runtime/backends/worker/message.h"

namespace faultline {

// `form` is "text" and `program` program text; settings are "on" ("spyre(cores=1)"), "memory" and "faults", a list, as
// in a case. Each call has one argument for each parameter, and stands for itself: nothing is left of the one before.
// Never throws for what the request asks; what the target refuses is `rejected`, how it stops is `raised`.
RunReply run_on_target(const RunRequest& request);

}  // namespace faultline
