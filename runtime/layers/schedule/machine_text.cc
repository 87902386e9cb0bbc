// The printing half of machine_text.h.
#include "runtime/layers/schedule/machine_text.h"

#include <fmt/format.h>

#include "runtime/ir/artefact_text.h"
#include "runtime/layers/fuse/kernel_text.h"

namespace faultline {

std::string_view name(Space space) { return space == Space::device ? "device" : "scratch"; }

std::string_view name(Unit unit) {
  constexpr std::string_view kNames[] = {"matrix", "vector", "move"};
  return kNames[static_cast<int>(unit)];
}

std::string_view name(Engine engine) {
  constexpr std::string_view kNames[kEngineCount] = {"load", "store", "compute", "ring"};
  return kNames[static_cast<int>(engine)];
}

std::string_view name(Opcode opcode) {
  constexpr std::string_view kNames[] = {"copy", "compute", "send", "receive", "wait", "signal"};
  return kNames[static_cast<int>(opcode)];
}

static std::string address_text(const MachineProgram& program, const Address& address) {
  const std::string space = address.space == Space::device
                                ? fmt::format("device {}", name_text(program.buffers[address.buffer].name))
                                : std::string(name(address.space));
  return fmt::format("{} at {}", space, address.offset);
}

static std::string descriptor_text(const MachineProgram& program, const Descriptor& descriptor) {
  std::string text = fmt::format("{} bytes from {} to {}", descriptor.bytes, address_text(program, descriptor.source),
                                 address_text(program, descriptor.target));
  for (size_t i = 0; i < descriptor.nest.size(); ++i) {
    const Nest& nest = descriptor.nest[i];
    text +=
        fmt::format("{} {} x {} to {}", i == 0 ? ", nest" : ",", nest.count, nest.source_stride, nest.target_stride);
  }
  return text;
}

static std::string dim_text(const AddressDim& dim) {
  std::string text = fmt::format("c{}", dim.host_dim);
  if (dim.step != 1) text += fmt::format(" / {}", dim.step);
  if (dim.modulus != 0) text += fmt::format(" % {}", dim.modulus);
  if (dim.origin != 0) text = fmt::format("({} - {})", text, dim.origin);
  return fmt::format("{} * {}", text, dim.stride_bytes);
}

static std::string compute_text(const Compute& compute) {
  std::string text = fmt::format("{} {} over {} to {} valid {} lanes {}{}{}\n", name(compute.unit), compute.operations,
                                 list_text(compute.box.begin), list_text(compute.box.end), list_text(compute.valid),
                                 compute.lane_dim, compute.first ? " first" : "", compute.last ? " last" : "");
  for (const OperandAddress& operand : compute.operands) {
    text +=
        operand.node >= 0 ? fmt::format("      load {}", operand.node) : fmt::format("      store {}", operand.store);
    if (operand.group != 1) text += fmt::format(" by {}", operand.group);
    text += fmt::format(" at {}", operand.base);
    for (const AddressDim& dim : operand.dims) text += " + " + dim_text(dim);
    text += "\n";
  }
  return text;
}

static std::string instruction_text(const Instruction& instruction) {
  const std::string text = fmt::format("{}: {}", instruction.sequence, name(instruction.opcode));
  switch (instruction.opcode) {
    case Opcode::copy: return fmt::format("{} {}", text, instruction.descriptor);
    case Opcode::compute: return fmt::format("{} {}", text, instruction.compute);
    case Opcode::send: return fmt::format("{} {} to {}", text, instruction.compute, instruction.peer);
    case Opcode::receive: return fmt::format("{} {} from {}", text, instruction.compute, instruction.peer);
    case Opcode::wait: return fmt::format("{} {} x {}", text, instruction.token, instruction.count);
    case Opcode::signal: break;
  }
  return fmt::format("{} {}", text, instruction.token);
}

static std::string launch_text(const MachineProgram& program, const Launch& launch) {
  std::string text =
      fmt::format("  launch {} of kernel {} tokens {}:\n", name_text(launch.name), launch.kernel, launch.tokens);
  for (size_t d = 0; d < launch.descriptors.size(); ++d)
    text += fmt::format("    copy {}: {}\n", d, descriptor_text(program, launch.descriptors[d]));
  for (size_t c = 0; c < launch.computes.size(); ++c)
    text += fmt::format("    compute {}: {}", c, compute_text(launch.computes[c]));
  for (const Stream& stream : launch.streams) {
    text += fmt::format("    core {} {}:\n", stream.core, name(stream.engine));
    for (const Instruction& instruction : stream.instructions)
      text += fmt::format("      {}\n", instruction_text(instruction));
  }
  return text;
}

// The buffers and operations in the form whose text they share with the layers above.
static KernelProgram kernels_of(const MachineProgram& program) {
  return {.name = program.name,
          .buffers = program.buffers,
          .kernels = program.operations,
          .inputs = program.inputs,
          .outputs = program.outputs,
          .write_backs = program.write_backs,
          .origins = {}};
}

std::string to_text(const MachineProgram& program) {
  std::string text =
      fmt::format("machine {} cores {} scratch {}:\n", name_text(program.name), program.cores, program.scratch_bytes);
  for (size_t b = 0; b < program.layouts.size(); ++b)
    text += fmt::format("  buffer {} {}\n", name_text(program.buffers[b].name), to_text(program.layouts[b]));
  for (const Allocation& place : program.allocations)
    text += fmt::format("  place {} segment {} at {} bytes {} live {} to {}\n",
                        name_text(program.buffers[place.buffer].name), place.segment, place.offset, place.bytes,
                        place.first, place.last);
  for (const Launch& launch : program.launches) text += launch_text(program, launch);
  return text + to_text(kernels_of(program));
}

}  // namespace faultline
