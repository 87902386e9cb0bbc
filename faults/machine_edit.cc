// Streams, tokens and buffers of a machine program, by what its instructions say.
#include "faults/machine_edit.h"

#include <fmt/format.h>

#include <algorithm>

namespace faultline {

FaultSite launch_site(const MachineProgram& program, size_t launch, int buffer, int core, std::vector<int64_t> at) {
  std::string path = kernel_path(program.operations[program.launches[launch].kernel], launch);
  path += "/" + (buffer >= 0 ? program.buffers[buffer].name : std::string("-"));
  if (core >= 0) path += fmt::format("/{}", core);
  return {std::move(path), std::move(at)};
}

std::vector<FaultSite> sum_sites(const MachineProgram& program,
                                 bool (*wanted)(const Kernel& kernel, const Compute& compute)) {
  std::vector<FaultSite> sites;
  for (size_t l = 0; l < program.launches.size(); ++l) {
    const Launch& launch = program.launches[l];
    const Kernel& kernel = program.operations[launch.kernel];
    if (!kernel.reduction || kernel.reduction->reduction != Reduction::sum) continue;
    for (size_t c = 0; c < launch.computes.size(); ++c)
      if (wanted(kernel, launch.computes[c]))
        sites.push_back(
            launch_site(program, l, kernel.stores[0].buffer, -1, {static_cast<int64_t>(l), static_cast<int64_t>(c)}));
  }
  return sites;
}

int stream_of(const Launch& launch, int core, Engine engine) {
  for (size_t s = 0; s < launch.streams.size(); ++s)
    if (launch.streams[s].core == core && launch.streams[s].engine == engine) return static_cast<int>(s);
  return -1;
}

// The first wait of a stream that needs the n-th signal of a token, or -1.
static int wait_for(const Stream& stream, int token, int64_t nth) {
  for (size_t i = 0; i < stream.instructions.size(); ++i) {
    const Instruction& instruction = stream.instructions[i];
    if (instruction.opcode == Opcode::wait && instruction.token == token && instruction.count == nth)
      return static_cast<int>(i);
  }
  return -1;
}

std::vector<LoadSignal> load_signals(const Launch& launch) {
  std::vector<LoadSignal> signals;
  for (size_t s = 0; s < launch.streams.size(); ++s) {
    const Stream& stream = launch.streams[s];
    const int compute = stream_of(launch, stream.core, Engine::compute);
    if (stream.engine != Engine::load || compute < 0) continue;
    int64_t given = 0;
    LoadSignal next{stream.core, -1, static_cast<int>(s), 0, compute, 0};
    for (size_t i = 0; i < stream.instructions.size(); ++i) {
      const Instruction& instruction = stream.instructions[i];
      if (instruction.opcode == Opcode::copy) next.buffer = launch.descriptors[instruction.descriptor].source.buffer;
      if (instruction.opcode != Opcode::signal) continue;
      next.position = static_cast<int>(i);
      next.wait = wait_for(launch.streams[compute], instruction.token, ++given);
      if (next.buffer >= 0 && next.wait >= 0) signals.push_back(next);
      next.buffer = -1;
    }
  }
  return signals;
}

std::vector<std::optional<DeviceLife>> device_lives(const MachineProgram& program) {
  std::vector<std::optional<DeviceLife>> lives(program.buffers.size());
  for (const int b : program.inputs) lives[b] = DeviceLife{-1, -1};
  for (int l = 0; l < static_cast<int>(program.launches.size()); ++l) {
    for (const Descriptor& descriptor : program.launches[l].descriptors) {
      const int b = is_load(descriptor) ? descriptor.source.buffer : descriptor.target.buffer;
      if (!lives[b]) lives[b] = DeviceLife{l, l};
      lives[b]->needed = std::max(lives[b]->needed, l);
    }
  }
  for (size_t b = 0; b < lives.size(); ++b)
    if (lives[b] && program.buffers[b].role == BufferRole::output)
      lives[b]->needed = static_cast<int>(program.launches.size());
  return lives;
}

}  // namespace faultline
