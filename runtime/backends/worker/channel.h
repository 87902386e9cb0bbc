// One end of a conversation in frames, while the other may take its time, end, or send more than is wanted.
#pragma once

#include <chrono>

namespace faultline {

using Clock = std::chrono::steady_clock;

class Channel {
 public:
  virtual ~Channel() = default;

  virtual int socket() const = 0;
  enum class Event { ready, ended, late, too_large };
  // Until the socket can be read (POLLIN) or written (POLLOUT), or one of the others, whichever is first. What can
  // still be read of a process that has ended is `ready`.
  virtual Event wait_for(short events, Clock::time_point deadline) = 0;
};

}  // namespace faultline
