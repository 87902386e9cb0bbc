// The host queue: copies, argument blocks, launches, synchronisation.
#include <algorithm>

#include "runtime/device/job_run.h"

namespace faultline {

namespace {

constexpr int64_t kArgumentBytes = 8;  // a base address, least significant byte first

uint8_t byte_of(const std::vector<int64_t>& block, int64_t at) {
  return static_cast<uint8_t>(static_cast<uint64_t>(block[at / kArgumentBytes]) >> (8 * (at % kArgumentBytes)));
}

void set_byte(std::vector<int64_t>& block, int64_t at, uint8_t byte) {
  const auto shift = static_cast<unsigned>(8 * (at % kArgumentBytes));
  auto word = static_cast<uint64_t>(block[at / kArgumentBytes]);
  word = (word & ~(uint64_t{0xFF} << shift)) | uint64_t{byte} << shift;
  block[at / kArgumentBytes] = static_cast<int64_t>(word);
}

int64_t bytes_of(const std::vector<int64_t>& block) { return static_cast<int64_t>(block.size()) * kArgumentBytes; }

// The first `keep` bytes of `from` (all if negative) over `into`, `shift` bytes further on, one of them flipped. Bytes
// that fall beside the block are lost. Returns how many arrived.
int64_t overwrite(std::vector<int64_t>& into, const std::vector<int64_t>& from, const TransferAnswer& answer,
                  int64_t shift) {
  const int64_t all = bytes_of(from);
  const int64_t count = answer.keep_bytes < 0 ? all : std::min(answer.keep_bytes, all);
  int64_t arrived = 0;
  for (int64_t at = 0; at < count; ++at) {
    const int64_t target = at + shift;
    if (target < 0 || target >= bytes_of(into)) continue;
    const bool flipped = answer.flip_mask != 0 && at == answer.flip_offset;
    set_byte(into, target, static_cast<uint8_t>(byte_of(from, at) ^ (flipped ? answer.flip_mask : 0)));
    ++arrived;
  }
  return arrived;
}

}  // namespace

void JobRun::next_step() {
  if (finished_) return;
  if (step_ == plan_.steps.size()) return synchronise();
  const JobStep& step = plan_.steps[step_];
  // The link is still busy with a copy that replied too early. Arguments and launches go past it.
  if (step.buffer >= 0 && host_free_ > now_) return push(host_free_, Event::Kind::step, 0);
  switch (step.kind) {
    case JobStep::Kind::host_to_device:
    case JobStep::Kind::device_to_host: return issue_copy(step);
    case JobStep::Kind::patch: return issue_patch(step);
    case JobStep::Kind::compute: return issue_launch(step);
  }
}

void JobRun::issue_copy(const JobStep& step) {
  const bool inward = step.kind == JobStep::Kind::host_to_device;
  int64_t bytes = 0;
  for (const TransferRecord& record : step.records) bytes += record.elements();
  bytes *= program_.layouts[step.buffer].flat_element_bytes();
  DeviceRequest request;
  request.kind = inward ? DeviceRequest::Kind::host_to_device : DeviceRequest::Kind::device_to_host;
  request.step = static_cast<int>(step_);
  request.buffer = step.buffer;
  request.asked = bytes;
  const int number = add_request(request);
  const auto kind = inward ? TransferSite::Kind::host_to_device : TransferSite::Kind::device_to_host;
  Work& work = works_[number];
  work.answer = ask(kind, program_.buffers[step.buffer].name, "", -1, 0, bytes);
  work.duration = costs_.host_copy(bytes);
  work.order.step = &step;
  work.order.base = effects_.base(step.buffer) + work.answer.address_offset;
  report_.requests[number].address = work.order.base;
  if (bytes > 0 && page_fault(work.order.base)) work.answer.error_code = parameters_.page_fault_code;
  begin_host_work(number);
}

void JobRun::issue_patch(const JobStep& step) {
  DeviceRequest request;
  request.kind = DeviceRequest::Kind::patch;
  request.step = static_cast<int>(step_);
  request.launch = step.launch;
  request.asked = static_cast<int64_t>(program_.buffers.size()) * kArgumentBytes;
  const int number = add_request(request);
  Work& work = works_[number];
  work.answer = ask(TransferSite::Kind::patch, "", program_.launches[step.launch].name, -1, 0, request.asked);
  work.duration = costs_.host_copy(request.asked);
  begin_host_work(number);
}

// A copy, which occupies the link, or a patch.
void JobRun::begin_host_work(int number) {
  Work& work = works_[number];
  DeviceRequest& request = report_.requests[number];
  const TransferAnswer& answer = work.answer;
  request.ready = request.begin = now_;
  request.expected = work.duration;
  const int64_t end = now_ + work.duration + answer.delay;
  if (work.order.step != nullptr) host_free_ = end;
  if (work.order.step != nullptr && !answer.drop && answer.error_code == 0) {
    work.order.bytes = answer.keep_bytes < 0 ? request.asked : std::min(answer.keep_bytes, request.asked);
    work.order.flip_mask = answer.flip_mask;
    work.order.flip_offset = answer.flip_offset;
    work.order.flip_at_rest = answer.flip_at_rest;
    work.slot = take_slot();
    effects_.take(work.slot, work.order);
  }
  push(end, Event::Kind::finish, number);
  work.early = (answer.early_completion || replies_too_many_ > 0) && !answer.no_completion;
  if (replies_too_many_ > 0) --replies_too_many_;
  if (work.early) push(now_, Event::Kind::reply, number);
}

void JobRun::finish_host_work(int number) {
  Work& work = works_[number];
  if (work.answer.error_code != 0) return fail(number);
  if (work.slot >= 0)
    put(number);
  else if (!work.answer.drop)
    write_arguments(number);
  if (work.again) return;
  DeviceRequest& request = report_.requests[number];
  request.end = now_;
  report_.transfer_ticks += now_ - request.begin;
  if (work.answer.duplicate && !work.answer.drop) {
    work.again = true;
    if (work.slot >= 0) {
      effects_.take(work.slot = take_slot(), work.order);
      host_free_ = now_ + work.duration;
    }
    push(now_ + work.duration, Event::Kind::finish, number);
  }
  if (!work.early && !work.answer.no_completion) host_reply(number);
}

CardHistory::Arguments& JobRun::arguments(int launch) {
  return history_.arguments[program_.name + "/" + program_.launches[launch].name];
}

void JobRun::write_arguments(int number) {
  DeviceRequest& request = report_.requests[number];
  std::vector<int64_t>& block = arguments(request.launch).current;
  block.resize(program_.buffers.size(), 0);
  if (works_[number].answer.stale_arguments) return;
  std::vector<int64_t> bases;
  for (size_t b = 0; b < block.size(); ++b) bases.push_back(effects_.base(static_cast<int>(b)));
  const int64_t arrived = overwrite(block, bases, works_[number].answer, works_[number].answer.address_offset);
  const int64_t keep = works_[number].answer.keep_bytes;
  request.read += keep < 0 ? request.asked : std::min(keep, request.asked);
  request.written += arrived;
}

void JobRun::issue_launch(const JobStep& step) {
  effects_.begin_launch(step.launch);
  sample_memory(step.launch);
  DeviceRequest request;
  request.kind = DeviceRequest::Kind::launch;
  request.step = static_cast<int>(step_);
  request.launch = step.launch;
  request.ready = request.begin = now_;
  request.asked = static_cast<int64_t>(program_.buffers.size()) * kArgumentBytes;
  const int number = add_request(request);
  Work& work = works_[number];
  work.answer = ask(TransferSite::Kind::launch, "", program_.launches[step.launch].name, -1, 0, request.asked);
  push(now_ + parameters_.launch_ticks + work.answer.delay, Event::Kind::start, number);
  work.early = (work.answer.early_completion || replies_too_many_ > 0) && !work.answer.no_completion;
  if (replies_too_many_ > 0) --replies_too_many_;
  if (work.early) push(now_, Event::Kind::reply, number);
}

// The arguments that a launch takes along: those patched last, less what happens to them on the way.
std::vector<int64_t> JobRun::launch_arguments(int number) {
  const TransferAnswer& answer = works_[number].answer;
  CardHistory::Arguments& mine = arguments(report_.requests[number].launch);
  mine.current.resize(program_.buffers.size(), 0);
  const bool older = !mine.previous.empty();
  std::vector<int64_t> block = older ? mine.previous : std::vector<int64_t>(mine.current.size(), 0);
  block.resize(mine.current.size(), 0);
  DeviceRequest& request = report_.requests[number];
  request.read = request.asked;
  request.written = older && answer.stale_arguments ? request.asked : overwrite(block, mine.current, answer, 0);
  for (int64_t& base : block) base += answer.address_offset;
  mine.previous = mine.current;
  return block;
}

// Of a step that the host was told is done: it goes on to the next.
void JobRun::host_reply(int number) {
  report_.requests[number].replied = now_;
  if (finished_) return;
  ++step_;
  push(now_, Event::Kind::step, 0);
}

void JobRun::sample_memory(int launch) {
  int64_t bytes = 0;
  for (const Allocation& allocation : program_.allocations)
    if (allocation.first <= launch && allocation.last >= launch) bytes += allocation.bytes;
  if (report_.memory.empty() || report_.memory.back().bytes != bytes) report_.memory.push_back({now_, bytes});
}

void JobRun::synchronise() {
  finished_ = true;
  report_.ticks = now_;
  effects_.synchronise();
}

}  // namespace faultline
