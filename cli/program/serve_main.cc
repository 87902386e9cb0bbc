// The process that faultline.backend of the Python package talks to: programs on modelled targets, over a socket at
// descriptor 3, until the other side closes it.
#include <sys/socket.h>

#include <csignal>
#include <iostream>

#include "runtime/backends/worker/server.h"
#include "runtime/base/memory.h"
#include "runtime/ir/schema/schema.h"
#include "runtime/run/serve_case.h"

int main() {
  constexpr int kSocket = 3;
  int kind = 0;
  socklen_t size = sizeof kind;
  if (getsockopt(kSocket, SOL_SOCKET, SO_TYPE, &kind, &size) != 0 || kind != SOCK_STREAM) {
    std::cerr << "faultline_serve: descriptor 3 is no socket: faultline.backend starts this program\n";
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  faultline::keep_freed_memory();
  const nlohmann::json attestation = {{"operators", faultline::schema_targets()}};  // what program text may call
  return faultline::serve_requests(kSocket, attestation, faultline::run_on_target) ? 0 : 2;
}
