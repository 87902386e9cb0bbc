// poll in short steps: between them the output is taken away and the size looked at.
#include "runtime/backends/worker/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace faultline {

static constexpr std::chrono::milliseconds kStep(20);
static constexpr std::chrono::milliseconds kLastWords(500);  // between SIGTERM and SIGKILL
static constexpr size_t kTailBytes = 4096;

Process::Process(const SpawnOptions& options, int64_t resident_bytes_max)
    : child_(options), resident_bytes_max_(resident_bytes_max) {}

Process::Event Process::wait_for(short events, Clock::time_point deadline) {
  Clock::time_point measured;
  while (true) {
    const bool was_ended = child_.ended();  // asked before the poll: what it sent is in the socket by now
    const Clock::time_point now = Clock::now();
    pollfd ends[2] = {{child_.socket(), events, 0}, {output_closed_ ? -1 : child_.output(), POLLIN, 0}};
    const auto step =
        std::clamp(std::chrono::ceil<std::chrono::milliseconds>(deadline - now), std::chrono::milliseconds(0), kStep);
    poll(ends, 2, was_ended ? 0 : static_cast<int>(step.count()));
    take_output();
    if (ends[0].revents != 0) return Event::ready;  // an error or a hang-up too: reading or writing tells
    if (was_ended) return Event::ended;
    if (now >= deadline) return Event::late;
    if (now - measured >= kStep) {
      measured = now;
      if (resident_bytes() > resident_bytes_max_) return Event::too_large;
    }
  }
}

bool Process::wait_for_end(Clock::time_point deadline) {
  while (!child_.ended()) {
    if (Clock::now() >= deadline) return false;
    pollfd output = {output_closed_ ? -1 : child_.output(), POLLIN, 0};
    poll(&output, 1, 5);
    take_output();
  }
  take_output();
  return true;
}

void Process::interrupt() {
  child_.send(SIGTERM);
  wait_for_end(Clock::now() + kLastWords);
  end();
  take_output();
}

// No more than a pipe holds at a time: one who prints without end must not keep us here.
bool Process::take_output() {
  char buffer[1 << 16];
  const ssize_t got = read(child_.output(), buffer, sizeof buffer);
  if (got == 0) output_closed_ = true;
  if (got <= 0) return false;
  output_.append(buffer, static_cast<size_t>(got));
  if (output_.size() > 2 * kTailBytes) output_.erase(0, output_.size() - kTailBytes);
  return true;
}

std::string Process::output_tail() {
  for (int i = 0; i < 16 && take_output(); ++i) {
  }
  std::string tail = output_.size() > kTailBytes ? output_.substr(output_.size() - kTailBytes) : output_;
  for (char& c : tail)
    if (static_cast<unsigned char>(c) >= 0x7f || (c < ' ' && c != '\n' && c != '\t')) c = '?';
  return tail;
}

// Pages of /proc/<id>/statm. Of the process itself: its compilers have the limit on address space.
int64_t Process::resident_bytes() const {
  const FileDescriptor file(open(fmt::format("/proc/{}/statm", child_.id()).c_str(), O_RDONLY | O_CLOEXEC));
  char text[128] = {};
  if (!file.open() || read(file.number(), text, sizeof text - 1) <= 0) return 0;
  char* second = nullptr;
  strtoll(text, &second, 10);
  return strtoll(second, nullptr, 10) * sysconf(_SC_PAGESIZE);
}

}  // namespace faultline
