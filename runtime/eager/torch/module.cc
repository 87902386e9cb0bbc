// The one exported function of the module, and torch's settings: one thread, deterministic algorithms, silent warnings.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Version.h>
#include <c10/util/Exception.h>
#include <torch/headeronly/version.h>

#include <algorithm>

#include "runtime/eager/torch/operator.h"

namespace faultline::torch_module {
namespace {

class SilentWarnings : public c10::WarningHandler {
 public:
  void process(const c10::Warning&) override {}
};

// Deterministic algorithms only warn where there is none: raising would be an error that the user's eager run does not
// have.
void set_up() {
  static SilentWarnings silent;
  c10::WarningUtils::set_warning_handler(&silent);
  at::globalContext().setDeterministicAlgorithms(true, true);
  at::globalContext().setDeterministicFillUninitializedMemory(true);
}

const std::vector<std::string>& operator_names() {
  static const auto& names = *new std::vector<std::string>([] {
    std::vector<std::string> found;
    for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames())
      found.push_back(name.overload_name.empty() ? name.name : name.name + "." + name.overload_name);
    std::sort(found.begin(), found.end());
    return found;
  }());
  return names;
}

TorchTable make_table() {
  static const std::string capability = at::get_cpu_capability();
  static const auto& names = *new std::vector<const char*>([] {
    std::vector<const char*> pointers;
    for (const std::string& name : operator_names()) pointers.push_back(name.c_str());
    return pointers;
  }());
  TorchTable table{};
  table.struct_size = sizeof(TorchTable);
  table.version = TORCH_VERSION;
  table.cpu_capability = capability.c_str();
  table.op_count = static_cast<int32_t>(names.size());
  table.op_names = names.data();
  table.find_op = [](const char* name, const char* overload) noexcept { return find_operator(name, overload); };
  table.schema = [](const TorchOp* op) noexcept { return op->schema.c_str(); };
  table.tags = [](const TorchOp* op) noexcept { return op->tags.c_str(); };
  table.has_cpu_kernel = [](const TorchOp* op) noexcept {
    return op->handle.hasComputedKernelForDispatchKey(c10::DispatchKey::CPU);
  };
  table.call = [](const TorchOp* op, const TorchCall* call) noexcept { return run_call(*op, *call); };
  table.release = [](TorchResult* result) noexcept { release_result(result); };
  table.seed = [](uint64_t seed) noexcept {
    at::Generator generator = at::globalContext().defaultGenerator(c10::kCPU);
    const std::lock_guard lock(generator.mutex());
    generator.set_current_seed(seed);
  };
  return table;
}

}  // namespace
}  // namespace faultline::torch_module

extern "C" __attribute__((visibility("default"))) const TorchTable* faultline_torch_table() {
  try {
    static const TorchTable table = [] {
      faultline::torch_module::set_up();
      return faultline::torch_module::make_table();
    }();
    return &table;
  } catch (...) {
    return nullptr;
  }
}
