// A worker's process while it is talked to: waiting for it never takes longer than allowed, never lets it block on what
// it prints, and notices when it has ended or grown too large.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/backends/worker/channel.h"
#include "runtime/backends/worker/spawn.h"

namespace faultline {

class Process final : public Channel {
 public:
  Process(const SpawnOptions& options, int64_t resident_bytes_max);

  const std::string& why_not() const { return child_.why_not(); }
  int socket() const override { return child_.socket(); }
  Event wait_for(short events, Clock::time_point deadline) override;
  // Until it has ended by itself.
  bool wait_for_end(Clock::time_point deadline);

  bool ended() const { return child_.ended(); }
  // Asks first (SIGTERM, on which a worker prints where it is), then ends the group.
  void interrupt();
  const std::string& end() { return child_.end(); }
  bool killed_by(int signal) const { return child_.killed_by(signal); }

  int64_t resident_bytes() const;
  void forget_output() { output_.clear(); }
  // What it has printed since, 4 KiB at most, printable.
  std::string output_tail();

 private:
  bool take_output();

  Child child_;
  int64_t resident_bytes_max_;
  std::string output_;
  bool output_closed_ = false;
};

}  // namespace faultline
