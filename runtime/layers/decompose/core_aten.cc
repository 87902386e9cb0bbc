// The list with its rows looked up.
#include "runtime/layers/decompose/core_aten.h"

#include <map>

namespace faultline {

std::string_view name(CoreRoute route) {
  static constexpr std::string_view names[] = {"decompose", "capture", "refused", "missing"};
  return names[static_cast<int>(route)];
}

static constexpr CoreOp kCoreOps[] = {
#define CORE(target, route, note, sample) {target, CoreRoute::route, note, sample, nullptr},
#include "runtime/layers/decompose/core_aten.inc"
#undef CORE
};

std::vector<CoreOp> core_ops() {
  std::vector<CoreOp> list(std::begin(kCoreOps), std::end(kCoreOps));
  for (CoreOp& op : list) {
    if (op.route != CoreRoute::decompose) continue;
    op.row = find_op(op.target);
    if (op.row == nullptr) op.route = CoreRoute::missing;
  }
  return list;
}

std::string_view refusal_of(std::string_view target) {
  for (const CoreOp& op : kCoreOps)
    if (op.target == target && op.route == CoreRoute::refused) return op.note;
  return {};
}

CoreShare core_share(const std::vector<CoreOp>& list) {
  CoreShare share;
  std::map<std::string_view, bool> packets;
  for (const CoreOp& op : list) {
    ++share.overloads;
    share.overloads_supported += op.supported();
    packets[op.packet()] |= op.supported();
  }
  share.packets = static_cast<int>(packets.size());
  for (const auto& [packet, supported] : packets) share.packets_supported += supported;
  return share;
}

}  // namespace faultline
