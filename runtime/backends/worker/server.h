// The other end of the conversation: this program as the worker of somebody who speaks the protocol of wire.h.
#pragma once

#include <functional>

#include "runtime/backends/worker/message.h"

namespace faultline {

// Says hello on the socket, then answers one request after another until the other side closes it. Returns false when
// what came was no frame or no request's frame; a request that cannot be read is answered with what is wrong with it.
bool serve_requests(int socket, const nlohmann::json& attestation,
                    const std::function<RunReply(const RunRequest& request)>& answer);

}  // namespace faultline
