// An estimate by elements. A case with its inputs, eager's results, the exact reference with its bounds, and the values
// of several rungs side by side took about 300 bytes for each element of its inputs at the peak (measured on
// element-wise programs of a million elements and more). Results larger than the inputs are not counted.
#include "runtime/run/memory_need.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/base/error.h"
#include "runtime/base/memory.h"

namespace faultline {

namespace {

constexpr double kBytesAnElement = 300;

double elements(const TensorType& type) {
  double count = 1;
  for (const int64_t size : type.sizes) count *= static_cast<double>(size);
  return count;
}

double elements_of_call(const Program& program, const CallSpec& call) {
  double count = 0;
  for (const Parameter& parameter : program.parameters) {
    const auto given = call.inputs.find(parameter.name);
    if (given != call.inputs.end() && given->second.tensor)
      count += elements(*given->second.tensor);
    else if (parameter.tensor)
      count += elements(*parameter.tensor);
  }
  return count;
}

double gibibytes(double bytes) { return bytes / (1 << 30); }

}  // namespace

double memory_need(const Program& program) {
  double count = 0;
  for (const auto& [name, attribute] : program.attributes)
    if (std::holds_alternative<Tensor>(attribute.value)) count += elements(attribute.type);
  if (program.calls.empty()) count += elements_of_call(program, {});
  for (const CallSpec& call : program.calls) count += elements_of_call(program, call);
  return kBytesAnElement * count;
}

void check_memory(const Case& test_case) {
  const std::optional<uint64_t> available = available_memory();
  const double need = memory_need(test_case.program);
  if (!available || need <= static_cast<double>(*available)) return;
  throw UserError(fmt::format("{}: needs about {:.1f} GiB of memory, {:.1f} GiB are available", test_case.program.name,
                              gibibytes(need), gibibytes(static_cast<double>(*available))));
}

}  // namespace faultline
