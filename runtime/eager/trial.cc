// fork, an alarm in the child for the time limit, and the exit status. The child leaves by _exit: no destructor of this
// process runs twice.
#include "runtime/eager/trial.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace faultline {

[[noreturn]] static void run_child(const std::function<void()>& work, unsigned seconds) {
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) signal(number, SIG_DFL);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  alarm(seconds);
  work();
  _exit(0);
}

std::optional<std::string> failed_trial(const std::function<void()>& work, unsigned seconds) {
  const pid_t child = fork();
  if (child < 0) return std::nullopt;
  if (child == 0) run_child(work, seconds);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    if (WTERMSIG(status) == SIGALRM) return fmt::format("no end within {} s", seconds);
    return fmt::format("SIG{}", sigabbrev_np(WTERMSIG(status)));
  }
  if (WEXITSTATUS(status) != 0) return fmt::format("exit code {}", WEXITSTATUS(status));
  return std::nullopt;
}

}  // namespace faultline
