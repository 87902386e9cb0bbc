// Names of statuses as people read them.
#include "runtime/backends/worker/message.h"

namespace faultline {

std::string_view name(RunReply::Status status) {
  constexpr std::string_view names[] = {"ok",        "rejected",      "raised",  "crashed",
                                        "timed out", "out of memory", "garbage", "unavailable"};
  return names[static_cast<int>(status)];
}

}  // namespace faultline
