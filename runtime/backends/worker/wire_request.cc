// Requests: this program's own to a worker, and those that it is sent as one, read as if from an enemy.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runtime/backends/worker/wire.h"
#include "runtime/backends/worker/wire_values.h"

namespace faultline {

namespace {

using nlohmann::json;

bool is_plain_text(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x7f && (c >= ' ' || c == '\n' || c == '\t');
  });
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - at);
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i) group = group << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (size_t i = 0; i < 4; ++i) text += i <= count ? digits[group >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

}  // namespace

WireFrame encode_request(const RunRequest& request, int64_t id) {
  ValueWriter writer;
  json document = {{"protocol", kWireProtocol}, {"id", id}, {"kind", "run"}, {"form", request.form}};
  if (is_plain_text(request.program))
    document["program"] = request.program;
  else
    document["program_base64"] = base64(request.program);
  document["entry"] = request.entry;
  document["settings"] = request.settings.is_null() ? json::object() : request.settings;
  document["attributes"] = writer.pairs(request.attributes);
  document["calls"] = json::array();
  for (const ValueList& call : request.calls) document["calls"].push_back(writer.values(call));
  return wire_frame(std::move(document), writer);
}

std::optional<std::string> decode_request(const json& document, const FileDescriptor& block, int64_t bytes_max,
                                          RunRequest& request) {
  const WireLimits limits = {bytes_max, false};
  RunRequest read;
  try {
    for (const auto& [name, text] :
         {std::pair{"form", &read.form}, {"program", &read.program}, {"entry", &read.entry}}) {
      const std::string* said = wire_string(document, name);
      if (said == nullptr) throw WireLie{fmt::format("the request: no '{}', or it is no text", name)};
      *text = *said;
    }
    read.settings = wire_member(document, "settings", "the request");
    const WireStorages storages = read_storages(wire_array(document, "storages", "the request"), block, limits);
    const ValueReader reader(storages, limits);
    read.attributes = reader.pairs(wire_array(document, "attributes", "the request"), "the request");
    for (const json& call : wire_array(document, "calls", "the request")) {
      if (!call.is_array()) throw WireLie{"the request: a call is no list"};
      const std::string place = fmt::format("call {}: argument", read.calls.size() + 1);
      read.calls.push_back(reader.values(call, place));
    }
  } catch (const WireLie& lie) {
    return lie.text;
  }
  request = std::move(read);
  return std::nullopt;
}

}  // namespace faultline
