// One question at numbered places of the instrumented stack, asked of somebody else: "this is what I am about to use;
// do you want it otherwise?" Layers and device know the Gate and nobody who answers it. The clean stack's answerer is
// `never()`.
//
//   layers 1 to 6   artefact(): a pass's artefact may be rewritten in place, and everything below consumes the result
//   layer 7         transfer(): before the device acts on a request; the answer changes what the device does
//   layer 8         arithmetic(): the number hardware the device is about to use may be wrapped
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "taxonomy/layer.h"

namespace faultline {

class Arithmetic;

// A request the device is about to carry out. Names are stable; indices count from 0 within one run of a case.
struct TransferSite {
  enum class Kind : uint8_t { host_to_device, device_to_host, descriptor, launch, patch, completion, signal };
  Kind kind = Kind::descriptor;
  std::string_view buffer;  // logical buffer name; empty for launches
  std::string_view kernel;  // launch the request belongs to; empty for host transfers
  int call = 0;             // which call of the program
  int core = -1;
  int channel = 0;    // DMA queue or engine number
  int64_t index = 0;  // n-th request of this kind
  int64_t bytes = 0;
};

// What the device does instead. Several fields may be set.
struct TransferAnswer {
  bool drop = false;              // report completion, move nothing
  bool duplicate = false;         // carry the request out twice
  bool no_completion = false;     // carry it out, lose the reply
  bool early_completion = false;  // reply before the bytes have moved
  int64_t keep_bytes = -1;        // move only the first bytes (-1: all)
  int64_t address_offset = 0;     // bytes added to the device address
  int64_t delay = 0;              // extra ticks
  uint32_t error_code = 0;        // fail with the target's own code
  bool stale_arguments = false;   // launch with the argument block of the previous launch of this kernel
  uint8_t flip_mask = 0;          // xor on byte `flip_offset` of the moved bytes
  int64_t flip_offset = 0;
  bool flip_at_rest = false;  // the byte was wrong where it came from: the checksums of both ends agree
  bool operator==(const TransferAnswer&) const = default;
};

class Gate {
 public:
  virtual ~Gate() = default;

  // `graph` names the segment, `artefact` points at the layer's one artefact type:
  //   capture Capture · decompose PrimGraph · fuse KernelProgram · layout LayoutProgram · tile TileProgram · schedule
  //   MachineProgram
  virtual void artefact(Layer layer, std::string_view graph, void* artefact) = 0;
  virtual TransferAnswer transfer(const TransferSite& site) = 0;
  // The arithmetic to use instead of `base`; must outlive the gate. Returning `base` itself changes nothing.
  virtual const Arithmetic& arithmetic(const Arithmetic& base) = 0;

  static Gate& never();
};

}  // namespace faultline
