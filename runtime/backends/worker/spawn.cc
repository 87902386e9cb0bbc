// fork and exec: posix_spawn can set neither limits nor the signal that comes when the parent dies. Between the two the
// child calls what is safe in a copy of a process with several threads, and nothing else.
#include "runtime/backends/worker/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <future>

namespace faultline {

namespace {

constexpr int kSocketNumber = 3, kFailureNumber = 4;

// Everything that must be allocated before the fork.
struct Prepared {
  std::string path;
  std::vector<std::string> words;
  std::vector<char*> arguments, environment;
  std::string folder;
  int null = -1, output = -1, socket = -1, failure = -1;  // all above kFailureNumber
  rlim_t address_space_bytes = RLIM_INFINITY;
  pid_t parent = 0;
};

[[noreturn]] void fail_child(int failure) {
  const int reason = errno;
  while (write(failure, &reason, sizeof reason) < 0 && errno == EINTR) {
  }
  _exit(127);
}

// In the child. Signal dispositions that this process ignores would be inherited.
[[noreturn]] void become(const Prepared& prepared) {
  if (setsid() < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail_child(prepared.failure);
  if (getppid() != prepared.parent) _exit(127);  // it died before the line above
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const rlimit addresses = {prepared.address_space_bytes, prepared.address_space_bytes};
  if (addresses.rlim_cur != RLIM_INFINITY) setrlimit(RLIMIT_AS, &addresses);
  if (dup2(prepared.null, 0) < 0 || dup2(prepared.output, 1) < 0 || dup2(prepared.output, 2) < 0 ||
      dup2(prepared.socket, kSocketNumber) < 0 || dup3(prepared.failure, kFailureNumber, O_CLOEXEC) < 0)
    fail_child(prepared.failure);
  close_range(kFailureNumber + 1, ~0U, 0);
  if (chdir(prepared.folder.c_str()) != 0) fail_child(kFailureNumber);
  execve(prepared.path.c_str(), prepared.arguments.data(), prepared.environment.data());
  fail_child(kFailureNumber);
}

std::string found_in_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return std::filesystem::absolute(program);
  const char* path = getenv("PATH");
  std::string_view rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const std::string candidate = fmt::format("{}/{}", rest.substr(0, end), program);
    if (end > 0 && access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return program;
}

// Out of the way of the numbers that the child uses.
FileDescriptor raised(int number) {
  const FileDescriptor low(number);
  return FileDescriptor(number < 0 ? -1 : fcntl(number, F_DUPFD_CLOEXEC, kFailureNumber + 1));
}

std::string because(const std::string& what) { return fmt::format("{}: {}", what, strerrordesc_np(errno)); }

}  // namespace

Child::Child(const SpawnOptions& options) { start(options); }

Child::~Child() {
  end();
  release_.close();
  if (keeper_.joinable()) keeper_.join();
}

void Child::start(const SpawnOptions& options) {
  int sockets[2] = {-1, -1}, output[2] = {-1, -1}, failure[2] = {-1, -1}, release[2] = {-1, -1};
  const bool made = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0 && pipe2(output, O_CLOEXEC) == 0 &&
                    pipe2(failure, O_CLOEXEC) == 0 && pipe2(release, O_CLOEXEC) == 0;
  socket_ = FileDescriptor(sockets[0]);
  output_ = FileDescriptor(output[0]);
  release_ = FileDescriptor(release[1]);
  FileDescriptor released(release[0]), failed(failure[0]);
  FileDescriptor their_socket = raised(sockets[1]), their_output = raised(output[1]),
                 their_failure = raised(failure[1]);
  FileDescriptor null = raised(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!made || !their_socket.open() || !their_output.open() || !their_failure.open() || !null.open()) {
    why_not_ = because("no descriptors left");
    return;
  }
  fcntl(socket(), F_SETFL, O_NONBLOCK);
  fcntl(this->output(), F_SETFL, O_NONBLOCK);

  Prepared prepared;
  prepared.path = found_in_path(options.command[0]);
  prepared.words = options.command;
  const size_t command_words = prepared.words.size();
  for (const auto& [name, value] : options.environment) prepared.words.push_back(name + "=" + value);
  for (size_t i = 0; i < prepared.words.size(); ++i)
    (i < command_words ? prepared.arguments : prepared.environment).push_back(prepared.words[i].data());
  prepared.arguments.push_back(nullptr);
  prepared.environment.push_back(nullptr);
  prepared.folder = options.folder;
  prepared.null = null.number();
  prepared.output = their_output.number();
  prepared.socket = their_socket.number();
  prepared.failure = their_failure.number();
  if (options.address_space_bytes > 0) prepared.address_space_bytes = static_cast<rlim_t>(options.address_space_bytes);
  prepared.parent = getpid();

  std::promise<pid_t> started;
  std::future<pid_t> id = started.get_future();
  keeper_ = std::thread([&prepared, &started, wait = std::move(released)] {
    const pid_t child = fork();
    if (child == 0) become(prepared);
    started.set_value(child);
    char byte = 0;
    while (read(wait.number(), &byte, 1) < 0 && errno == EINTR) {
    }
  });
  id_ = id.get();
  their_failure.close();
  if (id_ < 0) {
    why_not_ = because("cannot fork");
    return;
  }
  int reason = 0;
  ssize_t got = 0;
  while ((got = read(failed.number(), &reason, sizeof reason)) < 0 && errno == EINTR) {
  }
  if (got == sizeof reason) {
    errno = reason;
    why_not_ = because(fmt::format("cannot run '{}'", options.command[0]));
    end();
  }
}

bool Child::ended() const {
  if (id_ < 0 || !how_ended_.empty()) return true;
  siginfo_t info = {};
  return waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == id_;
}

void Child::send(int signal) const {
  if (id_ > 0 && how_ended_.empty()) kill(-id_, signal);
}

const std::string& Child::end() {
  if (id_ <= 0 || !how_ended_.empty()) return how_ended_;
  // Before it is reaped its number is nobody else's, nor is that of its group. A child that has not reached setsid yet
  // has no group.
  kill(-id_, SIGKILL);
  kill(id_, SIGKILL);
  int status = 0;
  while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    killed_by_ = WTERMSIG(status);
    const char* abbreviation = sigabbrev_np(killed_by_);
    how_ended_ = abbreviation ? fmt::format("SIG{}", abbreviation) : fmt::format("signal {}", killed_by_);
  } else {
    how_ended_ = fmt::format("exit code {}", WEXITSTATUS(status));
  }
  return how_ended_;
}

}  // namespace faultline
