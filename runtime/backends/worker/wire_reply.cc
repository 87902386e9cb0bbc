// What a worker sent, read as if by an enemy: every member is looked for, every number is compared with what it indexes
// before it is used, and the block is copied by pread, because memory that is mapped can be cut off under its reader.
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <limits>

#include "runtime/backends/worker/wire.h"

namespace faultline {

namespace {

using nlohmann::json;
constexpr int kLevelsMax = 64;
constexpr size_t kValuesMax = size_t{1} << 21;
constexpr size_t kRankMax = 64;
constexpr size_t kLineMax = 400;

// Never leaves this file.
struct Lie {
  std::string text;
};

struct Limits {
  int64_t bytes = 0;   // of storages, and of what one tensor stands for
  bool texts = false;  // may be values
};

const json& member(const json& object, const char* name, const std::string& place) {
  if (!object.is_object()) throw Lie{fmt::format("{}: expected an object", place)};
  const auto found = object.find(name);
  if (found == object.end()) throw Lie{fmt::format("{}: no '{}'", place, name)};
  return *found;
}

const json& array_member(const json& object, const char* name, const std::string& place) {
  const json& array = member(object, name, place);
  if (!array.is_array()) throw Lie{fmt::format("{}: '{}' is no list", place, name)};
  return array;
}

// From 0 on: nothing that a reply counts or measures is negative.
int64_t natural(const json& number, const std::string& what) {
  if (!number.is_number_integer()) throw Lie{fmt::format("{} is no integer", what)};
  if (number.is_number_unsigned() && number.get<uint64_t>() > uint64_t{std::numeric_limits<int64_t>::max()})
    throw Lie{fmt::format("{} is {}", what, number.get<uint64_t>())};
  const auto value = number.get<int64_t>();
  if (value < 0) throw Lie{fmt::format("{} is {}", what, value)};
  return value;
}

Sizes naturals(const json& list, const std::string& what) {
  if (list.size() > kRankMax) throw Lie{fmt::format("{}: {} dims", what, list.size())};
  Sizes sizes;
  for (const json& number : list) sizes.push_back(natural(number, what));
  return sizes;
}

int64_t product(int64_t a, int64_t b, const std::string& what) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) throw Lie{fmt::format("{}: {} * {} overflows", what, a, b)};
  return result;
}

int64_t sum(int64_t a, int64_t b, const std::string& what) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) throw Lie{fmt::format("{}: {} + {} overflows", what, a, b)};
  return result;
}

using Storages = std::vector<std::shared_ptr<std::vector<std::byte>>>;

