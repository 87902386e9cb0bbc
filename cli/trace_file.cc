// Every job counts its ticks and its requests from 0, so those of a later job are moved behind the earlier ones. The
// text goes to a file beside the wanted one, which then takes its name.
#include "cli/trace_file.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "runtime/base/error.h"
#include "runtime/device/chrome_trace.h"

namespace faultline {

static DeviceReport one_after_another(const std::vector<DeviceReport>& jobs) {
  DeviceReport all;
  for (const DeviceReport& job : jobs) {
    const int requests = static_cast<int>(all.requests.size());
    for (TraceEvent event : job.trace) {
      event.begin += all.ticks;
      event.end += all.ticks;
      if (event.request >= 0) event.request += requests;
      all.trace.push_back(std::move(event));
    }
    for (MemorySample sample : job.memory) {
      sample.tick += all.ticks;
      all.memory.push_back(sample);
    }
    all.requests.insert(all.requests.end(), job.requests.begin(), job.requests.end());
    all.ticks += job.ticks;
  }
  return all;
}

static void write_whole(const std::string& path, const std::string& text) {
  const std::string beside = fmt::format("{}.{}.part", path, getpid());
  std::error_code failed;
  {
    std::ofstream file(beside, std::ios::binary);
    file << text << std::flush;
    if (!file) failed = std::make_error_code(std::errc::io_error);
  }
  if (!failed) std::filesystem::rename(beside, path, failed);
  if (!failed) return;
  std::error_code ignored;
  std::filesystem::remove(beside, ignored);
  throw UserError(fmt::format("--trace: {} cannot be written", path));
}

std::function<void(const std::vector<DeviceReport>&)> trace_writer(const std::string& path) {
  return [path](const std::vector<DeviceReport>& jobs) { write_whole(path, to_chrome_trace(one_after_another(jobs))); };
}

}  // namespace faultline
