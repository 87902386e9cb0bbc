// The trace of a job, in the order of beginning: requests, waits, signals, the error.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/device/device_words.h"
#include "runtime/device/job_run.h"

namespace faultline {

void JobRun::write_trace() {
  std::vector<TraceEvent>& trace = report_.trace;
  for (size_t r = 0; r < report_.requests.size(); ++r) {
    const DeviceRequest& request = report_.requests[r];
    const bool open = request.end < 0 || request.replied < 0;
    const TraceEvent::Kind kind = open ? TraceEvent::Kind::request : TraceEvent::Kind::finish;
    trace.push_back({kind, request.begin, request.end < 0 ? report_.ticks : request.end, request.core,
                     track_words(request.core, request.engine), words(static_cast<int>(r)), request.buffer,
                     request.asked, request.written, static_cast<int64_t>(r)});
  }
  for (const DeviceWait& pause : report_.pauses)
    trace.push_back({TraceEvent::Kind::wait, pause.begin, pause.end < 0 ? report_.ticks : pause.end, pause.core,
                     track_words(pause.core, pause.engine),
                     pause.token < 0 ? std::string("partial results") : fmt::format("token {}", pause.token), -1, 0, 0,
                     -1});
  trace.insert(trace.end(), signals_.begin(), signals_.end());
  if (report_.end == DeviceReport::End::error) {
    trace.push_back({TraceEvent::Kind::error, report_.ticks, report_.ticks, -1, "host",
                     fmt::format("0x{:x} {}: {}", report_.error_code, report_.error_name, report_.error_place), -1, 0,
                     0, -1});
    for (int refused = 0; refused < report_.refused; ++refused)
      trace.push_back({TraceEvent::Kind::error, report_.ticks, report_.ticks, -1, "host",
                       fmt::format("0x{:x} {}: job step {} refused", parameters_.cascade_code, parameters_.cascade_name,
                                   plan_.steps.size() - report_.refused + refused),
                       -1, 0, 0, -1});
  }
  std::stable_sort(trace.begin(), trace.end(),
                   [](const TraceEvent& a, const TraceEvent& b) { return a.begin < b.begin; });
}

}  // namespace faultline
