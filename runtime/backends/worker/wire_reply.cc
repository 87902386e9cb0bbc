// Replies: those of a worker, read as if from an enemy, and this program's own as one.
#include <fmt/format.h>

#include <array>

#include "runtime/backends/worker/frame.h"
#include "runtime/backends/worker/wire.h"
#include "runtime/backends/worker/wire_values.h"

namespace faultline {

namespace {

using nlohmann::json;
constexpr int kLevelsMax = 64;
constexpr size_t kValuesMax = size_t{1} << 21;
constexpr size_t kLineMax = 400;

// Of a program that brings its own names.
CallReply read_open_call(const json& entry, const ValueReader& reader, size_t number) {
  const std::string place = fmt::format("call {}", number + 1);
  CallReply call;
  call.attributes_after = reader.pairs(wire_array(entry, "attributes_after", place), place);
  return call;
}

CallReply read_call(const json& entry, const ValueReader& reader, const RunRequest& request, size_t number) {
  const std::string place = fmt::format("call {}", number + 1);
  CallReply call;
  call.outputs = reader.values(wire_array(entry, "outputs", place), place + ": output");
  call.inputs_after = reader.values(wire_array(entry, "inputs_after", place), place + ": input");
  const ValueList& arguments = request.calls[number];
  if (call.inputs_after.size() != arguments.size())
    throw WireLie{fmt::format("{}: {} inputs after it, {} before", place, call.inputs_after.size(), arguments.size())};
  for (size_t i = 0; i < arguments.size(); ++i)
    if (call.inputs_after[i].value.index() != arguments[i].value.index())
      throw WireLie{fmt::format("{}: input {} is of another kind than before", place, i)};
  for (const json& pair : wire_array(entry, "attributes_after", place)) {
    const size_t at = call.attributes_after.size();
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || at >= request.attributes.size() ||
        pair[0].get_ref<const std::string&>() != request.attributes[at].first)
      throw WireLie{fmt::format("{}: attribute {} is not the one asked for", place, at)};
    const std::string& name = request.attributes[at].first;
    call.attributes_after.emplace_back(name, reader.value(pair[1], fmt::format("{}: attribute '{}'", place, name)));
  }
  if (call.attributes_after.size() != request.attributes.size())
    throw WireLie{
        fmt::format("{}: {} attributes of {}", place, call.attributes_after.size(), request.attributes.size())};
  return call;
}

// What either side may say; how a process ends, only the supervisor sees.
constexpr std::array<std::pair<std::string_view, RunReply::Status>, 5> kSaid = {
    {{"ok", RunReply::Status::ok},
     {"rejected", RunReply::Status::rejected},
     {"raised", RunReply::Status::raised},
     {"out_of_memory", RunReply::Status::out_of_memory},
     {"unavailable", RunReply::Status::unavailable}}};

RunReply::Status read_status(const json& document) {
  const std::string* status = wire_string(document, "status");
  for (const auto& [word, meaning] : kSaid)
    if (status && *status == word) return meaning;
  throw WireLie{status ? fmt::format("no such status '{}'", wire_line(*status)) : "a reply without a status"};
}

std::string_view written_status(RunReply::Status status) {
  for (const auto& [word, meaning] : kSaid)
    if (meaning == status) return word;
  return "raised";
}

}  // namespace

std::string wire_line(std::string_view text) {
  std::string line(text.substr(0, kLineMax));
  for (char& c : line)
    if (c < ' ' || c == 0x7f) c = c == '\n' || c == '\t' || c == '\r' ? ' ' : '?';  // char is signed: not ASCII either
  return line;
}

const std::string* wire_string(const json& document, const char* name) {
  if (!document.is_object()) return nullptr;
  const auto found = document.find(name);
  return found != document.end() && found->is_string() ? &found->get_ref<const std::string&>() : nullptr;
}

std::optional<std::string> parse_wire_json(std::string_view text, json& document) {
  int levels = 0;
  size_t values = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '[' || c == '{') ++levels;
    if (c == ']' || c == '}') --levels;
    if (c == ',' || c == '[' || c == '{') ++values;
    if (levels > kLevelsMax) return fmt::format("JSON of more than {} levels", kLevelsMax);
    if (values > kValuesMax) return fmt::format("JSON of more than {} values", kValuesMax);
  }
  document = json::parse(text, nullptr, false);
  if (document.is_discarded()) return fmt::format("no JSON: {}", wire_line(text.substr(0, 60)));
  if (!document.is_object()) return "JSON that is no object";
  return std::nullopt;
}

std::optional<std::string> decode_reply(const json& document, const FileDescriptor& block, const RunRequest& request,
                                        int64_t bytes_max, RunReply& reply) {
  const WireLimits limits = {bytes_max, request.is_open};
  RunReply read;
  try {
    read.status = read_status(document);
    if (const std::string* text = wire_string(document, "text")) read.text = wire_line(*text);
    const WireStorages storages = read_storages(wire_array(document, "storages", "the reply"), block, limits);
    const ValueReader reader(storages, limits);
    const json& calls = wire_array(document, "calls", "the reply");
    if (!request.is_open && (calls.size() > request.calls.size() ||
                             (read.status == RunReply::Status::ok && calls.size() != request.calls.size())))
      throw WireLie{fmt::format("{} calls of {}", calls.size(), request.calls.size())};
    for (const json& call : calls) {
      const size_t number = read.calls.size();
      read.calls.push_back(request.is_open ? read_open_call(call, reader, number)
                                           : read_call(call, reader, request, number));
    }
    read.attestation = wire_member(document, "attestation", "the reply");
    if (!read.attestation.is_object()) throw WireLie{"an attestation that is no object"};
  } catch (const WireLie& lie) {
    return lie.text;
  }
  reply = std::move(read);
  return std::nullopt;
}

WireFrame encode_reply(const RunReply& reply, int64_t id) {
  ValueWriter writer;
  json document = {{"id", id}, {"status", written_status(reply.status)}, {"text", reply.text}};
  document["calls"] = json::array();
  for (const CallReply& call : reply.calls)
    document["calls"].push_back({{"outputs", writer.values(call.outputs)},
                                 {"inputs_after", writer.values(call.inputs_after)},
                                 {"attributes_after", writer.pairs(call.attributes_after)}});
  document["attestation"] = reply.attestation.is_null() ? json::object() : reply.attestation;
  return wire_frame(std::move(document), writer);
}

}  // namespace faultline
