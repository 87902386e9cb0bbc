// python -m venv, then pip install; the stamp last, so that an interrupted installation is no environment.
#include "runtime/backends/worker/environment.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "runtime/backends/worker/spawn.h"
#include "runtime/base/error.h"

extern char** environ;

namespace faultline {

namespace fs = std::filesystem;

fs::path project_root() {
  if (const char* named = std::getenv("FAULTLINE_ROOT"); named != nullptr && *named != '\0') return named;
  return FAULTLINE_SOURCE_ROOT;
}

std::string name_of(const NamedBackend& backend) {
  return fmt::format("{}@{}", backend.backend->id, backend.version->id);
}

static fs::path folder_of(const NamedBackend& backend) {
  return project_root() / "build" / "environments" / name_of(backend);
}

fs::path interpreter_of(const NamedBackend& backend) {
  if (!backend.version->requirements.empty()) return folder_of(backend) / "bin" / "python";
  if (const char* named = std::getenv("FAULTLINE_WORKER_PYTHON"); named != nullptr && *named != '\0') return named;
  if (const char* torch = std::getenv("TORCH_ROOT"); torch != nullptr && *torch != '\0') return "python3";
  return project_root() / ".venv" / "bin" / "python";
}

static std::string text_of_file(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool is_set_up(const NamedBackend& backend) {
  const std::string_view requirements = backend.version->requirements;
  if (requirements.empty()) return true;
  std::error_code error;
  return text_of_file(folder_of(backend) / "faultline.stamp") == requirements &&
         fs::exists(interpreter_of(backend), error);
}

namespace {

struct Ended {
  bool well = false;
  std::string output;
};

// With this process's environment, in which pip finds its settings. The output goes into the log as well.
Ended run_command(const std::vector<std::string>& command, std::ofstream& log) {
  SpawnOptions options;
  options.command = command;
  options.folder = project_root().string();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = std::min(text.find('='), text.size() - 1);
    options.environment.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  log << "$";
  for (const std::string& word : command) log << " " << word;
  log << std::endl;
  Child child(options);
  Ended ended;
  if (!child.why_not().empty()) {
    log << child.why_not() << std::endl;
    return ended;
  }
  for (char buffer[4096];;) {
    pollfd waiting{child.output(), POLLIN, 0};
    poll(&waiting, 1, -1);
    const ssize_t count = read(child.output(), buffer, sizeof buffer);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) break;
    if (count < 0) continue;
    ended.output.append(buffer, static_cast<size_t>(count));
    log << std::string_view(buffer, static_cast<size_t>(count)) << std::flush;
  }
  ended.well = child.end() == "exit code 0";
  return ended;
}

// Held as long as the object lives.
class Lock {
 public:
  explicit Lock(const fs::path& path) : file_(open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666)) {
    if (file_ < 0) throw UserError(fmt::format("cannot write {}", path.string()));
    while (flock(file_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~Lock() { close(file_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int file_;
};

std::vector<std::string> interpreters() {
  if (const char* named = std::getenv("FAULTLINE_PYTHON"); named != nullptr && *named != '\0') return {named};
  return {(project_root() / ".venv" / "bin" / "python").string(),
          "python3",
          "python3.12",
          "python3.13",
          "python3.11",
          "python3.10",
          "python3.14"};
}

class Setup {
 public:
  Setup(const NamedBackend& backend, const std::function<void(std::string_view)>& say)
      : backend_(backend), say_(say), folder_(folder_of(backend)), log_path_(folder_.string() + ".log") {}

  void run() {
    log_.open(log_path_);
    for (const std::string& python : interpreters())
      if (try_interpreter(python)) return;
    const std::string why = lacks_packages_ ? "no Python here has packages for " + name_of(backend_)
                                            : "no Python here can make a virtual environment";
    throw UserError(fmt::format("{}; name one with FAULTLINE_PYTHON, the log is {}", why, log_path_.string()));
  }

 private:
  // False: another one may do.
  bool try_interpreter(const std::string& python) {
    const Ended asked =
        run_command({python, "-c", "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"}, log_);
    const std::string version = asked.output.substr(0, asked.output.find('\n'));
    if (!asked.well || !versions_.insert(version).second) return false;
    fs::remove_all(folder_);
    say_(fmt::format("{}: making an environment with Python {}", name_of(backend_), version));
    if (!run_command({python, "-m", "venv", folder_.string()}, log_).well) return false;
    say_(fmt::format("{}: installing {}", name_of(backend_), backend_.version->requirements));
    std::vector<std::string> command = {(folder_ / "bin" / "python").string(), "-m", "pip", "install",
                                        "--disable-pip-version-check"};
    std::istringstream words{std::string(backend_.version->requirements)};
    for (std::string word; words >> word;) command.push_back(word);
    const Ended installed = run_command(command, log_);
    if (!installed.well) return refused(installed.output);
    std::ofstream(folder_ / "faultline.stamp") << backend_.version->requirements;
    say_(fmt::format("{}: ready in build/environments", name_of(backend_)));
    return true;
  }

  // A release has packages for some versions of Python only.
  bool refused(const std::string& output) {
    fs::remove_all(folder_);
    if (output.find("No matching distribution found") != std::string::npos) {
      lacks_packages_ = true;
      return false;
    }
    std::string why = "pip failed";
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("ERROR: ")) why = line.substr(7);
    throw UserError(
        fmt::format("{} could not be installed: {}; the log is {}", name_of(backend_), why, log_path_.string()));
  }

  const NamedBackend& backend_;
  const std::function<void(std::string_view)>& say_;
  fs::path folder_, log_path_;
  std::ofstream log_;
  std::set<std::string> versions_;
  bool lacks_packages_ = false;
};

}  // namespace

bool set_up(const NamedBackend& backend, const std::function<void(std::string_view)>& say) {
  if (backend.version->requirements.empty()) return false;
  const fs::path folder = folder_of(backend);
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  const Lock lock(folder.string() + ".lock");
  if (is_set_up(backend)) return false;
  Setup(backend, say).run();
  return true;
}

}  // namespace faultline
