// faultline setup: installs a compiler under test into an environment of its own.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/command.h"
#include "runtime/backends/worker/environment.h"
#include "runtime/base/error.h"

namespace faultline {

namespace {

NamedBackend backend_named(const std::string& name) {
  const NamedBackend found = find_external(name);
  if (found.backend != nullptr) return found;
  const std::vector<std::string> names = external_backends.ids();
  throw UserError(fmt::format("there is no compiler '{}'{}", name, did_you_mean(name, names)));
}

void report(const NamedBackend& backend, bool installed, std::ostream& out) {
  if (backend.version->requirements.empty())
    out << backend.backend->id << " runs in the project's own environment: nothing to set up\n";
  else
    out << name_of(backend) << (installed ? " is set up now" : " is set up") << ": " << backend.version->requirements
        << "\n";
}

std::function<int(Console&)> declare(CLI::App& app) {
  const auto names = std::make_shared<std::vector<std::string>>();
  app.add_option("NAME", *names, "a compiler, in its first version or as NAME@VERSION ('faultline list backends')")
      ->type_name("")
      ->required();
  return [names](Console& console) {
    std::vector<NamedBackend> backends;
    for (const std::string& name : *names) backends.push_back(backend_named(name));
    for (const NamedBackend& backend : backends) {
      const bool installed = set_up(backend, [&](std::string_view line) { console.err << line << std::endl; });
      report(backend, installed, console.out);
    }
    return 0;
  };
}

}  // namespace

extern const Command command_setup;
constinit const Command command_setup{
    .id = "setup",
    .summary = "install a compiler under test into an environment of its own",
    .examples =
        "./faultline setup xla\n"
        "./faultline setup xla@0.6.2 iree",
    .declare = declare,
};

}  // namespace faultline
