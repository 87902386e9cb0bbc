// Python environments of compilers, one a version: build/environments/xla@0.10.2. A stamp in it holds what was
// installed; without it, or with another, it is made anew.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/backends/external/backend.h"

namespace faultline {

// The root of the project: that of the build, unless FAULTLINE_ROOT names another.
std::filesystem::path project_root();

// "xla@0.10.2".
std::string name_of(const NamedBackend& backend);

// The interpreter of its environment, or of the project's own for a version without requirements.
std::filesystem::path interpreter_of(const NamedBackend& backend);

// Whether its environment is complete. One without requirements has none to set up.
bool is_set_up(const NamedBackend& backend);

// Makes the environment with pip, unless it is complete; false: it was. What is being done is said in lines. The
// interpreters that are tried: FAULTLINE_PYTHON if it is set, otherwise that of .venv and those on PATH, until pip
// finds packages for one. Throws UserError with the next step; the log is beside the folder. A second call at the same
// time waits for the first.
bool set_up(const NamedBackend& backend, const std::function<void(std::string_view)>& say);

}  // namespace faultline