std::shared_ptr<std::vector<std::byte>> copied(const FileDescriptor& block, int64_t offset, int64_t bytes,
                                               const std::string& place) {
  auto storage = std::make_shared<std::vector<std::byte>>(static_cast<size_t>(bytes));
  for (int64_t done = 0; done < bytes;) {
    const ssize_t got = pread(block.number(), storage->data() + done, static_cast<size_t>(bytes - done), offset + done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Lie{fmt::format("{}: the block ends after {} of {} bytes", place, done, bytes)};
    done += got;
  }
  return storage;
}

// Storages follow each other, so that their sum is no more than the block holds.
Storages read_storages(const json& list, const FileDescriptor& block, const Limits& limits) {
  Storages storages;
  int64_t size = 0;
  if (block.open()) {
    struct stat status = {};
    if (fstat(block.number(), &status) != 0 || !S_ISREG(status.st_mode)) throw Lie{"the block is no memory"};
    size = status.st_size;
  }
  int64_t end = 0;
  for (const json& entry : list) {
    const std::string place = fmt::format("storage {}", storages.size());
    const int64_t offset = natural(member(entry, "offset", place), place + ": its offset");
    const int64_t bytes = natural(member(entry, "bytes", place), place + ": its size");
    if (offset < end) throw Lie{fmt::format("{}: at {}, inside of the one before", place, offset)};
    end = sum(offset, bytes, place);
    if (end > size) throw Lie{fmt::format("{}: ends at {} of a block of {} bytes", place, end, size)};
    if (end > limits.bytes) throw Lie{fmt::format("{} bytes of tensors, at most {}", end, limits.bytes)};
    storages.push_back(copied(block, offset, bytes, place));
  }
  return storages;
}

class ReplyReader {
 public:
  ReplyReader(const Storages& storages, const Limits& limits) : storages_(storages), limits_(limits) {}

  Value value(const json& tagged, const std::string& place) const {
    if (!tagged.is_object() || tagged.size() != 1)
      throw Lie{fmt::format("{}: expected an object of one member", place)};
    const std::string& tag = tagged.begin().key();
    const json& content = tagged.begin().value();
    if (tag == "tensor") return {tensor(content, place)};
    if (tag == "int" && content.is_number_integer() &&
        (!content.is_number_unsigned() || content.get<uint64_t>() <= uint64_t{std::numeric_limits<int64_t>::max()}))
      return {content.get<int64_t>()};
    if (tag == "real" && content.is_string()) return {real(content.get_ref<const std::string&>(), place)};
    if (tag == "bool" && content.is_boolean()) return {content.get<bool>()};
    if (tag == "none") return {NoneArgument{}};
    if (tag == "list" && content.is_array()) return {values(content, place)};
    if (tag == "text" && content.is_string() && limits_.texts) return {Keyword{content.get<std::string>()}};
    throw Lie{fmt::format("{}: no value of kind '{}'", place, wire_line(tag))};
  }
  ValueList values(const json& list, const std::string& place) const {
    ValueList result;
    for (const json& element : list) result.push_back(value(element, fmt::format("{} {}", place, result.size())));
    return result;
  }

 private:
  static double real(const std::string& text, const std::string& place) {
    std::string_view rest = text;
    const bool negative = rest.starts_with('-');
    if (negative) rest.remove_prefix(1);
    double number = 0;
    if (rest == "inf" || rest == "nan") {
      number = rest == "inf" ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    } else {
      // What from_chars would take as well: another sign, words.
      const bool hex = rest.starts_with("0x") && rest.size() > 2 && std::isxdigit(static_cast<unsigned char>(rest[2]));
      if (hex) rest.remove_prefix(2);
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number, std::chars_format::hex);
      if (!hex || error != std::errc() || end != rest.data() + rest.size())
        throw Lie{fmt::format("{}: '{}' is no hex float", place, wire_line(text))};
    }
    return negative ? -number : number;
  }

  Tensor tensor(const json& content, const std::string& place) const {
    const json& dtype_name = member(content, "dtype", place);
    const auto dtype = dtype_from_name(dtype_name.is_string() ? dtype_name.get_ref<const std::string&>() : "");
    if (!dtype) throw Lie{fmt::format("{}: no such dtype {}", place, wire_line(dtype_name.dump()))};
    TensorType type;
    type.dtype = *dtype;
    type.sizes = naturals(array_member(content, "sizes", place), place + ": a size");
    type.strides = naturals(array_member(content, "strides", place), place + ": a stride");
    type.offset = natural(member(content, "offset", place), place + ": its offset");
    if (type.strides.size() != type.sizes.size())
      throw Lie{fmt::format("{}: {} sizes, {} strides", place, type.sizes.size(), type.strides.size())};
    const int64_t index = natural(member(content, "storage", place), place + ": its storage");
    if (index >= static_cast<int64_t>(storages_.size()))
      throw Lie{fmt::format("{}: storage {} of {}", place, index, storages_.size())};
    const auto& storage = storages_[static_cast<size_t>(index)];
    check_extent(type, static_cast<int64_t>(storage->size()), place);
    return {std::move(type), storage};
  }

  // Like storage_elements, but nothing may overflow on the way. An empty tensor's other sizes are multiplied too:
  // others do so in any order.
  void check_extent(const TensorType& type, int64_t bytes, const std::string& place) const {
    int64_t elements = 1, last = type.offset;
    bool empty = false;
    for (size_t d = 0; d < type.sizes.size(); ++d) {
      empty = empty || type.sizes[d] == 0;
      if (type.sizes[d] == 0) continue;
      elements = product(elements, type.sizes[d], place);
      last = sum(last, product(type.sizes[d] - 1, type.strides[d], place), place);
    }
    const int64_t element = byte_size(type.dtype);
    const int64_t needed = product(sum(last, 1, place), element, place);
    if (product(elements, element, place) > limits_.bytes) throw Lie{fmt::format("{}: {} elements", place, elements)};
    if (!empty && needed > bytes)
      throw Lie{fmt::format("{} has {} bytes, its type {} needs {}", place, bytes, to_text(type), needed)};
  }

  const Storages& storages_;
  const Limits& limits_;
};

