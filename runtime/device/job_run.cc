// The event loop, and what all requests share.
#include "runtime/device/job_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/device/device_words.h"

namespace faultline {

namespace {

constexpr int64_t kLeastLimit = 1'000'000;

}  // namespace

JobRun::JobRun(const DeviceParameters& parameters, const MachineProgram& program, const JobPlan& plan, Gate& gate,
               DeviceEffects& effects, CardHistory& history, const Options& options)
    : parameters_(parameters),
      program_(program),
      plan_(plan),
      gate_(gate),
      effects_(effects),
      history_(history),
      options_(options),
      costs_(parameters, program),
      limit_(parameters.watchdog_ticks > 0 ? parameters.watchdog_ticks : kLeastLimit),
      limit_final_(parameters.watchdog_ticks > 0) {}

DeviceReport JobRun::run() {
  effects_.begin_launch(-1);
  sample_memory(-1);
  push(0, Event::Kind::step, 0);
  while (!events_.empty() && !stopped_) {
    std::pop_heap(events_.begin(), events_.end(), std::greater<>());
    const Event event = events_.back();
    events_.pop_back();
    if (!finished_ && beyond_limit(event.tick)) break;
    now_ = event.tick;
    handle(event);
  }
  if (!finished_ && !stopped_) hang();
  if (options_.trace) write_trace();
  return std::move(report_);
}

void JobRun::push(int64_t tick, Event::Kind kind, int index, int token, int64_t given) {
  events_.push_back({tick, events_made_++, kind, index, token, given});
  std::push_heap(events_.begin(), events_.end(), std::greater<>());
}

void JobRun::handle(const Event& event) {
  switch (event.kind) {
    case Event::Kind::step: return next_step();
    case Event::Kind::start: return start(event.index);
    case Event::Kind::begin: return begin_stream(event.index);
    case Event::Kind::resume: return advance(event.index);
    case Event::Kind::signal: return deliver(event.index, event.token, event.given);
    case Event::Kind::reply: return host_reply(event.index);
    case Event::Kind::finish:
      return works_[event.index].stream >= 0 ? finish_work(event.index) : finish_host_work(event.index);
  }
}

// The estimate is only made for a job that runs longer than the least limit.
bool JobRun::beyond_limit(int64_t tick) {
  if (tick <= limit_) return false;
  if (limit_final_) return true;
  limit_final_ = true;
  int64_t host_bytes = 0;
  for (const JobStep& step : plan_.steps)
    for (const TransferRecord& record : step.records)
      host_bytes += record.elements() * program_.layouts[step.buffer].flat_element_bytes();
  const auto copies = static_cast<int64_t>(plan_.steps.size()) * parameters_.dma_setup_ticks;
  limit_ = std::max(limit_, 10 * (costs_.serial(host_bytes) + copies));
  return tick > limit_;
}

int JobRun::add_request(const DeviceRequest& request) {
  report_.requests.push_back(request);
  works_.emplace_back();
  return static_cast<int>(works_.size()) - 1;
}

TransferAnswer JobRun::ask(TransferSite::Kind kind, std::string_view buffer, std::string_view kernel, int core,
                           int channel, int64_t bytes) {
  int64_t& asked = history_.asked[static_cast<size_t>(kind)];
  return gate_.transfer({kind, buffer, kernel, options_.call, core, channel, asked++, bytes});
}

int JobRun::take_slot() {
  if (free_slots_.empty()) return slots_++;
  const int slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

void JobRun::put(int number) {
  Work& work = works_[number];
  DeviceRequest& request = report_.requests[number];
  const Moved moved = effects_.put(work.slot, work.order);
  free_slots_.push_back(work.slot);
  request.read += moved.read;
  request.written += moved.written;
  request.checksum_read = moved.checksum_read;
  request.checksum_written = moved.checksum_written;
  report_.bytes_moved += moved.written;
}

bool JobRun::page_fault(int64_t address) const {
  return address < 0 || address >= parameters_.segment_bytes * parameters_.segments;
}

void JobRun::fail(uint32_t code, const std::string& place) {
  if (finished_ || stopped_) return;
  stopped_ = true;
  report_.end = DeviceReport::End::error;
  report_.error_code = code;
  report_.error_name = code == parameters_.fault_code        ? parameters_.fault_name
                       : code == parameters_.cascade_code    ? parameters_.cascade_name
                       : code == parameters_.page_fault_code ? parameters_.page_fault_name
                                                             : fmt::format("0x{:x}", code);
  report_.error_place = place;
  report_.refused = static_cast<int>(plan_.steps.size()) - static_cast<int>(step_) - 1;
  report_.ticks = now_;
}

std::string JobRun::words(int request) const { return request_words(program_, report_.requests[request]); }

}  // namespace faultline
