// Options and promises.
#include "runtime/backends/external/torch_compile.h"

namespace faultline {

static nlohmann::json dynamic_settings(std::string_view value) {
  if (value == "auto") return {{"dynamic", "auto"}};
  if (value == "on") return {{"dynamic", true}};
  if (value == "off") return {{"dynamic", false}};
  return nullptr;
}

constinit const std::array<BackendOption, 1> kTorchOptions = {
    {{"dynamic", "auto, on or off", "whether sizes are symbols", dynamic_settings}}};

const Arithmetic& torch_arithmetic() { return host_arithmetic(); }

ErrorProfile torch_profile() {
  ErrorProfile profile;
  profile.exact_sums = false;
  profile.own_type_sums = true;
  profile.subnormals_lost = true;
  return profile;
}

}  // namespace faultline
