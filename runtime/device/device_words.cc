// Names of requests and of the engines that carry them out.
#include "runtime/device/device_words.h"

#include <fmt/format.h>

namespace faultline {

std::string track_words(int core, int engine) {
  return core < 0 ? "host" : fmt::format("core {} {}", core, name(static_cast<Engine>(engine)));
}

std::string request_words(const MachineProgram& program, const DeviceRequest& request) {
  const auto buffer = [&] {
    return request.buffer < 0 ? std::string("scratch") : program.buffers[request.buffer].name;
  };
  const std::string kernel = request.launch < 0 ? "" : program.launches[request.launch].name;
  const std::string engine = fmt::format("{}, {}", kernel, track_words(request.core, request.engine));
  switch (request.kind) {
    case DeviceRequest::Kind::host_to_device: return "H2D " + buffer();
    case DeviceRequest::Kind::device_to_host: return "D2H " + buffer();
    case DeviceRequest::Kind::patch: return "patch " + kernel;
    case DeviceRequest::Kind::launch: return "launch " + kernel;
    case DeviceRequest::Kind::copy: return fmt::format("{}: {} bytes of {}", engine, request.asked, buffer());
    case DeviceRequest::Kind::compute: return fmt::format("{}: compute {}", engine, request.item);
    case DeviceRequest::Kind::send: return fmt::format("{}: {} bytes of partial results", engine, request.asked);
  }
  return "";
}

}  // namespace faultline
