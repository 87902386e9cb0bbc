// IBM Spyre: 32 cores, 128-byte sticks, DL16 arithmetic. Figures and their sources:
// https://github.com/torch-spyre/torch-spyre (docs, torch_spyre/_inductor) unless the row says otherwise; what is used
// of them: docs/sources.md, Spyre.
#include "runtime/targets/target.h"

#include "runtime/base/error.h"
#include "runtime/targets/spyre/arithmetic.h"
#include "runtime/targets/spyre/layout_policy.h"
#include "runtime/targets/spyre/superdsc.h"
#include "runtime/targets/spyre/tile_policy.h"

namespace faultline {

namespace {

constexpr std::string_view kUpstream = "https://github.com/torch-spyre/torch-spyre";

constexpr TargetOption kOptions[] = {
    {"cores", "32..1", "how many cores share the work (SENCORES)", "1", "one core", Layer::tile},
    {"lx", "on|off", "buffers may stay in a core's scratch memory between kernels (LX planning)", "off", "no residency",
     Layer::tile},
    {"fusion", "on|off", "off: one prim a kernel", "off", "fusion off", Layer::fuse},
    {"double_buffer", "off|on", "operands of several tiles get two scratch buffers"},
    {"preset", "autumn|spring", "number formats after or before June 2026"},
    {"psum", "f32|dl16", "format of partial sums"},
    {"restickify", "any|two_byte", "two_byte: as the real stack, refuses to turn the sticks of other types"},
};

constexpr TargetParameter kParameters[] = {
    {"cores", 32, "", 'V', kUpstream},
    {"stick", 128, "bytes", 'V', kUpstream},
    {"lx", 2 << 20, "bytes a core", 'V', kUpstream},
    {"lx_usable", static_cast<double>(spyre::kLxUsableBytes), "bytes a core", 'V', kUpstream},
    {"span_limit", static_cast<double>(spyre::kSpanLimitBytes), "bytes a core and tensor", 'V', kUpstream},
    {"segment", 16.0 * (1 << 30), "bytes", 'V', kUpstream},
    {"macs", 1140, "MAC/ns a core, sustained (fitted)", 'V', kUpstream},
    {"memory_bandwidth", 150, "GB/s one way (fitted)", 'V', kUpstream},
    {"lx_bandwidth", 192, "GB/s a core: 128 B a clock", 'V', kUpstream},
    {"clock", 1.5, "GHz", 'U', kUpstream},
    {"ring_bandwidth", 48, "GB/s: 32 B a clock of partial sums", 'U', kUpstream},
    {"launch", 1000, "ns", 'U', kUpstream},
};

class SpyreModel final : public TargetModel {
 public:
  explicit SpyreModel(const std::map<std::string, std::string>& options)
      : arithmetic_(quirks(options)),
        layout_(arithmetic_, options.at("restickify") == "any" ? spyre::Restickify::any : spyre::Restickify::two_byte),
        tile_({std::stoi(options.at("cores")), options.at("lx") == "on", options.at("double_buffer") == "on"}) {
    fuse_.fusion = options.at("fusion") == "on";
    schedule_.segments = 7;  // 0 to 6 hold tensors, 7 the program
  }

  const Arithmetic& arithmetic() const override { return arithmetic_; }
  const FuseOptions& fuse_options() const override { return fuse_; }
  const LayoutPolicy& layout_policy() const override { return layout_; }
  const TilePolicy& tile_policy() const override { return tile_; }
  const SchedulePolicy& schedule_policy() const override { return schedule_; }
  const DeviceParameters& device_parameters() const override { return device_; }
  std::map<std::string, int64_t> units(DType dtype) const override {
    try {
      return {{"stick", layout_.lanes(dtype)}};
    } catch (const Rejected&) {  // a type that the machine lacks
      return {};
    }
  }
  std::string descriptors(const MachineProgram& program) const override { return spyre::superdsc(program).dump(); }

 private:
  static spyre::SpyreQuirks quirks(const std::map<std::string, std::string>& options) {
    spyre::SpyreQuirks quirks = spyre::spyre_preset(options.at("preset"));
    spyre::set_quirk(quirks, "psum", options.at("psum"));
    return quirks;
  }

  spyre::SpyreArithmetic arithmetic_;
  FuseOptions fuse_;
  spyre::SpyreLayoutPolicy layout_;
  spyre::SpyreTilePolicy tile_;
  SchedulePolicy schedule_;
  DeviceParameters device_;
};

}  // namespace

constinit const Target target_spyre{
    .id = "spyre",
    .summary = "IBM Spyre: 32 cores, 128-byte sticks in LPDDR5 and LX scratch memory, DL16 arithmetic",
    .options = kOptions,
    .parameters = kParameters,
    .make = [](const std::map<std::string, std::string>& options) -> std::unique_ptr<TargetModel> {
      return std::make_unique<SpyreModel>(options);
    },
};

}  // namespace faultline
