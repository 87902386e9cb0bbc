// The artefact of `schedule`: a machine program. For every kernel one launch: an instruction stream for each engine of
// each core, with DMA descriptors, compute instructions, and the tokens that order them. Descriptors and compute
// instructions are self-contained: no executor below looks at the tile program again.
#pragma once

#include "runtime/layers/tile/tile_program.h"

namespace faultline {

enum class Space : uint8_t { device, scratch };
std::string_view name(Space space);

// device: `buffer` + byte offset, made absolute when the program is launched (argument patching). scratch: bytes in the
// core's own scratch memory.
struct Address {
  Space space = Space::device;
  int buffer = -1;
  int64_t offset = 0;
  bool operator==(const Address&) const = default;
};

struct Nest {
  int64_t count = 1;
  int64_t source_stride = 0;  // bytes
  int64_t target_stride = 0;
  bool operator==(const Nest&) const = default;
};

// Copies `bytes` contiguous bytes once for every point of the nest, outermost first.
struct Descriptor {
  Address source, target;
  int64_t bytes = 0;
  std::vector<Nest> nest;
  bool operator==(const Descriptor&) const = default;
};

// How a compute instruction finds an operand in scratch. The host coordinates of the access are formed from the
// iteration index; device coordinate j = coordinate[host_dim] / step % extent - origin, times stride_bytes, summed,
// plus base. modulus 0: no wrap (the outermost device dim of its host dim).
struct AddressDim {
  int host_dim = 0;
  int64_t step = 1, modulus = 0, origin = 0, stride_bytes = 0;
  bool operator==(const AddressDim&) const = default;
};
struct OperandAddress {
  int node = -1;   // load node, or -1
  int store = -1;  // store number, or -1
  int64_t base = 0;
  std::vector<AddressDim> dims;
  // Lanes that one access takes from consecutive places, from where the first of them lies: a whole stick or vector,
  // or 1 where every lane has an address of its own.
  int64_t group = 1;
  bool operator==(const OperandAddress&) const = default;
};

enum class Unit : uint8_t { matrix, vector, move };  // pt, sfp, restickify on Spyre
std::string_view name(Unit unit);

// `kernel` carries the emitted operations: its nodes are the micro-operations in order (opcode, operands, immediates).
struct Compute {
  Unit unit = Unit::vector;
  int operations = 0;          // index in MachineProgram::operations
  Box box;                     // iteration points
  std::vector<int64_t> valid;  // masks
  int lane_dim = 0;
  std::vector<OperandAddress> operands;
  bool first = true, last = true;  // clear accumulators before; finish and store after
  bool operator==(const Compute&) const = default;
};

enum class Engine : uint8_t { load, store, compute, ring };
inline constexpr int kEngineCount = 4;
std::string_view name(Engine engine);

enum class Opcode : uint8_t {
  copy,     // descriptor; load and store engines
  compute,  // compute engine
  send,     // ring: the accumulators of the last compute to core `peer`
  receive,  // ring: combines what `peer` sent into the accumulators
  wait,     // until `token` has been signalled `count` times in this launch
  signal,   // token + 1
};
std::string_view name(Opcode opcode);

struct Instruction {
  Opcode opcode = Opcode::copy;
  int descriptor = -1;  // index in Launch::descriptors
  int compute = -1;     // index in Launch::computes
  int token = -1;
  int64_t count = 1;
  int peer = -1;
  // Position in the order in which the tile program asked for the work, over all streams of the launch. An in-order
  // interpreter with ideal synchronisation follows it and ignores tokens; a device follows tokens and ignores it.
  int64_t sequence = 0;
  bool operator==(const Instruction&) const = default;
};

struct Stream {
  int core = 0;
  Engine engine = Engine::load;
  std::vector<Instruction> instructions;
  bool operator==(const Stream&) const = default;
};

struct Launch {
  std::string name;  // the kernel's name
  int kernel = 0;
  std::vector<Stream> streams;
  std::vector<Descriptor> descriptors;
  std::vector<Compute> computes;
  int tokens = 0;
  bool operator==(const Launch&) const = default;
};

// Device memory of one buffer: symbolic until launch; `segment` and `offset` are the planner's choice.
struct Allocation {
  int buffer = 0;
  int segment = 0;
  int64_t offset = 0, bytes = 0;
  int first = 0, last = 0;  // launches between which it is live; inputs from -1, outputs to launches.size()
  bool operator==(const Allocation&) const = default;
};

struct MachineProgram {
  std::string name;
  std::vector<Buffer> buffers;
  std::vector<DeviceLayout> layouts;              // what host transfers pack and unpack by
  std::vector<int> inputs, outputs, write_backs;  // buffers, as KernelProgram
  std::vector<Allocation> allocations;            // by buffer
  std::vector<Kernel> operations;                 // emitted operations, by kernel
  std::vector<Launch> launches;
  int cores = 1;
  int64_t scratch_bytes = 0;
  bool operator==(const MachineProgram&) const = default;
};

}  // namespace faultline
