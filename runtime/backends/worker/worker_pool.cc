// Where workers' scripts and their environments lie.
#include "runtime/backends/worker/worker_pool.h"

#include <filesystem>

#include <fmt/format.h>

#include "runtime/backends/worker/environment.h"

namespace faultline {

namespace fs = std::filesystem;

WorkerPlace place_of(const NamedBackend& backend) {
  WorkerPlace place;
  const fs::path python = interpreter_of(backend), script = project_root() / backend.backend->worker;
  std::error_code error;
  if (!is_set_up(backend) || (python.has_parent_path() && !fs::exists(python, error))) {
    place.unavailable = backend.version->requirements.empty()
                            ? "there is no Python with torch: ./faultline makes .venv at its first call"
                            : fmt::format("{0} is not set up: ./faultline setup {0}", name_of(backend));
    return place;
  }
  if (!fs::exists(script, error)) {
    place.unavailable = fmt::format("{} is not there; FAULTLINE_ROOT names the project's folder", script.string());
    return place;
  }
  place.command.command = {python.string(), "-u", script.string()};
  // What takes long to make and is the same for every program: precompiled headers.
  const fs::path headers = project_root() / "build" / "cache" / ("headers-" + name_of(backend));
  place.command.environment.emplace_back("FAULTLINE_HEADERS", headers.string());
  return place;
}

RunReply WorkerPool::run(const NamedBackend& backend, const RunRequest& request) {
  const std::string name = name_of(backend);
  std::unique_ptr<Worker> worker;
  {
    const std::lock_guard lock(mutex_);
    std::vector<std::unique_ptr<Worker>>& idle = idle_[name];
    if (!idle.empty()) {
      worker = std::move(idle.back());
      idle.pop_back();
    }
  }
  if (!worker) {
    WorkerPlace place = place_of(backend);
    if (!place.unavailable.empty()) {
      RunReply reply;
      reply.text = place.unavailable;
      return reply;
    }
    worker = std::make_unique<Worker>(std::move(place.command));
  }
  RunReply reply = worker->run(request);
  const std::lock_guard lock(mutex_);
  idle_[name].push_back(std::move(worker));
  return reply;
}

void WorkerPool::clear() {
  const std::lock_guard lock(mutex_);
  idle_.clear();
}

WorkerPool& worker_pool() {
  static WorkerPool pool;
  return pool;
}

}  // namespace faultline
