// Options and promises.
#include "runtime/backends/external/torch_compile.h"

namespace faultline {

static nlohmann::json dynamic_settings(std::string_view value) {
  if (value == "auto") return {{"dynamic", "auto"}};
  if (value == "on") return {{"dynamic", true}};
  if (value == "off") return {{"dynamic", false}};
  return nullptr;
}

// `on` sets what is given, `off` nothing.
static nlohmann::json switched(std::string_view value, const nlohmann::json& settings) {
  if (value == "on") return settings;
  return value == "off" ? nlohmann::json::object() : nlohmann::json();
}

constinit const std::array<BackendOption, 5> kTorchOptions = {{
    {"dynamic", "auto, on or off", "whether sizes are symbols", dynamic_settings},
    {"fullgraph", "off or on", "a graph break is an error",
     [](std::string_view value) { return switched(value, {{"fullgraph", true}}); }},
    {"freezing", "off or on", "weights are constants of the program",
     [](std::string_view value) { return switched(value, {{"inductor", {{"freezing", true}}}}); }},
    {"max_autotune", "off or on", "templates of matrix products compete",
     [](std::string_view value) { return switched(value, {{"inductor", {{"max_autotune", true}}}}); }},
    {"grad", "off or on", "inputs of floats require gradients, which are compared (Python files)",
     [](std::string_view value) { return switched(value, {{"grad", true}}); }},
}};

const Arithmetic& torch_arithmetic() { return host_arithmetic(); }

ErrorProfile torch_profile() {
  ErrorProfile profile;
  profile.exact_sums = false;
  profile.own_type_sums = true;
  profile.subnormals_lost = true;
  return profile;
}

}  // namespace faultline
