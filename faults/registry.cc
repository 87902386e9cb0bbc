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

std::string_view name(Expect expect) {
  constexpr std::string_view kNames[] = {"detect", "tolerate", "benign"};
  return kNames[static_cast<int>(expect)];
}

}  // namespace faultline
