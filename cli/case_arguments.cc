// From arguments to a case. What the subject is, is seen from it: an existing file, else a case line if it has a
// program=, else program text if it defines a function.
#include "cli/case_arguments.h"

#include <charconv>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "runtime/base/error.h"
#include "runtime/ir/program_text.h"
#include "runtime/run/exact_data.h"

namespace faultline {

namespace {

bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool is_case_line(std::string_view text) {
  return text.starts_with("program=") || text.find(" program=") != std::string_view::npos;
}

bool is_program_text(std::string_view text) {
  return text.find("def ") != std::string_view::npos || text.starts_with("self.");
}

Case read_subject(const std::string& subject) {
  if (subject.starts_with("py:")) {
    Case of_python;
    of_python.python = load_python(std::string_view(subject).substr(3));
    return of_python;
  }
  if (!is_file(subject)) {
    if (is_case_line(subject)) return parse_case(subject);
    Case inline_case;
    if (is_program_text(subject)) {
      inline_case.program = parse_program(subject, "program");
      return inline_case;
    }
  }
  Case from_file;
  from_file.program_path = subject.starts_with("@") ? subject.substr(1) : subject;
  if (!is_file(from_file.program_path))
    throw UserError(
        fmt::format("'{}' is no file, no case line (... program=...) and no program text (def ...)", subject));
  from_file.program = load_program(from_file.program_path);
  return from_file;
}

uint64_t seed_from(const std::string& text) {
  uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc{} || end != text.data() + text.size())
    throw UserError(fmt::format("--seed wants a whole number from 0 to 2^64-1, found '{}'", text));
  return seed;
}

}  // namespace

MemoryState memory_named(const std::string& text) {
  std::vector<std::string> names;
  for (const MemoryState state : {MemoryState::fresh, MemoryState::zeroed, MemoryState::stale}) {
    if (name(state) == text) return state;
    names.emplace_back(name(state));
  }
  throw UserError(fmt::format("--memory wants fresh, zeroed or stale, found '{}'{}", text, did_you_mean(text, names)));
}

static OracleProfile profile_named(const std::string& text) {
  static const std::vector<std::string> names = {"sound", "sharp"};
  for (const OracleProfile profile : {OracleProfile::sound, OracleProfile::sharp})
    if (name(profile) == text) return profile;
  throw UserError(fmt::format("--oracle wants sound or sharp, found '{}'{}", text, did_you_mean(text, names)));
}

static Case with_data(const Case& made, const std::string& kind, std::ostream& notes) {
  static const std::vector<std::string> names = {"normal", "uniform", "exact", "wide"};
  if (kind == "normal" || kind == "uniform") return with_source(made, {kind, {}});
  if (kind != "exact" && kind != "wide")
    throw UserError(
        fmt::format("--data wants normal, uniform, exact or wide, found '{}'{}", kind, did_you_mean(kind, names)));
  const std::optional<ExactIntegers> found = exact_integers_of(made);
  if (!found) throw UserError("--data " + kind + ": no input of floats whose data are left open");
  if (!found->is_exact)
    notes << "note: no size of integers makes the results of this program exact; these leave the closest bounds\n";
  return with_source(made, source_of(kind == "exact" ? found->exact : found->wide));
}

void CaseArguments::declare(CLI::App& app) {
  app.add_option("PROGRAM", subject,
                 "program text, a file of it, a .pt2 of torch.export, py:FILE::NAME, or a case line")
      ->required()
      ->type_name("");
  app.add_option("--target,--backend", target,
                 "what compiles it: a modelled accelerator ('list targets') or a real compiler ('list backends')")
      ->type_name("NAME");
  // One value each, so that a program may follow.
  app.add_option("--option", options, "a switch of the target, as often as needed")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  app.add_option("--fault", faults, "a fault to plant: 'tile.trip_floor(*)' ('list faults')")
      ->allow_extra_args(false)
      ->type_name("SPEC");
  app.add_option("--seed", seed, "the number that all data follow from (1)")->type_name("N");
  app.add_option(
         "--oracle", oracle,
         "how values are judged: sound accuses nothing that conforms; sharp hunts, also with integers for which "
         "sums are exact")
      ->type_name("PROFILE");
  app.add_option("--data", data,
                 "of inputs that name none: normal, uniform, exact or wide (integers for which no sum is rounded)")
      ->type_name("KIND");
  app.add_option("--memory", memory, "what device memory holds before: fresh (poison), zeroed, stale")
      ->type_name("STATE");
}

Case CaseArguments::make(std::ostream& notes) const {
  Case made = read_subject(subject);
  if (!target.empty() && target != made.backend.id) made.backend = {target, {}};
  std::set<std::string> given;
  for (const std::string& option : options) {
    const size_t equals = option.find('=');
    if (equals == std::string::npos) throw UserError(fmt::format("--option wants NAME=VALUE, found '{}'", option));
    if (!given.insert(option.substr(0, equals)).second)
      throw UserError(fmt::format("--option {} is given twice", option.substr(0, equals)));
    made.backend.options[option.substr(0, equals)] = option.substr(equals + 1);
  }
  for (const std::string& fault : faults)
    for (FaultChain& chain : parse_faults(fault)) made.faults.push_back(std::move(chain));
  if (!seed.empty()) made.seed = seed_from(seed);
  if (!memory.empty()) made.memory = memory_named(memory);
  if (!oracle.empty()) made.oracle = profile_named(oracle);
  return data.empty() ? made : with_data(made, data, notes);
}

}  // namespace faultline
