// Control: the reply of a launch takes longer than usual, which nobody has ruled out. Everything happens in order, so
// whoever accuses this raises a false alarm.
#include "faults/transfer_sites.h"

namespace faultline {

static bool applies(const TransferSite& site) { return is_launch_reply(site); }

static TransferAnswer answer(const TransferSite&, const FaultSpec& spec) { return {.delay = spec.ticks.value_or(500)}; }

static constexpr EffectSetting kEffects[] = {{"ticks", &FaultSpec::ticks, 1, 0x7fffffff}};

extern const Fault fault_transfer_ctl_late_reply;
constinit const Fault fault_transfer_ctl_late_reply{
    .id = "transfer.ctl_late_reply",
    .summary = "the reply of a launch comes late, within what the host allows",
    .mechanism = "transfer.slow",
    .origin = "constructed: a control; how long a reply takes is not promised",
    .targets = "any",
    .expect = Expect::benign,
    .hook = TransferHook{applies, answer},
    .example = "def f(x: f16[5,67]): y = aten.neg(x); return y",
    .effects = kEffects,
};

}  // namespace faultline
