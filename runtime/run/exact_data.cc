// The search of checkers/exact_integers.h on the exact references of the case.
#include "runtime/run/exact_data.h"

#include "runtime/base/error.h"
#include "runtime/run/compare_case.h"

namespace faultline {

namespace {

bool is_open(const DataSource& source) {
  return source.generator.empty() || source.generator == "normal" || source.generator == "uniform";
}

// Visits the data of every input of floats that is left open.
template <class Visit>
void visit_open(Program& program, const Visit& visit) {
  if (program.calls.empty()) program.calls.emplace_back();
  for (CallSpec& call : program.calls)
    for (const Parameter& parameter : program.parameters) {
      if (!parameter.tensor || !parameter.alias_of.empty() || !is_float(parameter.tensor->dtype)) continue;
      if (DataSource& source = call.inputs[parameter.name].data; is_open(source)) visit(source);
    }
}

}  // namespace

Case with_source(const Case& test_case, const DataSource& source) {
  Case changed = test_case;
  changed.program_path.clear();
  visit_open(changed.program, [&](DataSource& mine) { mine = source; });
  return changed;
}

DataSource source_of(const IntegerData& data) {
  return {"nonzero", {static_cast<double>(data.most), static_cast<double>(data.each)}};
}

std::optional<ExactIntegers> exact_integers_of(const Case& test_case) {
  int open = 0;
  Case copy = test_case;
  copy.faults.clear();
  visit_open(copy.program, [&](DataSource&) { ++open; });
  if (open == 0) return {};
  bool has_results = false;
  const ExactIntegers found = find_exact_integers([&](const IntegerData& data) {
    std::vector<IntegerReference> references;
    const Case mine = with_source(copy, source_of(data));
    const Subject subject(mine);
    for (const auto& tensor : exact_reference(subject, subject.model->arithmetic(), eager_items(subject)))
      references.push_back({tensor.type.dtype, reference_of(tensor, tensor.values.size())});
    has_results = has_results || !references.empty();
    return references;
  });
  if (!has_results) return {};
  return found;
}

}  // namespace faultline