// Of a program that brings its own names.
CallReply read_open_call(const json& entry, const ReplyReader& reader, size_t number) {
  constexpr size_t kNameMax = 400;
  const std::string place = fmt::format("call {}", number + 1);
  CallReply call;
  for (const json& pair : array_member(entry, "attributes_after", place)) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() ||
        pair[0].get_ref<const std::string&>().size() > kNameMax)
      throw Lie{fmt::format("{}: expected pairs of a name and a value", place)};
    const std::string name = wire_line(pair[0].get_ref<const std::string&>());
    call.attributes_after.emplace_back(name, reader.value(pair[1], fmt::format("{}: '{}'", place, name)));
  }
  return call;
}

CallReply read_call(const json& entry, const ReplyReader& reader, const RunRequest& request, size_t number) {
  const std::string place = fmt::format("call {}", number + 1);
  CallReply call;
  call.outputs = reader.values(array_member(entry, "outputs", place), place + ": output");
  call.inputs_after = reader.values(array_member(entry, "inputs_after", place), place + ": input");
  const ValueList& arguments = request.calls[number];
  if (call.inputs_after.size() != arguments.size())
    throw Lie{fmt::format("{}: {} inputs after it, {} before", place, call.inputs_after.size(), arguments.size())};
  for (size_t i = 0; i < arguments.size(); ++i)
    if (call.inputs_after[i].value.index() != arguments[i].value.index())
      throw Lie{fmt::format("{}: input {} is of another kind than before", place, i)};
  for (const json& pair : array_member(entry, "attributes_after", place)) {
    const size_t at = call.attributes_after.size();
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || at >= request.attributes.size() ||
        pair[0].get_ref<const std::string&>() != request.attributes[at].first)
      throw Lie{fmt::format("{}: attribute {} is not the one asked for", place, at)};
    const std::string& name = request.attributes[at].first;
    call.attributes_after.emplace_back(name, reader.value(pair[1], fmt::format("{}: attribute '{}'", place, name)));
  }
  if (call.attributes_after.size() != request.attributes.size())
    throw Lie{fmt::format("{}: {} attributes of {}", place, call.attributes_after.size(), request.attributes.size())};
  return call;
}

RunReply::Status read_status(const json& document) {
  constexpr std::array<std::pair<std::string_view, RunReply::Status>, 5> said = {
      {{"ok", RunReply::Status::ok},
       {"rejected", RunReply::Status::rejected},
       {"raised", RunReply::Status::raised},
       {"out_of_memory", RunReply::Status::out_of_memory},
       {"unavailable", RunReply::Status::unavailable}}};
  const std::string* status = wire_string(document, "status");
  for (const auto& [word, meaning] : said)
    if (status && *status == word) return meaning;
  throw Lie{status ? fmt::format("no such status '{}'", wire_line(*status)) : "a reply without a status"};
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
  const Limits limits = {bytes_max, request.is_open};
  RunReply read;
  try {
    read.status = read_status(document);
    if (const std::string* text = wire_string(document, "text")) read.text = wire_line(*text);
    const Storages storages = read_storages(array_member(document, "storages", "the reply"), block, limits);
    const ReplyReader reader(storages, limits);
    const json& calls = array_member(document, "calls", "the reply");
    if (!request.is_open && (calls.size() > request.calls.size() ||
                             (read.status == RunReply::Status::ok && calls.size() != request.calls.size())))
      throw Lie{fmt::format("{} calls of {}", calls.size(), request.calls.size())};
    for (const json& call : calls) {
      const size_t number = read.calls.size();
      read.calls.push_back(request.is_open ? read_open_call(call, reader, number)
                                           : read_call(call, reader, request, number));
    }
    read.attestation = member(document, "attestation", "the reply");
    if (!read.attestation.is_object()) throw Lie{"an attestation that is no object"};
  } catch (const Lie& lie) {
    return lie.text;
  }
  reply = std::move(read);
  return std::nullopt;
}

}  // namespace faultline
