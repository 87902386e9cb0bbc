// Requests and replies as JSON with one block of shared memory, version 1 of the protocol. The other side is
// python/faultline/workers/protocol.py.
//
// supervisor: {"protocol":1,"id":7,"kind":"run","form":"python","program":"...","entry":"f","settings":{...},
//              "storages":[{"offset":0,"bytes":130},...],"attributes":[["scale",VALUE],...],"calls":[[VALUE,...],...]}
//             with "program_base64" instead for bytes that are no plain text
// worker:     {"hello":1,"attestation":{...}} or {"hello":1,"unavailable":"why"} once; then for a request
//             {"id":7,"phase":"compile"} before each phase, and at last
//             {"id":7,"status":"ok","calls":[{"outputs":[VALUE,...],"inputs_after":[VALUE,...],
//              "attributes_after":[["scale",VALUE],...]}],"storages":[...],"attestation":{...}}
//             or a status rejected, raised, out_of_memory, unavailable, with "text" and the calls that ended
// VALUE:      {"tensor":{"dtype":"f16","sizes":[65],"strides":[1],"offset":0,"storage":0}}, {"int":3},
//             {"real":"0x1.8p+0"} (a C hex float, "inf", "-inf", "nan"), {"bool":true}, {"none":true}, {"list":[...]}
//
// Storages lie one after the other in the block, at multiples of 64 bytes; the block is a sealed memfd.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/backends/worker/descriptor.h"
#include "runtime/backends/worker/message.h"

namespace faultline {

inline constexpr int kWireProtocol = 1;

struct WireFrame {
  std::string text;
  FileDescriptor block;
  std::string why_not;  // set: it cannot be sent, "no shared memory for 9 bytes: ..."
};
WireFrame encode_request(const RunRequest& request, int64_t id);
WireFrame encode_reply(const RunReply& reply, int64_t id);

// A lie is one line about what is wrong with what was sent. JSON of few levels and few values only: what is kept of it
// may take some hundred times its length.
std::optional<std::string> parse_wire_json(std::string_view text, nlohmann::json& document);
// A reply's last frame. Of a lie nothing but it is left in `reply`.
std::optional<std::string> decode_reply(const nlohmann::json& document, const FileDescriptor& block,
                                        const RunRequest& request, int64_t bytes_max, RunReply& reply);

// The same of a request that this program is sent.
std::optional<std::string> decode_request(const nlohmann::json& document, const FileDescriptor& block,
                                          int64_t bytes_max, RunRequest& request);

// At most 400 characters of one printable line.
std::string wire_line(std::string_view text);
// A string member, or nothing.
const std::string* wire_string(const nlohmann::json& document, const char* member);

}  // namespace faultline
