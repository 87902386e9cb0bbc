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

// What torch's own kernels do, and code that compilers put in their place. They may take other legal formulas than
// decompose does, and their sums need not be those whose partial sums are exact: the running mean of layer_norm,
// m += (x - m) / k, errs by u(n + 4 + 2 ln n) sum|x| / n at most, which is within four times u n sum|x| / n. The vector
// erf is a polynomial (Abramowitz and Stegun 7.1.26) that is only absolutely accurate; bf16 products and activations
// are the machine's (oneDNN), which may know no subnormals. Observed of torch 2.13: silu is x / (1 + exp(-x)), which is
// 0 once exp(-x) overflows, though exp(x) is a subnormal there; sinh and cosh are infinite where exp overflows;
// remainders are NaN where the quotient overflows; gelu of an infinity is NaN; contractions skip padding and inserted
// zeros whatever stands beside them, and running means are NaN from an infinity on.
ErrorProfile torch_profile() {
  ErrorProfile profile;
  profile.exact_sums = false;
  profile.own_type_sums = true;
  profile.subnormals_lost = true;
  profile.absolute_error[Function::erf] = 1.5e-7;
  profile.erf_of_infinity = false;
  profile.zero_products_skipped = true;
  profile.infinities_add_up = false;
  profile.overflow_from = {{Function::sinh, 0.5}, {Function::cosh, 0.5}, {Function::fmod, 1}, {Function::remainder, 1}};
  return profile;
}

}  // namespace faultline
