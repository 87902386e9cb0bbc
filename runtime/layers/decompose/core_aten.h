// Core ATen, the set of operators that exported programs are lowered to, and what becomes of each here.
#pragma once

#include <string_view>
#include <vector>

#include "runtime/layers/decompose/op.h"

namespace faultline {

inline constexpr std::string_view kCoreAtenVersion = "torch 2.13";

// missing: meant for the op table, which has no row for it.
enum class CoreRoute : uint8_t { decompose, capture, refused, missing };
std::string_view name(CoreRoute route);

struct CoreOp {
  std::string_view target;  // "aten.add.Tensor"
  CoreRoute route = CoreRoute::decompose;
  std::string_view note;       // of capture: how; of refused: why
  std::string_view sample;     // of capture: a program
  const OpRow* row = nullptr;  // of decompose

  bool supported() const { return route == CoreRoute::decompose || route == CoreRoute::capture; }
  std::string_view packet() const { return target.substr(0, target.rfind('.')); }
};

// Every one of them, in byte order.
std::vector<CoreOp> core_ops();

// Why this operator is refused; nothing for one that is not, or is not of Core ATen.
std::string_view refusal_of(std::string_view target);

// How many are supported; of a packet's overloads one is enough.
struct CoreShare {
  int packets = 0, packets_supported = 0;
  int overloads = 0, overloads_supported = 0;
};
CoreShare core_share(const std::vector<CoreOp>& list);

}  // namespace faultline
