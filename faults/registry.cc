// The table of fault rows, in the order of faults.def.
#include "faults/fault.h"
#include "taxonomy/mechanism.h"

namespace faultline {

static constexpr const Fault* kRows[] = {
#define FAULT(layer, name) &fault_##layer##_##name,
#include "faults/faults.def"
#undef FAULT
};
constinit const Table<Fault> faults{kRows};

Layer layer_of(const Fault& fault) { return *layer_from_name(fault.id.substr(0, fault.id.find('.'))); }

std::vector<std::string> settings_of(const Fault& fault) {
  std::vector<std::string> names;
  if (!std::holds_alternative<ArithmeticHook>(fault.hook)) names = {"p", "nth", "every", "times"};
  if (std::holds_alternative<TransferHook>(fault.hook)) names.emplace_back("space");
  names.insert(names.end(), fault.triggers.begin(), fault.triggers.end());
  names.emplace_back("arm");
  for (const EffectSetting& effect : fault.effects) names.emplace_back(effect.name);
  names.emplace_back("seed");
  return names;
}

std::string_view name(Expect expect) {
  constexpr std::string_view kNames[] = {"detect", "tolerate", "benign"};
  return kNames[static_cast<int>(expect)];
}

}  // namespace faultline
