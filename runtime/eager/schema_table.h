// The text of runtime/ir/schema/aten_schemas.inc, made from the torch at hand; and the rule that selects its operators.
#pragma once

#include <string>
#include <string_view>

#include "runtime/ir/schema/schema.h"

namespace faultline {

// Whether the table has this operator: all of Core ATen; otherwise one that takes or gives a plain tensor and runs on
// the CPU, but no `out=` variant, no backward operator, and none of the families and bookkeeping calls that programs do
// not hold.
bool belongs_in_table(const OpSchema& schema, bool has_cpu_kernel);

// One line an operator. Empty without torch.
std::string aten_schema_table();

}  // namespace faultline
