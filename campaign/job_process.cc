// Frames of JSON, as for a worker, but with signs of life between: a case may take long, silence may not.
#include "campaign/job_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <utility>

#include "runtime/backends/worker/frame.h"

namespace faultline {

static constexpr std::chrono::milliseconds kStep(500);
static constexpr std::chrono::minutes kSilenceMost(10);
static constexpr int64_t kMemoryBytes = int64_t{16} << 30;

JobProcess::JobProcess(JobCommand command, nlohmann::json settings)
    : command_(std::move(command)), settings_(std::move(settings)) {}

// All of this process's, but for where temporary files go: what a killed child leaves there goes with the campaign.
static std::vector<std::pair<std::string, std::string>> environment_with(const std::string& folder) {
  std::vector<std::pair<std::string, std::string>> environment = {{"TMPDIR", folder}};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const size_t equals = text.find('=');
    if (equals != std::string::npos && text.substr(0, equals) != "TMPDIR")
      environment.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

bool JobProcess::start(Answer& answer, const std::function<bool()>& stop) {
  process_ = std::make_unique<Process>(
      SpawnOptions{command_.command, environment_with(command_.folder), command_.folder, 0}, kMemoryBytes);
  if (!process_->why_not().empty()) {
    answer.lost = process_->why_not();
    process_.reset();
    return false;
  }
  Answer ready;
  converse(settings_, stop, ready);
  if (ready.reply.is_null() || !ready.reply.contains("ready")) {
    answer.lost = ready.reply.is_null() ? ready.lost : ready.reply.dump();
    answer.interrupted = ready.interrupted;
    process_.reset();
    return false;
  }
  return true;
}

void JobProcess::converse(const nlohmann::json& request, const std::function<bool()>& stop, Answer& answer) {
  auto deadline = Clock::now() + kSilenceMost;
  if (send_frame(*process_, request.dump(), FileDescriptor(), deadline)) {
    answer.lost = process_->end();
    return;
  }
  while (true) {
    const Process::Event event = process_->wait_for(POLLIN, Clock::now() + kStep);
    if (stop()) {
      answer.interrupted = true;
      return;
    }
    if (event == Process::Event::late && Clock::now() < deadline) continue;
    if (event == Process::Event::late) answer.lost = "no sign of life in ten minutes";
    if (event == Process::Event::too_large) answer.lost = "out of memory";
    if (!answer.lost.empty()) return;
    auto frame = receive_frame(*process_, Clock::now() + kSilenceMost);
    if (std::holds_alternative<FrameFailure>(frame)) {
      process_->wait_for_end(Clock::now() + kStep);
      answer.lost = process_->end();
      return;
    }
    answer.reply = nlohmann::json::parse(std::get<Frame>(frame).text, nullptr, false);
    if (answer.reply.is_discarded()) answer.reply = nullptr;
    if (answer.reply.is_object() && answer.reply.contains("alive")) {
      answer.reply = nullptr;
      deadline = Clock::now() + kSilenceMost;
      continue;
    }
    if (answer.reply.is_null()) answer.lost = "an answer that is none";
    return;
  }
}

JobProcess::Answer JobProcess::ask(const nlohmann::json& request, const std::function<bool()>& stop) {
  Answer answer;
  if (process_ == nullptr && !start(answer, stop)) return answer;
  converse(request, stop, answer);
  if (answer.reply.is_null()) process_.reset();
  return answer;
}

}  // namespace faultline
