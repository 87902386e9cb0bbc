// Launches and their streams: starting, waiting, signalling, ending.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/device/device_words.h"
#include "runtime/device/job_run.h"

namespace faultline {

namespace {

// Place of every instruction in the order in which the tile program asked for the work, by stream: actors are numbered
// by it, as the in-order interpreter numbers them.
std::vector<std::vector<int>> places_of(const Launch& launch) {
  struct Entry {
    int64_t sequence = 0;
    size_t stream = 0, position = 0;
  };
  std::vector<std::vector<int>> places;
  std::vector<Entry> entries;
  bool sorted = true;
  for (const Stream& stream : launch.streams) {
    for (size_t i = 0; i < stream.instructions.size(); ++i) {
      sorted = sorted && (entries.empty() || entries.back().sequence <= stream.instructions[i].sequence);
      entries.push_back({stream.instructions[i].sequence, places.size(), i});
    }
    places.emplace_back(stream.instructions.size());
  }
  if (!sorted)
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.sequence < b.sequence; });
  for (size_t i = 0; i < entries.size(); ++i) places[entries[i].stream][entries[i].position] = static_cast<int>(i);
  return places;
}

}  // namespace

// The launch has reached the card.
void JobRun::start(int number) {
  const Work& work = works_[number];
  if (work.answer.error_code != 0) return fail(number);
  const int launch = report_.requests[number].launch;
  ActiveLaunch active;
  active.launch = launch;
  active.request = number;
  active.repeat = work.answer.duplicate;
  active.first_actor = options_.first_actor + 1;
  for (int before = 0; before < launch; ++before)
    for (const Stream& stream : program_.launches[before].streams)
      active.first_actor += static_cast<int>(stream.instructions.size());
  if (!work.answer.drop) {
    active.bases = launch_arguments(number);
    active.places = places_of(program_.launches[launch]);
  }
  active_.push_back(std::move(active));
  start_streams(static_cast<int>(active_.size()) - 1);
}

void JobRun::start_streams(int number) {
  ActiveLaunch& active = active_[number];
  const Launch& launch = program_.launches[active.launch];
  active.first_stream = static_cast<int>(streams_.size());
  active.streams = works_[active.request].answer.drop ? 0 : static_cast<int>(launch.streams.size());
  active.remaining = active.streams;
  active.signals.assign(launch.tokens, 0);
  active.waiting.assign(launch.tokens, {});
  if (active.streams == 0) return end_launch(number);
  for (int s = 0; s < active.streams; ++s) {
    StreamRun run;
    run.active = number;
    run.stream = &launch.streams[s];
    run.engine = run.stream->core * kEngineCount + static_cast<int>(run.stream->engine);
    if (run.engine >= static_cast<int>(engines_.size())) engines_.resize(run.engine + 1);
    engines_[run.engine].streams.push_back(active.first_stream + s);
    streams_.push_back(run);
  }
  const int first = active.first_stream, end = first + active.streams;
  for (int s = first; s < end && !stopped_; ++s) begin_stream(s);
}

// Unless it runs already, or another stream has the engine.
void JobRun::begin_stream(int number) {
  const EngineQueue& queue = engines_[streams_[number].engine];
  if (streams_[number].state == StreamRun::State::queued && queue.streams[queue.first] == number) advance(number);
}

void JobRun::end_stream(int number) {
  StreamRun& stream = streams_[number];
  stream.state = StreamRun::State::ended;
  EngineQueue& queue = engines_[stream.engine];
  if (++queue.first < queue.streams.size()) push(now_, Event::Kind::begin, queue.streams[queue.first]);
  if (--active_[stream.active].remaining == 0) end_launch(stream.active);
}

void JobRun::end_launch(int number) {
  ActiveLaunch& active = active_[number];
  const int request_number = active.request;
  DeviceRequest& request = report_.requests[request_number];
  const Work& work = works_[request_number];
  if (active.repeat) {
    active.repeat = false;
    request.read += request.asked;
    request.written += request.asked;
    return start_streams(number);
  }
  request.end = now_;
  request.expected = now_ - request.begin - work.answer.delay;
  report_.kernel_ticks += now_ - request.begin;
  const TransferAnswer reply = ask(TransferSite::Kind::completion, "", program_.launches[active.launch].name, -1, 0, 0);
  if (reply.error_code != 0) return fail(reply.error_code, words(request_number));
  if (reply.duplicate) ++replies_too_many_;
  if (work.early || work.answer.no_completion || reply.drop || reply.no_completion) return;
  push(now_ + reply.delay, Event::Kind::reply, request_number);
}

