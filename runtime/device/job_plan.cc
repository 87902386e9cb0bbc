// The plan: inputs in, every launch with its arguments, results out. Its text.
#include "runtime/device/job_plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace faultline {

JobPlan plan_job(const MachineProgram& program) {
  JobPlan plan;
  std::vector<uint8_t> seen(program.buffers.size(), 0);
  const auto copy = [&](JobStep::Kind kind, int buffer) {
    if (buffer < 0 || seen[buffer] != 0) return;
    seen[buffer] = 1;
    plan.steps.push_back({kind, buffer, -1, transfer_records(program.layouts[buffer], program.buffers[buffer].sizes)});
  };
  for (const int buffer : program.inputs) copy(JobStep::Kind::host_to_device, buffer);
  for (int launch = 0; launch < static_cast<int>(program.launches.size()); ++launch) {
    plan.steps.push_back({JobStep::Kind::patch, -1, launch, {}});
    plan.steps.push_back({JobStep::Kind::compute, -1, launch, {}});
  }
  std::fill(seen.begin(), seen.end(), 0);
  for (const int buffer : program.outputs) copy(JobStep::Kind::device_to_host, buffer);
  for (const int buffer : program.write_backs) copy(JobStep::Kind::device_to_host, buffer);
  return plan;
}

// "4x1024x64 host 64,256,1 device 65536,64,1 at host 0, device 0"
static std::string to_text(const TransferRecord& record) {
  std::string counts, host, device;
  for (const TransferRecord::Level& level : record.levels) {
    counts += fmt::format("{}{}", counts.empty() ? "" : "x", level.count);
    host += fmt::format("{}{}", host.empty() ? "" : ",", level.host_stride);
    device += fmt::format("{}{}", device.empty() ? "" : ",", level.device_stride);
  }
  return fmt::format("{} host {} device {} at host {}, device {}", counts, host, device, record.host_offset,
                     record.device_offset);
}

std::string to_text(const JobPlan& plan, const MachineProgram& program) {
  std::string text = fmt::format("job {}:\n", program.name);
  for (const JobStep& step : plan.steps) {
    switch (step.kind) {
      case JobStep::Kind::host_to_device:
        text += fmt::format("  host_to_device {}\n", program.buffers[step.buffer].name);
        break;
      case JobStep::Kind::patch: text += fmt::format("  patch {}\n", program.launches[step.launch].name); break;
      case JobStep::Kind::compute: text += fmt::format("  compute {}\n", program.launches[step.launch].name); break;
      case JobStep::Kind::device_to_host:
        text += fmt::format("  device_to_host {}\n", program.buffers[step.buffer].name);
        break;
    }
    for (const TransferRecord& record : step.records) text += fmt::format("    {}\n", to_text(record));
  }
  return text;
}

}  // namespace faultline
