// Starts a program in a session of its own, with nothing of this process but what it is given.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/backends/worker/descriptor.h"

namespace faultline {

struct SpawnOptions {
  std::vector<std::string> command;                              // the first is looked up in PATH unless it has a slash
  std::vector<std::pair<std::string, std::string>> environment;  // all of it
  std::string folder;                                            // its working directory
  int64_t address_space_bytes = 0;                               // 0: no limit
};

// Owns the child until it is reaped. Its descriptor 3 is the other end of `socket`; 0 reads nothing; 1 and 2 write to
// the pipe that `output` reads. Both ends here do not block.
class Child {
 public:
  // Never fails: `why_not` says what went wrong.
  explicit Child(const SpawnOptions& options);
  ~Child();  // SIGKILL to the whole group
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  const std::string& why_not() const { return why_not_; }  // empty: it runs
  int socket() const { return socket_.number(); }
  int output() const { return output_.number(); }
  pid_t id() const { return id_; }

  bool ended() const;  // it may still have to be reaped
  void send(int signal) const;
  // Ends what is left of the group and reaps. "SIGSEGV", "exit code 3"; the second time the same.
  const std::string& end();
  bool killed_by(int signal) const { return killed_by_ == signal; }  // after end()

 private:
  void start(const SpawnOptions& options);

  std::string why_not_, how_ended_;
  FileDescriptor socket_, output_;
  pid_t id_ = -1;
  int killed_by_ = 0;
  FileDescriptor release_;  // closing it lets keeper_ go
  // The system ends a child with the *thread* that started it (PR_SET_PDEATHSIG). This one only waits, so that a child
  // outlives whichever thread asked for it, and dies with the process however that dies.
  std::thread keeper_;
};

}  // namespace faultline
