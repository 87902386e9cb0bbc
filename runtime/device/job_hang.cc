// What the watchdog says: the oldest outstanding request, who waits for whom, and a cycle among them if there is one.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "runtime/device/device_words.h"
#include "runtime/device/job_run.h"

namespace faultline {

void JobRun::hang() {
  beyond_limit(std::numeric_limits<int64_t>::max());
  report_.end = DeviceReport::End::hung;
  report_.ticks = limit_;
  report_.oldest_request = oldest_request();
  for (size_t r = 0; r < report_.requests.size(); ++r) {
    const DeviceRequest& request = report_.requests[r];
    if (request.core < 0 && request.replied < 0)
      report_.waits.push_back(fmt::format("host waits for {} (job step {})", words(static_cast<int>(r)), request.step));
  }
  for (int s = 0; s < static_cast<int>(streams_.size()); ++s)
    if (streams_[s].state != StreamRun::State::ended) report_.waits.push_back(wait_words(s));
  for (const int stream : cycle()) report_.cycle.push_back(wait_words(stream));
}

// A launch is outstanding while one of its engines' requests is: what the engine waits for says more.
std::string JobRun::oldest_request() const {
  int oldest = -1;
  for (const bool engines : {true, false}) {
    for (int r = 0; r < static_cast<int>(report_.requests.size()) && oldest < 0; ++r)
      if (report_.requests[r].replied < 0 && (report_.requests[r].core >= 0) == engines) oldest = r;
  }
  if (oldest < 0) return "none";
  const DeviceRequest& request = report_.requests[oldest];
  return fmt::format("{} (request {}, job step {}), {} ticks old", words(oldest), oldest, request.step,
                     limit_ - request.begin);
}

std::string JobRun::stream_words(int number) const {
  const StreamRun& stream = streams_[number];
  return fmt::format("{}, {}", program_.launches[active_[stream.active].launch].name,
                     track_words(stream.stream->core, static_cast<int>(stream.stream->engine)));
}

std::string JobRun::wait_words(int number) const {
  const StreamRun& stream = streams_[number];
  const std::string mine = stream_words(number);
  std::string others;
  for (const int other : waits_for(number)) others += (others.empty() ? "" : " and ") + stream_words(other);
  switch (stream.state) {
    case StreamRun::State::working:
      if (stream.request < 0) return mine + " waits for its engine";
      return fmt::format("{} waits for request {} to complete", mine, stream.request);
    case StreamRun::State::stuck: return mine + " waits for its signal to complete";
    case StreamRun::State::queued: return fmt::format("{} waits for {} to end", mine, others);
    default: break;
  }
  const Instruction& instruction = stream.stream->instructions[stream.position];
  if (instruction.opcode == Opcode::receive)
    return fmt::format("{} waits for partial results of core {}, which {}", mine, instruction.peer,
                       others.empty() ? "nothing sends any more" : others + " is to send");
  const std::vector<int64_t>& signals = active_[stream.active].signals;
  const bool known = instruction.token >= 0 && instruction.token < static_cast<int>(signals.size());
  return fmt::format("{} waits for signal {} of token {} ({} so far), which {}", mine, instruction.count,
                     instruction.token, known ? signals[instruction.token] : 0,
                     others.empty() ? "nothing gives any more" : others + " is to give");
}

// Streams that could end the wait.
std::vector<int> JobRun::waits_for(int number) const {
  const StreamRun& stream = streams_[number];
  std::vector<int> others;
  if (stream.state == StreamRun::State::queued) {
    const EngineQueue& queue = engines_[stream.engine];
    if (queue.first < queue.streams.size()) others.push_back(queue.streams[queue.first]);
  }
  if (stream.state != StreamRun::State::waiting) return others;
  const Instruction& waited = stream.stream->instructions[stream.position];
  const ActiveLaunch& active = active_[stream.active];
  for (int s = active.first_stream; s < active.first_stream + active.streams; ++s) {
    const std::vector<Instruction>& instructions = streams_[s].stream->instructions;
    const bool gives = std::any_of(
        instructions.begin() + static_cast<std::ptrdiff_t>(std::min(streams_[s].position, instructions.size())),
        instructions.end(), [&](const Instruction& instruction) {
          if (waited.opcode == Opcode::wait)
            return instruction.opcode == Opcode::signal && instruction.token == waited.token;
          return instruction.opcode == Opcode::send && streams_[s].stream->core == waited.peer &&
                 instruction.peer == stream.stream->core;
        });
    if (gives) others.push_back(s);
  }
  return others;
}

// Depth first from every stream; the first way back to a stream on the path is the cycle.
std::vector<int> JobRun::cycle() const {
  std::vector<int> mark(streams_.size(), 0);  // 1: on the path, 2: done
  for (int root = 0; root < static_cast<int>(streams_.size()); ++root) {
    if (mark[root] != 0) continue;
    struct Frame {
      int stream = 0;
      std::vector<int> next;
      size_t at = 0;
    };
    std::vector<Frame> path = {{root, waits_for(root), 0}};
    mark[root] = 1;
    while (!path.empty()) {
      Frame& top = path.back();
      if (top.at == top.next.size()) {
        mark[top.stream] = 2;
        path.pop_back();
        continue;
      }
      const int next = top.next[top.at++];
      if (mark[next] == 1) {
        std::vector<int> found;
        for (const Frame& frame : path)
          if (!found.empty() || frame.stream == next) found.push_back(frame.stream);
        return found;
      }
      if (mark[next] == 0) {
        mark[next] = 1;
        path.push_back({next, waits_for(next), 0});
      }
    }
  }
  return {};
}

}  // namespace faultline
