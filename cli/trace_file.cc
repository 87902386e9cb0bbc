// Every job counts its ticks and its requests from 0, so those of a later job are moved behind the earlier ones.
#include "cli/trace_file.h"

#include "cli/whole_file.h"
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

std::function<void(const std::vector<DeviceReport>&)> trace_writer(const std::string& path) {
  check_writable(path, "--trace");
  return [path](const std::vector<DeviceReport>& jobs) {
    write_whole(path, to_chrome_trace(one_after_another(jobs)), "--trace");
  };
}

}  // namespace faultline
