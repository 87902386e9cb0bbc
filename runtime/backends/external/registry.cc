// The table of external backends, and names with a version.
#include <array>

#include <fmt/format.h>

#include "runtime/backends/external/backend.h"
#include "runtime/base/error.h"

namespace faultline {

static constexpr std::array kRows = {
#define BACKEND(name) &backend_##name,
#include "runtime/backends/external/external.def"
#undef BACKEND
};
constinit const Table<Backend> external_backends{kRows};

NamedBackend find_external(std::string_view id) {
  const size_t at = id.find('@');
  const Backend* backend = external_backends.find(id.substr(0, at));
  if (backend == nullptr) return {};
  if (at == std::string_view::npos) return {backend, &backend->versions.front()};
  std::vector<std::string> names;
  for (const BackendVersion& version : backend->versions) {
    if (version.id == id.substr(at + 1)) return {backend, &version};
    names.emplace_back(version.id);
  }
  throw UserError(fmt::format("{} has no version '{}'{}", backend->id, id.substr(at + 1),
                              did_you_mean(std::string(id.substr(at + 1)), names)));
}

const BackendOption* find_option(const Backend& backend, std::string_view id) {
  for (const BackendOption& option : backend.options)
    if (option.id == id) return &option;
  return nullptr;
}

void check_options(const Backend& backend, const std::map<std::string, std::string>& options) {
  std::vector<std::string> names;
  for (const BackendOption& option : backend.options) names.emplace_back(option.id);
  for (const auto& [id, value] : options) {
    const BackendOption* option = find_option(backend, id);
    if (option == nullptr)
      throw UserError(fmt::format("{} has no option '{}'{}", backend.id, id, did_you_mean(id, names)));
    if (option->settings(value).is_null())
      throw UserError(fmt::format("option {} of {} wants {}, found '{}'", id, backend.id, option->values, value));
  }
}

}  // namespace faultline
