// What the script looks for comes from one more run of the case: the elements that left their bounds, and how far from
// eager's a value there may be.
#include "campaign/finding_script.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "checkers/compare.h"
#include "reduce/signature.h"
#include "runtime/backends/emit/python_program.h"
#include "runtime/backends/emit/python_script.h"
#include "runtime/backends/worker/process.h"
#include "runtime/backends/worker/worker_pool.h"
#include "runtime/base/error.h"
#include "runtime/numerics/format.h"
#include "runtime/run/compare_case.h"
#include "runtime/run/subject.h"

namespace faultline {

namespace {

namespace fs = std::filesystem;

constexpr size_t kElementsNamed = 64;
constexpr int64_t kMemoryBytes = int64_t{16} << 30;

std::string script_name(const TensorEvidence& tensor, const Program& program) {
  if (tensor.role == TensorRole::output) return "output " + tensor.name;
  if (tensor.role == TensorRole::input_after) return fmt::format("input {} after", tensor.name);
  const auto names = python_attribute_names(program);
  const auto found = names.find(tensor.name);
  return fmt::format("attribute {} after", found == names.end() ? tensor.name : found->second);
}

// The wrong elements whose difference from eager is larger than rounding explains; all of them where none is.
ScriptTensor script_tensor(const TensorEvidence& tensor, const std::vector<uint8_t>& failing, const Program& program) {
  ScriptTensor mine{tensor.call, script_name(tensor, program), {}, 0};
  const Format format = host_format(tensor.eager_type.dtype);
  const ElementReference& target = tensor.target;
  for (size_t e = 0; e < failing.size() && mine.elements.size() < kElementsNamed; ++e) {
    if (failing[e] == 0) continue;
    mine.elements.push_back(static_cast<int64_t>(e));
    if (e >= target.bound.size() || e >= tensor.eager.size() || e >= tensor.actual.size()) continue;
    const double eager = decode(format, tensor.eager[e]), actual = decode(format, tensor.actual[e]);
    const double slack = target.bound[e] + std::abs(eager - target.exact[e]);
    if (std::isfinite(slack) && std::abs(actual - eager) > slack) mine.tolerance = std::max(mine.tolerance, slack);
  }
  return mine;
}

ScriptExpectation expectation_of(const Subject& subject, const Verdict& verdict) {
  ScriptExpectation expectation;
  expectation.title = fmt::format("torch.compile and eager PyTorch disagree: {}", to_text(signature_of(verdict)));
  std::erase(expectation.title, '\n');
  if (verdict.symptom_outcome == Outcome::crashed || verdict.symptom_outcome == Outcome::hung ||
      verdict.tensors.empty())
    expectation.kind = "ends";
  if (expectation.kind == "ends") return expectation;
  const Comparison comparison = compare_case(subject);
  for (const TensorEvidence& tensor : comparison.evidence.tensors) {
    if (tensor.actual.empty()) continue;
    const ElementVerdicts verdicts = compare_elements(tensor, tensor.actual);
    if (verdicts.wrong == 0) continue;
    expectation.tensors.push_back(script_tensor(tensor, verdicts.failing, subject.test_case.program));
  }
  return expectation;
}

nlohmann::json settings_of(const Subject& subject) {
  nlohmann::json settings = nlohmann::json::parse(subject.external.backend->rungs.back().settings);
  for (const auto& [id, value] : subject.test_case.backend.options)
    for (const BackendOption& option : subject.external.backend->options)
      if (option.id == id) settings.merge_patch(option.settings(value));
  return settings;
}

// All of this process's: the script is to run as it would for whoever gets it.
std::vector<std::pair<std::string, std::string>> whole_environment() {
  std::vector<std::pair<std::string, std::string>> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (const size_t equals = text.find('='); equals != std::string::npos)
      environment.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

std::string run_script(const std::string& text, const NamedBackend& backend) {
  const WorkerPlace place = place_of(backend);
  if (!place.unavailable.empty()) return place.unavailable;
  std::error_code error;
  std::string folder = (fs::temp_directory_path(error) / "faultline-script-XXXXXX").string();
  if (error || mkdtemp(folder.data()) == nullptr) return "no temporary folder";
  std::string result;
  {
    const std::string path = folder + "/reproduce.py";
    std::ofstream(path) << text;
    Process process({{place.command.command.front(), path}, whole_environment(), folder, 0}, kMemoryBytes);
    if (!process.why_not().empty()) {
      result = process.why_not();
    } else if (!process.wait_for_end(Clock::now() + std::chrono::minutes(11))) {
      process.interrupt();
      result = "does not end";
    } else {
      const std::string end = process.end(), said = process.output_tail();
      result = end == "exit code 1"   ? "reproduces"
               : end == "exit code 0" ? "does not reproduce"
                                      : fmt::format("{}: {}", end, said.substr(0, 400));
    }
  }
  fs::remove_all(folder, error);
  return result;
}

}  // namespace

FindingScript finding_script(const Case& test_case, const Verdict& verdict) {
  const Subject subject(test_case);
  if (subject.external.backend == nullptr) return {"", "a modelled target has no script: replay the case line"};
  if (subject.external.backend->form != "python") return {"", "scripts are written for torch.compile alone so far"};
  try {
    ScriptExpectation expectation = expectation_of(subject, verdict);
    expectation.comments = {"Program: " + to_line(test_case), "torch is all that this needs."};
    FindingScript script;
    script.text = python_script(test_case.program, subject.inputs, settings_of(subject), expectation);
    script.result = run_script(script.text, subject.external);
    return script;
  } catch (const UserError& error) {
    return {"", error.what()};
  }
}

}  // namespace faultline
