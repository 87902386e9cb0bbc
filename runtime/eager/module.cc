// Finds the module, opens it, and checks that it is of this build.
#include "runtime/eager/module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "runtime/eager/torch_table.h"

namespace faultline {
namespace {

constexpr const char* kFileName = "faultline_torch.so";

std::string first_line(const char* text) {
  const std::string line = text == nullptr ? "unknown reason" : text;
  return line.substr(0, line.find('\n'));
}

TorchModule open_module(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {nullptr, fmt::format("torch cannot be loaded: {}", first_line(dlerror()))};
  using Entry = const TorchTable* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "faultline_torch_table"));
  if (entry == nullptr) return {nullptr, fmt::format("{} is not a torch module of this project", path)};
  const TorchTable* const table = entry();
  if (table == nullptr) return {nullptr, "torch failed to start"};
  if (table->struct_size != sizeof(TorchTable)) return {nullptr, fmt::format("{} is of another build", path)};
  return {table, ""};
}

std::vector<std::string> places() {
  std::vector<std::string> paths;
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    paths.push_back(program.parent_path() / kFileName);
    paths.push_back(program.parent_path().parent_path() / "lib" / "faultline" / kFileName);
  }
#ifdef FAULTLINE_TORCH_MODULE_BUILT
  paths.emplace_back(FAULTLINE_TORCH_MODULE_BUILT);
#endif
  return paths;
}

TorchModule find_module() {
  if (const char* named = std::getenv("FAULTLINE_TORCH_MODULE"); named != nullptr && *named != '\0') {
    if (std::string_view(named) == "off") return {nullptr, "torch is switched off by FAULTLINE_TORCH_MODULE"};
    return open_module(named);
  }
  std::error_code error;
  for (const std::string& path : places())
    if (std::filesystem::exists(path, error)) return open_module(path);
  return {nullptr, "this build has no torch"};
}

}  // namespace

const TorchModule& torch_module() {
  static const TorchModule& module = *new TorchModule(find_module());
  return module;
}

}  // namespace faultline
