// Names as the interface's list of operation functions has them; a function without one there keeps its own.
#include "runtime/targets/spyre/superdsc_names.h"

#include <fmt/format.h>

namespace faultline::spyre {

using Json = nlohmann::ordered_json;

std::string data_format(DType dtype) {
  switch (dtype) {
    case DType::f32: return "IEEE_FP32";
    case DType::i64:
    case DType::i32: return "IEEE_INT32";  // what it is stored as
    case DType::i8: return "SENINT8";
    default: return "SEN169_FP16";
  }
}

static std::string function_name(Function function) {
  switch (function) {
    case Function::div: return "realdiv";
    case Function::select: return "where3";
    case Function::not_equal: return "notequal";
    case Function::less_equal: return "lesserequal";
    case Function::greater_equal: return "greaterequal";
    default: return std::string(name(function));
  }
}

static std::string reduction_name(const Kernel& kernel, bool reduces_sticks) {
  if (kernel.kernel_class == KernelClass::contraction) return "batchmatmul";
  return std::string(name(kernel.reduction->reduction)) + (reduces_sticks ? "" : "nonstick");
}

std::string main_operation(const Kernel& kernel, bool reduces_sticks) {
  if (kernel.reduction) return reduction_name(kernel, reduces_sticks);
  std::string last = "identity";
  for (const ScalarNode& node : kernel.nodes)
    if (node.kind == ScalarNode::Kind::apply) last = function_name(node.function);
  return last;
}

namespace {

class Operations {
 public:
  Operations(const Kernel& kernel, bool matrix, bool reduces_sticks, const TensorNames& names)
      : kernel_(kernel), matrix_(matrix), reduces_sticks_(reduces_sticks), names_(names) {}

  Json take() {
    for (int n = 0; n < std::ssize(kernel_.nodes); ++n) {
      const ScalarNode& node = kernel_.nodes[n];
      const bool product = kernel_.kernel_class == KernelClass::contraction && kernel_.reduction->node == n;
      if (node.kind == ScalarNode::Kind::apply && !product) add("sfp", function_name(node.function), node.operands, n);
      if (node.kind != ScalarNode::Kind::reduced) continue;
      const int reduced = kernel_.reduction->node;
      if (kernel_.kernel_class == KernelClass::contraction)
        add(matrix_ ? "pt" : "sfp", reduction_name(kernel_, reduces_sticks_), kernel_.nodes[reduced].operands, n);
      else
        add("sfp", reduction_name(kernel_, reduces_sticks_), {reduced}, n);
    }
    for (const KernelStore& store : kernel_.stores)
      if (kernel_.nodes[store.node].kind == ScalarNode::Kind::load) add("sfp", "identity", {store.node}, store.node);
    return std::move(made_);
  }

 private:
  void add(const char* unit, const std::string& operation, const std::vector<int>& operands, int result) {
    Json inputs = Json::array(), outputs = Json::array();
    for (const int operand : operands) inputs.push_back(value_name(operand));
    for (int s = 0; s < std::ssize(kernel_.stores); ++s)
      if (kernel_.stores[s].node == result) outputs.push_back(names_.stores.at(s));
    if (outputs.empty()) outputs.push_back(fmt::format("%{}", result));
    made_.push_back(
        {{"exUnit", unit},
         {"opFuncName", operation},
         {"attributes_", {{"dataFormat_", data_format(kernel_.nodes[result].dtype)}, {"fidelity_", "regular"}}},
         {"location", "Inner"},
         {"inputLabeledDs", inputs},
         {"outputLabeledDs", outputs}});
  }
  std::string value_name(int node) const {
    if (const auto found = names_.loads.find(node); found != names_.loads.end()) return found->second;
    const ScalarNode& value = kernel_.nodes[node];
    return value.kind == ScalarNode::Kind::literal ? to_text(value.literal) : fmt::format("%{}", node);
  }

  const Kernel& kernel_;
  bool matrix_, reduces_sticks_;
  const TensorNames& names_;
  Json made_ = Json::array();
};

}  // namespace

Json compute_operations(const Kernel& kernel, bool matrix, bool reduces_sticks, const TensorNames& names) {
  return Operations(kernel, matrix, reduces_sticks, names).take();
}

}  // namespace faultline::spyre
