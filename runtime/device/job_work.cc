// The work of engines: copies, compute instructions, partial results on the ring.
#include <algorithm>

#include "runtime/device/job_run.h"

namespace faultline {

// False when the stream stands still until the work has replied, or until its engine is free.
bool JobRun::begin_work(int number, const Instruction& instruction) {
  StreamRun& stream = streams_[number];
  EngineQueue& engine = engines_[stream.engine];
  if (stream.ready < 0) stream.ready = now_;
  stream.state = StreamRun::State::working;
  if (engine.free > now_) {
    push(engine.free, Event::Kind::resume, number);
    return false;
  }
  const ActiveLaunch& active = active_[stream.active];
  const Launch& launch = program_.launches[active.launch];
  DeviceRequest request;
  request.step = report_.requests[active.request].step;
  request.launch = active.launch;
  request.core = stream.stream->core;
  request.engine = static_cast<int>(stream.stream->engine);
  request.ready = stream.ready;
  request.begin = now_;
  const int work_number = add_request(request);
  Work& work = works_[work_number];
  work.stream = number;
  work.peer = instruction.peer;
  const auto stream_number = static_cast<size_t>(number - active.first_stream);
  work.order.actor = active.first_actor + active.places[stream_number][stream.position];
  stream.request = work_number;
  stream.ready = -1;
  switch (instruction.opcode) {
    case Opcode::copy: begin_copy(work_number, launch.descriptors[instruction.descriptor]); break;
    case Opcode::compute: begin_compute(work_number, launch.computes[instruction.compute]); break;
    default: begin_send(work_number, launch.computes[instruction.compute]); break;
  }
  DeviceRequest& begun = report_.requests[work_number];
  begun.item = instruction.opcode == Opcode::copy ? instruction.descriptor : instruction.compute;
  begun.expected = work.duration;
  engine.free = now_ + work.duration + work.answer.delay;
  push(engine.free, Event::Kind::finish, work_number);
  work.early = work.answer.early_completion && !work.answer.no_completion;
  if (!work.early) return false;
  begun.replied = now_;
  stream.request = -1;
  ++stream.position;
  return true;
}

void JobRun::begin_copy(int number, const Descriptor& descriptor) {
  DeviceRequest& request = report_.requests[number];
  Work& work = works_[number];
  const ActiveLaunch& active = active_[streams_[work.stream].active];
  const Address* device = device_side(descriptor);
  request.kind = DeviceRequest::Kind::copy;
  request.buffer = device != nullptr ? device->buffer : -1;
  request.asked = moved_bytes(descriptor);
  const std::string_view buffer = device != nullptr ? std::string_view(program_.buffers[request.buffer].name) : "";
  const TransferAnswer answer = ask(TransferSite::Kind::descriptor, buffer, program_.launches[active.launch].name,
                                    request.core, request.engine, request.asked);
  work.answer = answer;
  work.duration = channel_.end_of_copy(costs_, now_, request.asked) - now_;
  work.order.descriptor = &descriptor;
  work.order.core = request.core;
  work.order.bytes = answer.keep_bytes < 0 ? request.asked : std::min(answer.keep_bytes, request.asked);
  work.order.flip_mask = answer.flip_mask;
  work.order.flip_offset = answer.flip_offset;
  work.order.flip_at_rest = answer.flip_at_rest;
  work.order.base = answer.address_offset;
  if (device != nullptr) {
    work.order.base += active.bases[device->buffer];
    request.address = work.order.base + device->offset;
    if (request.asked > 0 && page_fault(request.address)) work.answer.error_code = parameters_.page_fault_code;
  }
  if (answer.drop || work.answer.error_code != 0) return;
  work.slot = take_slot();
  effects_.take(work.slot, work.order);
}

void JobRun::begin_compute(int number, const Compute& compute) {
  DeviceRequest& request = report_.requests[number];
  Work& work = works_[number];
  request.kind = DeviceRequest::Kind::compute;
  work.answer =
      ask(TransferSite::Kind::completion, "", program_.launches[request.launch].name, request.core, request.engine, 0);
  work.duration = costs_.compute(compute);
  if (work.answer.drop || work.answer.error_code != 0) return;
  effects_.compute(compute, request.core, work.order.actor);
  if (work.answer.duplicate) effects_.compute(compute, request.core, work.order.actor);
}

void JobRun::begin_send(int number, const Compute& compute) {
  DeviceRequest& request = report_.requests[number];
  Work& work = works_[number];
  request.kind = DeviceRequest::Kind::send;
  request.asked = costs_.send_bytes(compute);
  work.answer = ask(TransferSite::Kind::descriptor, "", program_.launches[request.launch].name, request.core,
                    request.engine, request.asked);
  work.duration = costs_.send(compute);
}

// `again`: the second time that a request is carried out, after its issuer has gone on.
void JobRun::finish_work(int number) {
  Work& work = works_[number];
  if (work.answer.error_code != 0) return fail(number);
  DeviceRequest& request = report_.requests[number];
  const StreamRun& stream = streams_[work.stream];
  if (work.slot >= 0) put(number);
  if (work.again) return;
  request.end = now_;
  if (request.kind == DeviceRequest::Kind::send && !work.answer.drop) {
    const Launch& launch = program_.launches[request.launch];
    for (int n = 0; n < (work.answer.duplicate ? 2 : 1); ++n) {
      effects_.send(launch.computes[request.item], request.core, work.peer);
      request.read += request.asked;
      request.written += request.asked;
    }
    deliver_send(request.core, work.peer);
  }
  if (work.answer.duplicate && work.slot >= 0) {
    work.again = true;
    effects_.take(work.slot = take_slot(), work.order);
    EngineQueue& engine = engines_[stream.engine];
    engine.free = std::max(engine.free, now_) + work.duration;
    push(engine.free, Event::Kind::finish, number);
  }
  if (work.early || work.answer.no_completion) return;
  request.replied = now_;
  streams_[work.stream].request = -1;
  ++streams_[work.stream].position;
  advance(work.stream);
}

}  // namespace faultline
