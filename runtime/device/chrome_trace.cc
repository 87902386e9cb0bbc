// Trace events as JSON: a process for the host and one a core, a thread a track.
#include "runtime/device/chrome_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace faultline {

namespace {

using Json = nlohmann::ordered_json;

double microseconds(int64_t ticks) { return static_cast<double>(ticks) / 1000; }

// Numbers of tracks, in the order of core and name. The host's process is 0, a core's is its number plus 1.
using Tracks = std::map<std::pair<int, std::string>, int>;

Tracks tracks_of(const DeviceReport& report) {
  Tracks tracks;
  for (const TraceEvent& event : report.trace) tracks[{event.core, event.track}] = 0;
  int number = 0;
  for (auto& [track, mine] : tracks) mine = number++;
  return tracks;
}

Json name_event(const char* what, int process, int thread, const std::string& name) {
  return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

void add_names(const Tracks& tracks, Json& events) {
  int last = -2;
  for (const auto& [track, thread] : tracks) {
    const int process = track.first + 1;
    if (track.first != last)
      events.push_back(
          name_event("process_name", process, thread, process == 0 ? "host" : fmt::format("core {}", track.first)));
    last = track.first;
    events.push_back(name_event("thread_name", process, thread, track.second));
  }
}

Json event_of(const TraceEvent& event, const Tracks& tracks) {
  constexpr const char* kCategories[] = {"request", "request", "wait", "signal", "error"};
  const bool moment = event.kind == TraceEvent::Kind::signal || event.kind == TraceEvent::Kind::error;
  Json json = {{"ph", moment ? "i" : "X"},
               {"name", event.what},
               {"cat", kCategories[static_cast<int>(event.kind)]},
               {"pid", event.core + 1},
               {"tid", tracks.at({event.core, event.track})},
               {"ts", microseconds(event.begin)}};
  if (moment)
    json["s"] = event.kind == TraceEvent::Kind::error ? "g" : "t";
  else
    json["dur"] = microseconds(std::max<int64_t>(0, event.end - event.begin));
  if (event.request >= 0) {
    json["args"] = {{"request", event.request}, {"bytes", event.bytes}, {"bytes_written", event.bytes_written}};
    if (event.kind == TraceEvent::Kind::request) json["args"]["completed"] = false;
  }
  return json;
}

}  // namespace

std::string to_chrome_trace(const DeviceReport& report) {
  const Tracks tracks = tracks_of(report);
  Json events = Json::array();
  add_names(tracks, events);
  for (const TraceEvent& event : report.trace) events.push_back(event_of(event, tracks));
  for (const MemorySample& sample : report.memory)
    events.push_back({{"ph", "C"},
                      {"name", "device memory"},
                      {"pid", 0},
                      {"ts", microseconds(sample.tick)},
                      {"args", {{"bytes", sample.bytes}}}});
  return Json{{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}}.dump(1) + "\n";
}

}  // namespace faultline
