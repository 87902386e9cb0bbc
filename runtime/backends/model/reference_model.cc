// Only arithmetic and units.
#include "runtime/backends/model/reference_model.h"

#include "runtime/base/error.h"

namespace faultline {

namespace {

[[noreturn]] void absent(const char* what) {
  FAULTLINE_CHECK(false, what);
  std::abort();
}

class ReferenceModel final : public TargetModel {
 public:
  explicit ReferenceModel(const Arithmetic& arithmetic) : arithmetic_(arithmetic) {}

  const Arithmetic& arithmetic() const override { return arithmetic_; }
  const FuseOptions& fuse_options() const override { absent("fuse"); }
  const LayoutPolicy& layout_policy() const override { absent("layout"); }
  const TilePolicy& tile_policy() const override { absent("tile"); }
  const SchedulePolicy& schedule_policy() const override { absent("schedule"); }
  const DeviceParameters& device_parameters() const override { absent("device"); }
  std::map<std::string, int64_t> units(DType dtype) const override { return {{"vector", 64 / byte_size(dtype)}}; }

 private:
  const Arithmetic& arithmetic_;
};

}  // namespace

std::unique_ptr<TargetModel> reference_model(const Arithmetic& arithmetic) {
  return std::make_unique<ReferenceModel>(arithmetic);
}

}  // namespace faultline
