// One conversation a request: a frame out, announcements of phases in, at last a reply. Whatever goes wrong with it
// ends the process; the next request starts another.
#include "runtime/backends/worker/worker.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "runtime/backends/worker/frame.h"
#include "runtime/backends/worker/process.h"
#include "runtime/backends/worker/wire.h"
#include "runtime/base/error.h"

namespace faultline {

namespace fs = std::filesystem;
using Status = RunReply::Status;
using nlohmann::json;

// From the end of what it says to its own end: an interpreter may take seconds to take leave.
static constexpr std::chrono::milliseconds kLastBreath(10'000);

// Adds to a phase what passes until the next begins, or until nobody times any more.
class PhaseTimer {
 public:
  PhaseTimer(std::map<std::string, int64_t>& nanoseconds, std::string phase)
      : nanoseconds_(nanoseconds), phase_(std::move(phase)) {}
  ~PhaseTimer() { enter({}); }
  void enter(std::string phase) {
    const Clock::time_point now = Clock::now();
    nanoseconds_[phase_] += std::chrono::nanoseconds(now - since_).count();
    since_ = now;
    phase_ = std::move(phase);
  }

 private:
  std::map<std::string, int64_t>& nanoseconds_;
  std::string phase_;
  Clock::time_point since_ = Clock::now();
};

static Clock::time_point in_milliseconds(int64_t milliseconds) {
  return Clock::now() + std::chrono::milliseconds(milliseconds);
}

Worker::Worker(WorkerCommand command) : command_(std::move(command)) {
  FAULTLINE_CHECK(!command_.command.empty(), "a worker without a command");
}

Worker::~Worker() {
  process_.reset();
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

RunReply Worker::run(const RunRequest& request) {
  RunReply reply;
  reply.phase = "start";
  if (process_ && must_be_replaced()) process_.reset();
  PhaseTimer timer(phase_nanoseconds_, reply.phase);
  if (process_ || start(reply)) converse(request, timer, reply);
  if (reply.attestation.is_null()) reply.attestation = attestation_;
  return reply;
}

// What it says unasked would be taken for an answer to the next request.
bool Worker::must_be_replaced() const {
  if (process_->ended() || has_unread(*process_) || requests_ >= command_.requests_max) return true;
  return process_->resident_bytes() - resident_at_start_ > (command_.memory_bytes - resident_at_start_) / 2;
}

std::vector<std::pair<std::string, std::string>> Worker::environment() const {
  std::vector<std::pair<std::string, std::string>> environment = {{"HOME", folder_ + "/home"},
                                                                  {"TMPDIR", folder_ + "/tmp"},
                                                                  {"XDG_CACHE_HOME", folder_ + "/cache"},
                                                                  {"LANG", "C.UTF-8"},
                                                                  {"OMP_NUM_THREADS", "1"},
                                                                  {"MKL_NUM_THREADS", "1"},
                                                                  {"PYTHONDONTWRITEBYTECODE", "1"},
                                                                  {"PYTHONHASHSEED", "0"},
                                                                  {"PYTHONNOUSERSITE", "1"},
                                                                  {"PYTHONUNBUFFERED", "1"}};
  for (const char* kept : {"PATH", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"})
    if (const char* value = getenv(kept)) environment.emplace_back(kept, value);
  for (const auto& [name, value] : command_.environment) {
    std::erase_if(environment, [&](const auto& entry) { return entry.first == name; });
    environment.emplace_back(name, value);
  }
  return environment;
}

bool Worker::start(RunReply& reply) {
  const auto refuse = [&](std::string why) {
    unavailable_ = std::move(why);
    process_.reset();
    reply.status = Status::unavailable;
    reply.text = wire_line(unavailable_);
    return false;
  };
  if (!unavailable_.empty()) return refuse(std::move(unavailable_));
  std::error_code error;
  if (folder_.empty()) {
    std::string pattern = fs::temp_directory_path(error).string() + "/faultline_worker_XXXXXX";
    if (error || !mkdtemp(pattern.data()))
      return refuse("no private folder can be made in the one for temporary files");
    folder_ = pattern;
  }
  fs::remove_all(folder_ + "/tmp", error);
  for (const char* name : {"/home", "/cache", "/tmp"}) fs::create_directories(folder_ + name, error);

  const SpawnOptions options = {command_.command, environment(), folder_ + "/tmp",
                                command_.limits_address_space ? command_.memory_bytes : 0};
  const Clock::time_point deadline = in_milliseconds(command_.start_ms);
  process_ = std::make_unique<Process>(options, command_.memory_bytes);
  ++starts_;
  requests_ = 0;
  attestation_ = nullptr;
  if (!process_->why_not().empty()) return refuse(process_->why_not());

  std::variant<Frame, FrameFailure> received = receive_frame(*process_, deadline);
  if (const auto* failure = std::get_if<FrameFailure>(&received)) {
    give_up(*failure, command_.start_ms, reply);
    return false;
  }
  json hello;
  std::optional<std::string> lie = parse_wire_json(std::get<Frame>(received).text, hello);
  if (!lie && hello.value("hello", json()) != kWireProtocol) lie = "no greeting of protocol 1";
  if (lie) {
    give_up({FrameFailure::Kind::lie, *lie}, 0, reply);
    return false;
  }
  if (const std::string* why = wire_string(hello, "unavailable")) return refuse(*why);
  attestation_ = hello.value("attestation", json());
  resident_at_start_ = process_->resident_bytes();
  return true;
}

void Worker::converse(const RunRequest& request, PhaseTimer& timer, RunReply& reply) {
  constexpr std::array<std::string_view, 4> phases = {"parse", "compile", "execute", "fetch"};
  const WireFrame wire = encode_request(request, ++id_);
  if (!wire.why_not.empty()) {
    reply.status = Status::out_of_memory;
    reply.text = wire.why_not;
    return;
  }
  process_->forget_output();
  const Clock::time_point deadline = in_milliseconds(command_.deadline_ms);
  if (const auto failure = send_frame(*process_, wire.text, wire.block, deadline))
    return give_up(*failure, command_.deadline_ms, reply);
  while (true) {
    std::variant<Frame, FrameFailure> received = receive_frame(*process_, deadline);
    if (const auto* failure = std::get_if<FrameFailure>(&received))
      return give_up(*failure, command_.deadline_ms, reply);
    const Frame& frame = std::get<Frame>(received);
    json document;
    std::optional<std::string> lie = parse_wire_json(frame.text, document);
    if (!lie && document.value("id", json()) != id_) lie = "a reply to another request";
    if (const std::string* phase = lie ? nullptr : wire_string(document, "phase")) {
      if (std::find(phases.begin(), phases.end(), *phase) != phases.end()) {
        reply.phase = *phase;
        timer.enter(*phase);
        continue;
      }
      lie = fmt::format("no such phase '{}'", wire_line(*phase));
    }
    RunReply said;
    if (!lie) lie = decode_reply(document, frame.block, request, command_.reply_bytes_max, said);
    if (lie) return give_up({FrameFailure::Kind::lie, *lie}, 0, reply);
    said.phase = std::move(reply.phase);
    reply = std::move(said);
    break;
  }
  reply.stderr_tail = process_->output_tail();
  json attestation = attestation_.is_object() ? attestation_ : json::object();
  attestation.update(reply.attestation);
  reply.attestation = std::move(attestation);
  ++requests_;
  if (reply.status == Status::out_of_memory) process_.reset();
}

// Ends the process and says why.
void Worker::give_up(const FrameFailure& failure, int64_t limit_ms, RunReply& reply) {
  reply.text = failure.text;
  if (failure.kind == FrameFailure::Kind::lie) {
    reply.status = Status::garbage;
  } else if (failure.kind == FrameFailure::Kind::late) {
    process_->interrupt();
    reply.status = Status::timed_out;
    reply.text = fmt::format("no answer within {} ms", limit_ms);
  } else if (failure.kind == FrameFailure::Kind::too_large) {
    reply.status = Status::out_of_memory;
    reply.text = fmt::format("{} bytes resident, at most {}", process_->resident_bytes(), command_.memory_bytes);
  } else if (!process_->wait_for_end(std::min(Clock::now() + kLastBreath, in_milliseconds(command_.deadline_ms)))) {
    reply.status = Status::garbage;
    reply.text = "it closed its end without a reply";
  } else {
    reply.text = process_->end();
    reply.status = Status::crashed;
  }
  reply.stderr_tail = process_->output_tail();
  // A C++ program that gets no memory aborts with these words; the system takes it by the signal that nobody catches.
  if (reply.status == Status::crashed &&
      (process_->killed_by(SIGKILL) || reply.stderr_tail.find("std::bad_alloc") != std::string::npos))
    reply.status = Status::out_of_memory;
  process_.reset();
  // Compilers leave half a file behind, which the next would take for a whole one.
  std::error_code ignored;
  if (reply.phase == "start" || reply.phase == "compile") fs::remove_all(folder_ + "/cache", ignored);
}

}  // namespace faultline
