// What one job on the device left: every request with its times and bytes, how it ended, and who waited for whom.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace faultline {

// One piece of work of an engine or of the host queue. Its number is its place in DeviceReport::requests.
struct DeviceRequest {
  enum class Kind : uint8_t { host_to_device, patch, launch, device_to_host, copy, compute, send };
  Kind kind = Kind::copy;
  int step = -1;         // of the job plan
  int launch = -1;       // of the machine program; -1 for host copies
  int core = -1;         // -1: the host queue
  int engine = -1;       // Engine, for work of a core
  int item = -1;         // descriptor or compute of the launch
  int buffer = -1;       // of a copy
  int64_t ready = 0;     // tick at which its engine could have begun
  int64_t begin = 0;     // tick at which it began
  int64_t end = -1;      // tick at which its effects were there; -1: never
  int64_t replied = -1;  // tick at which its issuer learnt that it had ended; -1: never
  int64_t expected = 0;  // ticks from begin to end when nothing goes wrong
  int64_t asked = 0;     // bytes
  int64_t read = 0;      // bytes that left the source
  int64_t written = 0;   // bytes that reached the destination; a copy carried out twice counts twice
  int64_t address = 0;   // device address of the first byte
  // Of the bytes, in order. Without DeviceOptions::trace they are worked out only where bytes changed on their way.
  uint64_t checksum_read = 0, checksum_written = 0;
};

// A stream that stood still for a token, or for partial results (token -1).
struct DeviceWait {
  int launch = -1, core = -1, engine = -1;
  int token = -1;
  int64_t begin = 0;
  int64_t possible = -1;  // tick at which the last signal it needed was given; -1: never
  int64_t end = -1;       // tick at which it went on; -1: never
};

// One thing that happened, in words, for people and for the trace.
struct TraceEvent {
  enum class Kind : uint8_t { request, finish, wait, signal, error };
  Kind kind = Kind::finish;    // request: work that never finished
  int64_t begin = 0, end = 0;  // ticks
  int core = -1;
  std::string track;  // "host", "core 3 load", ...
  std::string what;   // "H2D x", "k0_clone: 128 bytes of x", "token 4"
  int buffer = -1;
  int64_t bytes = 0;          // asked for
  int64_t bytes_written = 0;  // that reached their destination
  int64_t request = -1;       // request number
  bool operator==(const TraceEvent&) const = default;
};

struct MemorySample {
  int64_t tick = 0;
  int64_t bytes = 0;  // of device memory allocated from here on
  bool operator==(const MemorySample&) const = default;
};

struct DeviceReport {
  enum class End : uint8_t { completed, error, hung };
  End end = End::completed;
  uint32_t error_code = 0;  // what synchronising returned: the first error
  std::string error_name;
  std::string error_place;     // the request that failed, in words
  int refused = 0;             // steps refused afterwards, with the cascade code
  std::string oldest_request;  // hung: the oldest outstanding request and its age
  std::vector<std::string> waits, cycle;
  int64_t ticks = 0, kernel_ticks = 0, transfer_ticks = 0;
  int64_t arena = 0;        // what the card added to the program's device addresses
  int64_t bytes_moved = 0;  // over the host link and between device and scratch memory
  std::vector<DeviceRequest> requests;
  std::vector<DeviceWait> pauses;
  std::vector<MemorySample> memory;
  std::vector<TraceEvent> trace;  // with DeviceOptions::trace
  std::vector<std::string> memory_events;
  std::vector<std::string> outside_writes;  // those of them that wrote outside allocations
};

}  // namespace faultline
