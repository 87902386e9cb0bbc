// The promises that concern one request alone.
#include "runtime/device/verify_transfer.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/device/device_words.h"
#include "runtime/device/transfer_check.h"

namespace faultline {

using Kind = DeviceRequest::Kind;

TransferCheck::TransferCheck(const MachineProgram& program, const JobPlan& plan, const DeviceReport& report)
    : program_(program), plan_(plan), report_(report), bases_(program.buffers.size(), 0) {
  for (const Allocation& allocation : program.allocations)
    bases_[allocation.buffer] = (static_cast<int64_t>(allocation.segment) << kSegmentShift) + allocation.offset;
}

std::vector<Finding> TransferCheck::run() {
  check_error();
  for (size_t r = 0; r < report_.requests.size(); ++r) {
    check_reply(r);
    check_bytes(r);
    check_time(r);
  }
  check_steps();
  check_launches();
  check_host_addresses();
  check_idle();
  return std::move(findings_);
}

void TransferCheck::add(std::string_view promise, const std::string& place, std::string text) {
  auto count = std::find_if(counts_.begin(), counts_.end(), [&](const auto& entry) { return entry.first == promise; });
  if (count == counts_.end()) count = counts_.insert(counts_.end(), {std::string(promise), 0});
  if (++count->second <= kMost) findings_.push_back({"transfer", std::string(promise), place, std::move(text)});
}

void TransferCheck::add(std::string_view promise, size_t request, std::string text) {
  add(promise, fmt::format("request {}, {}", request, request_words(program_, report_.requests[request])),
      std::move(text));
}

void TransferCheck::check_error() {
  if (report_.end != DeviceReport::End::error) return;
  add("error", report_.error_place,
      fmt::format("reported 0x{:x} {}, and {} later steps were refused", report_.error_code, report_.error_name,
                  report_.refused));
}

// What its streams stand still for explains a launch that does not end.
bool TransferCheck::explained(const DeviceRequest& launch) const {
  const bool open = std::any_of(report_.requests.begin(), report_.requests.end(), [&](const DeviceRequest& request) {
    return request.core >= 0 && request.launch == launch.launch && request.replied < 0;
  });
  return open || std::any_of(report_.pauses.begin(), report_.pauses.end(),
                             [&](const DeviceWait& pause) { return pause.launch == launch.launch && pause.end < 0; });
}

// An error cuts short what is under way.
void TransferCheck::check_reply(size_t number) {
  const DeviceRequest& request = report_.requests[number];
  if (request.replied >= 0) {
    if (request.end >= 0 && request.replied >= request.end) return;
    add("order", number,
        request.end < 0 ? fmt::format("replied at tick {}, and never ended", request.replied)
                        : fmt::format("replied at tick {} and ended at tick {}", request.replied, request.end));
    return;
  }
  if (report_.end != DeviceReport::End::hung) return;
  if (request.end >= 0)
    add("request", number, fmt::format("ended at tick {} and never replied", request.end));
  else if (request.kind != Kind::launch || !explained(request))
    add("request", number, fmt::format("began at tick {} and never ended", request.begin));
}

void TransferCheck::check_bytes(size_t number) {
  const DeviceRequest& request = report_.requests[number];
  const bool replied = request.replied >= 0 || request.end >= 0;
  if (!replied || request.asked == 0 || report_.end == DeviceReport::End::error) return;
  const std::string text =
      fmt::format("{} bytes asked for, {} read, {} written", request.asked, request.read, request.written);
  if (request.read == 0 && request.written == 0)
    add("moved", number, text);
  else if (request.read > request.asked || request.written > request.asked)
    add("once", number, text);
  else if (request.read != request.asked || request.written != request.asked)
    add("bytes", number, text);
  if (request.checksum_read != request.checksum_written)
    add("checksum", number,
        fmt::format("checksum {:016x} of the bytes read and {:016x} of the bytes written", request.checksum_read,
                    request.checksum_written));
}

void TransferCheck::check_time(size_t number) {
  const DeviceRequest& request = report_.requests[number];
  if (request.end >= 0 && request.end - request.begin > request.expected)
    add("idle", number,
        fmt::format("took {} ticks of which {} are its work", request.end - request.begin, request.expected));
}

void TransferCheck::check_idle() {
  for (const DeviceWait& pause : report_.pauses)
    if (pause.end >= 0 && pause.possible >= 0 && pause.end > pause.possible)
      add("idle", fmt::format("{}, {}", program_.launches[pause.launch].name, track_words(pause.core, pause.engine)),
          fmt::format("stood still until tick {}, and could have gone on at tick {}", pause.end, pause.possible));
}

// Every step of a completed job has one request.
void TransferCheck::check_steps() {
  if (report_.end != DeviceReport::End::completed) return;
  std::vector<int> seen(plan_.steps.size(), 0);
  for (size_t r = 0; r < report_.requests.size(); ++r) {
    const DeviceRequest& request = report_.requests[r];
    if (request.core < 0 && ++seen[request.step] > 1) add("once", r, fmt::format("job step {} again", request.step));
  }
  for (size_t step = 0; step < seen.size(); ++step)
    if (seen[step] == 0) add("moved", fmt::format("job step {}", step), "no request was made for it");
}

std::vector<Finding> verify_transfer(const MachineProgram& program, const JobPlan& plan, const DeviceReport& report) {
  return TransferCheck(program, plan, report).run();
}

}  // namespace faultline
