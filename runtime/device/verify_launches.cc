// The promises that concern a launch: its streams' requests against what the streams ask for, and its arguments.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "runtime/device/device_costs.h"
#include "runtime/device/device_words.h"
#include "runtime/device/transfer_check.h"

namespace faultline {

namespace {

constexpr size_t kNoTrack = ~size_t{0};
constexpr int64_t kFar = int64_t{1} << 30;  // arenas of a card lie further apart than buffers of a program

bool is_work(const Instruction& instruction) {
  return instruction.opcode == Opcode::copy || instruction.opcode == Opcode::compute ||
         instruction.opcode == Opcode::send;
}

}  // namespace

void TransferCheck::find_tracks() {
  std::vector<size_t> newest(program_.launches.size(), 0);  // of a launch's number, in launches_
  for (size_t r = 0; r < report_.requests.size(); ++r) {
    const DeviceRequest& request = report_.requests[r];
    if (request.kind == DeviceRequest::Kind::launch) {
      newest[request.launch] = launches_.size();
      launches_.push_back({r, {}, {}, {}, false});
      add_tracks(launches_.back(), program_.launches[request.launch]);
    }
    if (request.core < 0) continue;
    LaunchTracks& launch = launches_[newest[request.launch]];
    const auto place = static_cast<size_t>(request.core * kEngineCount + request.engine);
    launch.tracks[launch.by_engine[place]].requests.push_back(r);
  }
}

void TransferCheck::add_tracks(LaunchTracks& tracks, const Launch& launch) {
  tracks.tokens.resize(launch.tokens);
  for (const Stream& stream : launch.streams) {
    const auto place = static_cast<size_t>(stream.core * kEngineCount + static_cast<int>(stream.engine));
    if (place >= tracks.by_engine.size()) tracks.by_engine.resize(place + 1, kNoTrack);
    tracks.shared = tracks.shared || tracks.by_engine[place] != kNoTrack;
    tracks.by_engine[place] = tracks.tracks.size();
    Track track{&stream, 0, {}};
    for (const Instruction& instruction : stream.instructions) {
      if (is_work(instruction)) ++track.work;
      if (instruction.opcode != Opcode::signal || instruction.token < 0 || instruction.token >= launch.tokens) continue;
      Giver& giver = tracks.tokens[instruction.token];
      const auto mine = static_cast<int>(tracks.tracks.size());
      giver.track = giver.track == -1 || giver.track == mine ? mine : -2;
      giver.work_before.push_back(track.work);
    }
    tracks.tracks.push_back(std::move(track));
  }
}

void TransferCheck::check_launches() {
  find_tracks();
  for (const LaunchTracks& launch : launches_) {
    check_counts(launch);
    if (!launch.shared)
      for (const Track& track : launch.tracks) check_waits(launch, track);
    check_addresses(launch);
  }
}

// A launch that was reported done has done every piece of work once.
void TransferCheck::check_counts(const LaunchTracks& launch) {
  const DeviceRequest& request = report_.requests[launch.request];
  size_t asked = 0, done = 0;
  for (const Track& track : launch.tracks) {
    asked += track.work;
    done += track.requests.size();
  }
  const std::string text = fmt::format("{} pieces of work asked for, {} begun", asked, done);
  if (done > asked) add("once", launch.request, text);
  if (request.end >= 0 && done < asked && report_.end == DeviceReport::End::completed)
    add("moved", launch.request, text);
}

// Work behind a wait begins when the work before the last signal it needs has ended. A token that several streams
// signal promises no such thing.
void TransferCheck::check_waits(const LaunchTracks& launch, const Track& waiting) {
  size_t behind = 0;
  for (const Instruction& instruction : waiting.stream->instructions) {
    if (is_work(instruction)) ++behind;
    if (instruction.opcode != Opcode::wait || instruction.token < 0 || instruction.count <= 0) continue;
    if (instruction.token >= static_cast<int>(launch.tokens.size())) continue;
    const Giver& giver = launch.tokens[instruction.token];
    if (giver.track < 0 || static_cast<int64_t>(giver.work_before.size()) < instruction.count) continue;
    const Track& track = launch.tracks[giver.track];
    const size_t needed = giver.work_before[instruction.count - 1];
    if (waiting.requests.size() <= behind)
      check_signal(launch, waiting, track, needed, instruction);
    else if (needed > 0)
      check_order(waiting.requests[behind], track, needed);
  }
}

const DeviceWait* TransferCheck::open_pause(const LaunchTracks& launch, const Stream& stream) const {
  const int number = report_.requests[launch.request].launch;
  const auto found = std::find_if(report_.pauses.begin(), report_.pauses.end(), [&](const DeviceWait& pause) {
    return pause.launch == number && pause.core == stream.core && pause.engine == static_cast<int>(stream.engine) &&
           pause.end < 0;
  });
  return found == report_.pauses.end() ? nullptr : &*found;
}

// A stream that waits for ever for what has been done.
void TransferCheck::check_signal(const LaunchTracks& launch, const Track& waiting, const Track& giver, size_t needed,
                                 const Instruction& wait) {
  if (report_.end != DeviceReport::End::hung || needed > giver.requests.size()) return;
  if (needed > 0 && report_.requests[giver.requests[needed - 1]].replied < 0) return;
  const DeviceWait* pause = open_pause(launch, *waiting.stream);
  if (pause == nullptr || pause->token != wait.token || open_pause(launch, *giver.stream) != nullptr) return;
  add("signal",
      fmt::format("{}, {}", program_.launches[report_.requests[launch.request].launch].name,
                  track_words(waiting.stream->core, static_cast<int>(waiting.stream->engine))),
      fmt::format("waits for signal {} of token {}, and {} has done what comes before it", wait.count, wait.token,
                  track_words(giver.stream->core, static_cast<int>(giver.stream->engine))));
}

void TransferCheck::check_order(size_t later, const Track& giver, size_t needed) {
  const int64_t begin = report_.requests[later].begin;
  const bool begun = needed <= giver.requests.size();
  const int64_t end = begun ? report_.requests[giver.requests[needed - 1]].end : -1;
  if (end >= 0 && end <= begin) return;
  const std::string awaited = begun ? request_words(program_, report_.requests[giver.requests[needed - 1]])
                                    : track_words(giver.stream->core, static_cast<int>(giver.stream->engine));
  add("order", later,
      fmt::format("began at tick {}, and what it waits for ({}) {}", begin, awaited,
                  end < 0 ? "had not ended" : fmt::format("ended at tick {}", end)));
}

int64_t TransferCheck::home_of_copy(const DeviceRequest& request) const {
  const Descriptor& descriptor = program_.launches[request.launch].descriptors[request.item];
  return home(request.buffer) + device_side(descriptor)->offset;
}

// One copy beside its buffer went astray by itself; all copies of a launch did because of the arguments.
void TransferCheck::check_addresses(const LaunchTracks& launch) {
  std::vector<size_t> astray;
  size_t copies = 0;
  for (const Track& track : launch.tracks) {
    for (const size_t r : track.requests) {
      const DeviceRequest& request = report_.requests[r];
      if (request.kind != DeviceRequest::Kind::copy || request.buffer < 0) continue;
      ++copies;
      if (request.address != home_of_copy(request)) astray.push_back(r);
    }
  }
  if (astray.empty()) return;
  std::sort(astray.begin(), astray.end());
  const DeviceRequest& first = report_.requests[astray[0]];
  const int64_t off = first.address - home_of_copy(first);
  bool patched = false;
  for (const DeviceRequest& request : report_.requests)
    patched = patched || (request.kind == DeviceRequest::Kind::patch && request.launch == first.launch &&
                          request.read == request.asked && request.written == request.asked);
  if (!patched || (astray.size() == copies && (copies > 1 || std::abs(off) >= kFar))) {
    add("arguments", launch.request,
        fmt::format("{} of its {} copies lie beside the buffers that were patched for it, {} by {} bytes",
                    astray.size(), copies, program_.buffers[first.buffer].name, off));
    return;
  }
  for (const size_t r : astray) {
    const DeviceRequest& request = report_.requests[r];
    add("address", r,
        fmt::format("begins at address 0x{:x}, and its place is 0x{:x}", request.address, home_of_copy(request)));
  }
}

void TransferCheck::check_host_addresses() {
  for (size_t r = 0; r < report_.requests.size(); ++r) {
    const DeviceRequest& request = report_.requests[r];
    if (request.kind != DeviceRequest::Kind::host_to_device && request.kind != DeviceRequest::Kind::device_to_host)
      continue;
    if (request.address != home(request.buffer))
      add("address", r,
          fmt::format("begins at address 0x{:x}, and its place is 0x{:x}", request.address, home(request.buffer)));
  }
}

}  // namespace faultline
