// The artefact of `capture`: what a program's calls were traced into. Each entry starts at a position of the program,
// holds for the states its guards describe, and is a straight-line segment followed by an exit: return, or a graph
// break at a scalar read after which host code resumes. The entries are the cache: a call looks for the first entry at
// its position whose guards hold. Beside the cache stand the segments of frames that ran eagerly.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/ir/program.h"
#include "runtime/ir/segment.h"

namespace faultline {

// Where a statement stands: indices into nested blocks. {2} is the third statement of the body, {2, 0, 1} the second
// statement of the then-branch (0) of the `if` at {2}; branch 1 is else. One past the last statement of the body is the
// end.
using Position = std::vector<int>;

// The state of a run as tracing and guards see it: what kind of thing each name is, not what a tensor holds. Attributes
// stand under "self.<name>".
struct LiveTensor {
  TensorType type;
  const void* storage = nullptr;  // identity only
};
struct FrameState {
  std::map<std::string, LiveTensor> tensors;
  std::map<std::string, Scalar> scalars;
};

struct Guard {
  enum class Kind : uint8_t {
    tensor_type,   // `name` is a tensor of `type`
    scalar_value,  // `name` is this scalar, of this Python type
    same_storage,  // `name` and `other` share storage
    apart,         // they do not
  };
  Kind kind = Kind::tensor_type;
  std::string name, other;
  TensorType type;
  Scalar value;
  bool operator==(const Guard&) const = default;
};
bool holds(const Guard& guard, const FrameState& state);
std::string to_text(const Guard& guard);

struct CaptureExit {
  bool breaks = false;
  std::vector<std::string> returned;  // return: names
  std::string tensor, result;         // break: "result = tensor.item()"
  Position resume;
  bool operator==(const CaptureExit&) const = default;
};

struct CaptureEntry {
  Position position;
  std::vector<Guard> guards;
  std::vector<std::string> inputs;        // the state's name of each segment input
  Segment segment;                        // its outputs are named by the state's names they are bound to
  std::map<std::string, Scalar> scalars;  // names the trace gave constants to; may be "self.<name>"
  CaptureExit exit;
  bool eager = false;  // run op by op by a frame that has reached the recompile limit; never compiled
  bool operator==(const CaptureEntry&) const = default;
};

struct Capture {
  std::string name;
  std::vector<CaptureEntry> entries;
  bool operator==(const Capture&) const = default;
};

std::string to_text(const Capture& capture);
// Throws UserError "capture:<line>: ...".
Capture parse_capture(std::string_view text);
std::string to_text(const Position& position);  // "2.then.1"

// Traces from `position` in `state` to the next graph break or return. Throws std::out_of_range with the name of what
// the program makes use of and the state lacks.
CaptureEntry trace(const Program& program, const Position& position, const FrameState& state, const std::string& name);

}  // namespace faultline
