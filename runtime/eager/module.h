// Opens the module with torch on first use.
#pragma once

#include <string>

struct TorchTable;

namespace faultline {

// `table` is null when torch cannot be used; `why_not` then says why in one line.
struct TorchModule {
  const TorchTable* table = nullptr;
  std::string why_not;
};

// Looks, in this order, at the file named by the environment variable FAULTLINE_TORCH_MODULE (and nowhere else when it
// is set; "off" means none), beside the running program, and where this build put it. The first call takes 0.2 to 0.6
// s; later ones nothing. Thread-safe. The module is never closed: torch registers operators that must not go away.
const TorchModule& torch_module();

}  // namespace faultline