// Goes on with a stream until it has to stand still.
void JobRun::advance(int number) {
  while (!stopped_) {
    StreamRun& stream = streams_[number];
    stream.state = StreamRun::State::running;
    if (stream.position == stream.stream->instructions.size()) return end_stream(number);
    const Instruction& instruction = stream.stream->instructions[stream.position];
    bool on = false;
    switch (instruction.opcode) {
      case Opcode::wait: on = wait(number, instruction); break;
      case Opcode::signal: on = signal(number, instruction); break;
      case Opcode::receive: on = receive(number, instruction); break;
      default: on = begin_work(number, instruction); break;
    }
    if (!on) return;
  }
}

void JobRun::hold(int number, int token) {
  StreamRun& stream = streams_[number];
  stream.state = StreamRun::State::waiting;
  if (stream.pause >= 0) return;
  stream.pause = static_cast<int>(report_.pauses.size());
  report_.pauses.push_back({active_[stream.active].launch, stream.stream->core, static_cast<int>(stream.stream->engine),
                            token, now_, -1, -1});
}

void JobRun::go_on(int number) {
  StreamRun& stream = streams_[number];
  if (stream.pause >= 0) report_.pauses[stream.pause].end = now_;
  stream.pause = -1;
  ++stream.position;
}

// A token that the launch does not have is never signalled.
bool JobRun::wait(int number, const Instruction& instruction) {
  ActiveLaunch& active = active_[streams_[number].active];
  const bool known = instruction.token >= 0 && instruction.token < static_cast<int>(active.signals.size());
  if (known ? active.signals[instruction.token] >= instruction.count : instruction.count <= 0) {
    go_on(number);
    return true;
  }
  hold(number, instruction.token);
  if (known) active.waiting[instruction.token].push_back(number);
  return false;
}

bool JobRun::signal(int number, const Instruction& instruction) {
  const StreamRun& stream = streams_[number];
  const int active = stream.active, core = stream.stream->core;
  const int engine = static_cast<int>(stream.stream->engine);
  const std::string& kernel = program_.launches[active_[active].launch].name;
  const TransferAnswer answer = ask(TransferSite::Kind::signal, "", kernel, core, engine, 0);
  if (answer.error_code != 0) {
    fail(answer.error_code,
         fmt::format("{}, {}: signal of token {}", kernel, track_words(core, engine), instruction.token));
    return false;
  }
  const int token = instruction.token + static_cast<int>(answer.address_offset);
  if (options_.trace)
    signals_.push_back({TraceEvent::Kind::signal, now_, now_, core, track_words(core, engine),
                        fmt::format("token {}", token), -1, 0, 0, -1});
  for (int n = 0; n < (answer.drop ? 0 : answer.duplicate ? 2 : 1); ++n) {
    if (answer.delay > 0)
      push(now_ + answer.delay, Event::Kind::signal, active, token, now_);
    else
      deliver(active, token, now_);
  }
  if (answer.no_completion) {
    streams_[number].state = StreamRun::State::stuck;
    return false;
  }
  ++streams_[number].position;
  if (answer.delay == 0 || answer.early_completion) return true;
  push(now_ + answer.delay, Event::Kind::resume, number);
  return false;
}

void JobRun::deliver(int number, int token, int64_t given) {
  ActiveLaunch& active = active_[number];
  if (token < 0 || token >= static_cast<int>(active.signals.size())) return;
  const int64_t count = ++active.signals[token];
  std::vector<int>& waiting = active.waiting[token];
  std::erase_if(waiting, [&](int stream) {
    const StreamRun& run = streams_[stream];
    if (run.stream->instructions[run.position].count > count) return false;
    report_.pauses[run.pause].possible = given;
    push(now_, Event::Kind::resume, stream);
    return true;
  });
}

bool JobRun::receive(int number, const Instruction& instruction) {
  const StreamRun& stream = streams_[number];
  const Launch& launch = program_.launches[active_[stream.active].launch];
  if (effects_.receive(launch.computes[instruction.compute], stream.stream->core, instruction.peer)) {
    go_on(number);
    return true;
  }
  hold(number, -1);
  receivers_.push_back(number);
  return false;
}

void JobRun::deliver_send(int core, int peer) {
  std::erase_if(receivers_, [&](int number) {
    const StreamRun& run = streams_[number];
    if (run.stream->core != peer || run.stream->instructions[run.position].peer != core) return false;
    report_.pauses[run.pause].possible = now_;
    push(now_, Event::Kind::resume, number);
    return true;
  });
}

}  // namespace faultline
