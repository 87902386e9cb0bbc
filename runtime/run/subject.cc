// What all runs of one case share.
#include "runtime/run/subject.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/backends/model/reference_model.h"
#include "runtime/base/error.h"

namespace faultline {

std::unique_ptr<TargetModel> make_model(const BackendSpec& backend) {
  if (const Target* target = targets.find(backend.id)) return make_target(*target, backend.options);
  if (const NamedBackend external = find_external(backend.id); external.backend != nullptr) {
    check_options(*external.backend, backend.options);
    return reference_model(external.backend->arithmetic());
  }
  std::vector<std::string> names = targets.ids();
  for (const std::string& id : external_backends.ids()) names.push_back(id);
  const std::string meant = did_you_mean(backend.id, names);
  throw UserError(fmt::format("unknown backend '{}'{}", backend.id,
                              meant.empty() ? fmt::format("; backends: {}", fmt::join(names, ", ")) : meant));
}

static bool reads_data(const std::vector<Statement>& block) {
  for (const Statement& statement : block) {
    if (std::holds_alternative<ItemStatement>(statement.value)) return true;
    if (const auto* branch = std::get_if<IfStatement>(&statement.value))
      if (reads_data(branch->then_branch) || reads_data(branch->else_branch)) return true;
  }
  return false;
}

Subject::Subject(const Case& the_case)
    : test_case(the_case),
      external(find_external(the_case.backend.id)),
      model(make_model(the_case.backend)),
      profile(external.backend != nullptr ? external.backend->profile() : ErrorProfile()),
      inputs(make_inputs(the_case.program, the_case.seed)),
      reads_data(faultline::reads_data(the_case.program.body)) {
  if (external.backend != nullptr && !the_case.faults.empty())
    throw UserError("faults are planted in modelled targets, not in " + the_case.backend.id);
  if (!the_case.python.path.empty() && (external.backend == nullptr || external.backend->form != "python"))
    throw UserError("py:" + the_case.python.path + " is for a compiler of Python programs such as inductor, not for " +
                    the_case.backend.id);
}

}  // namespace faultline
