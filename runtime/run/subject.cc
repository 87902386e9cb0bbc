// What all runs of one case share.
#include "runtime/run/subject.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/base/error.h"

namespace faultline {

std::unique_ptr<TargetModel> make_model(const BackendSpec& backend) {
  const Target* target = targets.find(backend.id);
  if (target == nullptr) {
    const std::string meant = did_you_mean(backend.id, targets.ids());
    throw UserError(fmt::format("unknown target '{}'{}", backend.id,
                                meant.empty() ? fmt::format("; targets: {}", fmt::join(targets.ids(), ", ")) : meant));
  }
  return make_target(*target, backend.options);
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
      model(make_model(the_case.backend)),
      inputs(make_inputs(the_case.program, the_case.seed)),
      reads_data(faultline::reads_data(the_case.program.body)) {}

}  // namespace faultline
