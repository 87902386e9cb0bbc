// Frames on a socket: 4 bytes little-endian length, 1 byte count of descriptors (0 or 1), then that many bytes of JSON.
// A descriptor travels with the frame's first byte.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "runtime/backends/worker/channel.h"
#include "runtime/backends/worker/descriptor.h"

namespace faultline {

inline constexpr size_t kFrameBytesMax = size_t{64} << 20;

struct Frame {
  std::string text;
  FileDescriptor block;  // closed: none came with it
};

// Why there is no frame. `ended`: the process has ended, or has closed its end and is about to.
struct FrameFailure {
  enum class Kind { ended, late, too_large, lie };
  Kind kind;
  std::string text;  // of a lie
};

// `block` may be closed.
std::optional<FrameFailure> send_frame(Channel& channel, std::string_view text, const FileDescriptor& block,
                                       Clock::time_point deadline);
std::variant<Frame, FrameFailure> receive_frame(Channel& channel, Clock::time_point deadline);
// Something has come that nobody asked for.
bool has_unread(Channel& channel);

}  // namespace faultline
