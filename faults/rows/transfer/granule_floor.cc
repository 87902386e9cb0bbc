// The length of a copy from the host is rounded down to whole granules, so what does not fill the last one stays
// behind.
#include "faults/transfer_sites.h"

namespace faultline {

constexpr int64_t kGranule = 128;

static bool applies(const TransferSite& site) {
  return site.kind == TransferSite::Kind::host_to_device && site.bytes % kGranule != 0;
}

static TransferAnswer answer(const TransferSite& site, const FaultSpec&) {
  return {.keep_bytes = site.bytes - site.bytes % kGranule};
}

extern const Fault fault_transfer_granule_floor;
constinit const Fault fault_transfer_granule_floor{
    .id = "transfer.granule_floor",
    .summary = "a copy from the host moves whole 128-byte granules only",
    .mechanism = "transfer.short",
    .origin = "https://github.com/jax-ml/jax/issues/39505",
    .targets = "any",
    .hook = TransferHook{applies, answer},
    .example = "def f(x: f16[67]): y = aten.neg(x); return y",
};

}  // namespace faultline
