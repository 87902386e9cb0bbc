// The signal that a core's copies in are done is lost on its way: whoever waits for it waits for ever.
#include "faults/transfer_sites.h"

namespace faultline {

static bool applies(const TransferSite& site) {
  return site.kind == TransferSite::Kind::signal && site.channel == static_cast<int>(Engine::load);
}

static TransferAnswer answer(const TransferSite&, const FaultSpec&) { return {.drop = true}; }

extern const Fault fault_transfer_signal_lost;
constinit const Fault fault_transfer_signal_lost{
    .id = "transfer.signal_lost",
    .summary = "the signal that copies in are done is lost",
    .mechanism = "transfer.queue_lost",
    .origin = "constructed: a notification that arrives while its queue is full is dropped",
    .targets = "any",
    .hook = TransferHook{applies, answer},
    .example = "def f(x: f16[5,67]): y = aten.neg(x); return y",
};

}  // namespace faultline
