// Which requests of the device fault rows of `transfer` strike: names for what TransferSite says by kind, core and
// channel.
#pragma once

#include "faults/fault.h"
#include "runtime/layers/schedule/machine_program.h"

namespace faultline {

inline bool is_engine_copy(const TransferSite& site, Engine engine) {
  return site.kind == TransferSite::Kind::descriptor && site.channel == static_cast<int>(engine) && site.bytes > 0;
}
inline bool is_copy_to_host(const TransferSite& site) {
  return site.kind == TransferSite::Kind::device_to_host && site.bytes > 0;
}
// The completion of a launch, and that of a compute instruction.
inline bool is_launch_reply(const TransferSite& site) {
  return site.kind == TransferSite::Kind::completion && site.core < 0;
}
inline bool is_compute(const TransferSite& site) {
  return site.kind == TransferSite::Kind::completion && site.core >= 0;
}

}  // namespace faultline
