// A compiler of the outside world: one row. It says which form of program its worker takes, what its arithmetic
// promises, and by which switches the ladder finds the stage that is guilty.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "runtime/base/table.h"
#include "runtime/exact/bounded.h"
#include "runtime/ir/program.h"
#include "runtime/numerics/arithmetic.h"
#include "taxonomy/layer.h"

namespace faultline {

// One way to compile: everything below some stage taken away or switched off. In the order of the row's list each lets
// in more than the one before; the last is what users run.
struct BackendRung {
  std::string_view id;        // "capture", "decompose", "no fusion"
  Layer layer;                // of what this rung lets in and the one before does not
  std::string_view settings;  // JSON object for the worker
  std::string_view summary;
  std::optional<Layer> also = {};  // a second layer, where the compiler cannot let in one without the other
};

// A switch of the compiler that a case may set: on=inductor(dynamic=on). What `settings` gives for a value is merged
// into those of every rung (RFC 7396); null where the value is none of them.
struct BackendOption {
  std::string_view id;
  std::string_view values;  // "auto, on or off", as errors say it
  std::string_view summary;
  nlohmann::json (*settings)(std::string_view value);
};

// A release that can be asked for by name, xla@0.10.2, each in an environment of its own. The first is the default.
struct BackendVersion {
  std::string_view id;
  std::string_view requirements;  // what pip installs, separated by spaces; empty: the project's own environment
};

struct Backend {
  std::string_view id;
  std::string_view summary;
  std::string_view form;    // "python", "stablehlo", "onnx" (runtime/backends/emit)
  std::string_view worker;  // "python/faultline/workers/torch_worker.py"
  std::span<const BackendVersion> versions;
  std::span<const BackendOption> options;
  std::span<const BackendRung> rungs;
  const Arithmetic& (*arithmetic)();  // what results are held to
  ErrorProfile (*profile)();
};

#define BACKEND(name) extern const Backend backend_##name;
#include "runtime/backends/external/external.def"
#undef BACKEND
extern const Table<Backend> external_backends;

// "xla@0.10.2" -> the row and the version. Null where no row has the name; throws UserError for a version that the row
// does not list.
struct NamedBackend {
  const Backend* backend = nullptr;
  const BackendVersion* version = nullptr;
};
NamedBackend find_external(std::string_view id);

// Throws UserError for an option or value that the row does not have, with the nearest valid one.
void check_options(const Backend& backend, const std::map<std::string, std::string>& options);

}  // namespace faultline
