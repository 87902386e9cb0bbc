// What is asked of a compiler under test in a process of its own, and what comes back. On the wire it is frames of JSON
// with one block of shared memory for the bytes of all tensors (wire.h); here it is plain data.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/eager/value.h"

namespace faultline {

using NamedValues = std::vector<std::pair<std::string, Value>>;

// One run of one program by one way of compiling it.
struct RunRequest {
  std::string form;         // "python", "stablehlo", "onnx": what `program` is
  std::string program;      // source text or bytes
  std::string entry;        // the function's name in it
  nlohmann::json settings;  // of the rung: what the worker switches (runtime/backends/external/backend.h)
  // State before the first call, by name in one order for worker and reply; then the arguments of each call: tensors,
  // numbers, truth values, none, and lists of them. Tensors that share a storage share its pointer, between calls too.
  NamedValues attributes;
  std::vector<ValueList> calls;
  // The program brings its own arguments and names: a reply has as many calls as it made, and all that they left are
  // attributes, texts among them.
  bool is_open = false;
};

// What one call left. Tensors that shared storage in the worker share a pointer, inputs and attributes included, but
// never with the request, nor with another call's: it is a snapshot.
struct CallReply {
  ValueList outputs;
  ValueList inputs_after;  // one an argument; scalars as they were
  NamedValues attributes_after;
};

struct RunReply {
  enum class Status {
    ok,
    rejected,       // the compiler says that it does not support this: `text` says what
    raised,         // it, or the compiled program, raised: `text` is "RuntimeError: ..." in one line
    crashed,        // a signal, an abort, an exit: "SIGSEGV", "exit code 3"
    timed_out,      // no answer before the deadline
    out_of_memory,  // over its limit, or ended by the system for memory
    garbage,        // what it sent is no answer: "a frame of 3221225472 bytes", "output 0: ..."
    unavailable,    // it cannot be started: `text` says what to type
  };
  Status status = Status::unavailable;
  std::string phase;             // the last it announced: "start", "parse", "compile", "execute", "fetch"
  std::string text;              // one line
  std::string stderr_tail;       // what it wrote last, 4 KiB at most, printable
  std::vector<CallReply> calls;  // of the calls that ended
  nlohmann::json attestation;    // versions, instruction set, threads, flags, cache: as the worker says
};
// "out of memory".
std::string_view name(RunReply::Status status);

}  // namespace faultline
