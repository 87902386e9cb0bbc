// A loop over frames. The other side has all the time it wants.
#include "runtime/backends/worker/server.h"

#include <poll.h>

#include "runtime/backends/worker/frame.h"
#include "runtime/backends/worker/wire.h"

namespace faultline {

namespace {

constexpr int64_t kRequestBytesMax = int64_t{2} << 30;

class PatientChannel final : public Channel {
 public:
  explicit PatientChannel(int socket) : socket_(socket) {}
  int socket() const override { return socket_; }
  Event wait_for(short events, Clock::time_point /*deadline*/) override {
    pollfd end = {socket_, events, 0};
    poll(&end, 1, -1);
    return Event::ready;  // reading or writing tells whether the other side has gone
  }

 private:
  int socket_;
};

RunReply refused(std::string why) {
  RunReply reply;
  reply.status = RunReply::Status::raised;
  reply.text = wire_line("bad request: " + why);
  return reply;
}

RunReply answer_frame(const nlohmann::json& document, const FileDescriptor& block,
                      const std::function<RunReply(const RunRequest& request)>& answer) {
  RunRequest request;
  const std::optional<std::string> lie = decode_request(document, block, kRequestBytesMax, request);
  return lie ? refused(*lie) : answer(request);
}

bool send(PatientChannel& channel, WireFrame frame, int64_t id) {
  if (!frame.why_not.empty()) frame = encode_reply(refused(frame.why_not), id);
  return !send_frame(channel, frame.text, frame.block, {});
}

}  // namespace

bool serve_requests(int socket, const nlohmann::json& attestation,
                    const std::function<RunReply(const RunRequest& request)>& answer) {
  PatientChannel channel(socket);
  const nlohmann::json hello = {{"hello", kWireProtocol}, {"attestation", attestation}};
  if (send_frame(channel, hello.dump(), {}, {})) return true;
  while (true) {
    std::variant<Frame, FrameFailure> received = receive_frame(channel, {});
    if (const auto* failure = std::get_if<FrameFailure>(&received)) return failure->kind == FrameFailure::Kind::ended;
    const Frame& frame = std::get<Frame>(received);
    nlohmann::json document;
    if (parse_wire_json(frame.text, document)) return false;
    const auto id = document.find("id");
    if (id == document.end() || !id->is_number_integer()) return false;
    if (!send(channel, encode_reply(answer_frame(document, frame.block, answer), id->get<int64_t>()),
              id->get<int64_t>()))
      return true;
  }
}

}  // namespace faultline
