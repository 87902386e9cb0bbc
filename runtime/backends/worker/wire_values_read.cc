// Values of the wire, read.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <charconv>
#include <limits>

#include "runtime/backends/worker/wire.h"
#include "runtime/backends/worker/wire_values.h"

namespace faultline {

using nlohmann::json;

namespace {

constexpr size_t kRankMax = 64;

// From 0 on: nothing that a reply counts or measures is negative.
int64_t natural(const json& number, const std::string& what) {
  if (!number.is_number_integer()) throw WireLie{fmt::format("{} is no integer", what)};
  if (number.is_number_unsigned() && number.get<uint64_t>() > uint64_t{std::numeric_limits<int64_t>::max()})
    throw WireLie{fmt::format("{} is {}", what, number.get<uint64_t>())};
  const auto value = number.get<int64_t>();
  if (value < 0) throw WireLie{fmt::format("{} is {}", what, value)};
  return value;
}

Sizes naturals(const json& list, const std::string& what) {
  if (list.size() > kRankMax) throw WireLie{fmt::format("{}: {} dims", what, list.size())};
  Sizes sizes;
  for (const json& number : list) sizes.push_back(natural(number, what));
  return sizes;
}

int64_t product(int64_t a, int64_t b, const std::string& what) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) throw WireLie{fmt::format("{}: {} * {} overflows", what, a, b)};
  return result;
}

int64_t sum(int64_t a, int64_t b, const std::string& what) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) throw WireLie{fmt::format("{}: {} + {} overflows", what, a, b)};
  return result;
}

std::shared_ptr<std::vector<std::byte>> copied(const FileDescriptor& block, int64_t offset, int64_t bytes,
                                               const std::string& place) {
  auto storage = std::make_shared<std::vector<std::byte>>(static_cast<size_t>(bytes));
  for (int64_t done = 0; done < bytes;) {
    const ssize_t got = pread(block.number(), storage->data() + done, static_cast<size_t>(bytes - done), offset + done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw WireLie{fmt::format("{}: the block ends after {} of {} bytes", place, done, bytes)};
    done += got;
  }
  return storage;
}

double real(const std::string& text, const std::string& place) {
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
      throw WireLie{fmt::format("{}: '{}' is no hex float", place, wire_line(text))};
  }
  return negative ? -number : number;
}

}  // namespace

const json& wire_member(const json& object, const char* name, const std::string& place) {
  if (!object.is_object()) throw WireLie{fmt::format("{}: expected an object", place)};
  const auto found = object.find(name);
  if (found == object.end()) throw WireLie{fmt::format("{}: no '{}'", place, name)};
  return *found;
}

const json& wire_array(const json& object, const char* name, const std::string& place) {
  const json& array = wire_member(object, name, place);
  if (!array.is_array()) throw WireLie{fmt::format("{}: '{}' is no list", place, name)};
  return array;
}

// WireStorages follow each other, so that their sum is no more than the block holds.
WireStorages read_storages(const json& list, const FileDescriptor& block, const WireLimits& limits) {
  WireStorages storages;
  int64_t size = 0;
  if (block.open()) {
    struct stat status = {};
    if (fstat(block.number(), &status) != 0 || !S_ISREG(status.st_mode)) throw WireLie{"the block is no memory"};
    size = status.st_size;
  }
  int64_t end = 0;
  for (const json& entry : list) {
    const std::string place = fmt::format("storage {}", storages.size());
    const int64_t offset = natural(wire_member(entry, "offset", place), place + ": its offset");
    const int64_t bytes = natural(wire_member(entry, "bytes", place), place + ": its size");
    if (offset < end) throw WireLie{fmt::format("{}: at {}, inside of the one before", place, offset)};
    end = sum(offset, bytes, place);
    if (end > size) throw WireLie{fmt::format("{}: ends at {} of a block of {} bytes", place, end, size)};
    if (end > limits.bytes) throw WireLie{fmt::format("{} bytes of tensors, at most {}", end, limits.bytes)};
    storages.push_back(copied(block, offset, bytes, place));
  }
  return storages;
}

Value ValueReader::value(const json& tagged, const std::string& place) const {
  if (!tagged.is_object() || tagged.size() != 1)
    throw WireLie{fmt::format("{}: expected an object of one member", place)};
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
  throw WireLie{fmt::format("{}: no value of kind '{}'", place, wire_line(tag))};
}

ValueList ValueReader::values(const json& list, const std::string& place) const {
  ValueList result;
  for (const json& element : list) result.push_back(value(element, fmt::format("{} {}", place, result.size())));
  return result;
}

NamedValues ValueReader::pairs(const json& list, const std::string& place) const {
  constexpr size_t kNameMax = 400;
  NamedValues result;
  for (const json& pair : list) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() ||
        pair[0].get_ref<const std::string&>().size() > kNameMax)
      throw WireLie{fmt::format("{}: expected pairs of a name and a value", place)};
    const std::string name = wire_line(pair[0].get_ref<const std::string&>());
    result.emplace_back(name, value(pair[1], fmt::format("{}: '{}'", place, name)));
  }
  return result;
}

Tensor ValueReader::tensor(const json& content, const std::string& place) const {
  const json& dtype_name = wire_member(content, "dtype", place);
  const auto dtype = dtype_from_name(dtype_name.is_string() ? dtype_name.get_ref<const std::string&>() : "");
  if (!dtype) throw WireLie{fmt::format("{}: no such dtype {}", place, wire_line(dtype_name.dump()))};
  TensorType type;
  type.dtype = *dtype;
  type.sizes = naturals(wire_array(content, "sizes", place), place + ": a size");
  type.strides = naturals(wire_array(content, "strides", place), place + ": a stride");
  type.offset = natural(wire_member(content, "offset", place), place + ": its offset");
  if (type.strides.size() != type.sizes.size())
    throw WireLie{fmt::format("{}: {} sizes, {} strides", place, type.sizes.size(), type.strides.size())};
  const int64_t index = natural(wire_member(content, "storage", place), place + ": its storage");
  if (index >= static_cast<int64_t>(storages_.size()))
    throw WireLie{fmt::format("{}: storage {} of {}", place, index, storages_.size())};
  const auto& storage = storages_[static_cast<size_t>(index)];
  check_extent(type, static_cast<int64_t>(storage->size()), place);
  return {std::move(type), storage};
}

// Like storage_elements, but nothing may overflow on the way. An empty tensor's other sizes are multiplied too:
// others do so in any order.
void ValueReader::check_extent(const TensorType& type, int64_t bytes, const std::string& place) const {
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
  if (product(elements, element, place) > limits_.bytes) throw WireLie{fmt::format("{}: {} elements", place, elements)};
  if (!empty && needed > bytes)
    throw WireLie{fmt::format("{} has {} bytes, its type {} needs {}", place, bytes, to_text(type), needed)};
}

}  // namespace faultline
