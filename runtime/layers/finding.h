// What a static verifier found: a broken promise at a place of one layer's artefact. No numbers of a run are involved.
#pragma once

#include <string>

namespace faultline {

struct Finding {
  std::string layer;    // taxonomy id: "tile"
  std::string promise;  // short stable name of the promise: "coverage", "capacity", "happens_before"
  std::string place;    // "kernel 0 clone, loop i, core 1"
  std::string text;     // one sentence with both numbers: "loop covers [0,64) of 65"
};

}  // namespace faultline
