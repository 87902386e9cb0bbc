// The ZIP records and their fields are those of PKWARE's APPNOTE, sections 4.3.7 (local header), 4.3.12 (central
// directory), 4.3.14 to 4.3.16 (end records) and 4.5.3 (64-bit sizes).
#include "runtime/ir/pt2/archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runtime/base/error.h"

namespace faultline {

static constexpr uint64_t kEndRecordSize = 22, kEntrySize = 46, kHeaderSize = 30, kLocatorSize = 20;
static constexpr uint64_t kCommentMax = 65535;

uint32_t crc32(std::span<const std::byte> bytes) {
  static const auto table = [] {
    std::array<uint32_t, 256> result{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = value & 1 ? 0xEDB88320u ^ (value >> 1) : value >> 1;
      result[i] = value;
    }
    return result;
  }();
  uint32_t crc = ~uint32_t{0};
  for (const std::byte byte : bytes) crc = table[(crc ^ static_cast<uint32_t>(byte)) & 255] ^ (crc >> 8);
  return ~crc;
}

std::string printable(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, 80)) {
    if (c >= ' ' && c <= '~')
      result += c;
    else
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return text.size() > 80 ? result + "..." : result;
}

Archive::Archive(std::span<const std::byte> bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {
  read_directory(find_directory());
  refuse_overlaps();
}

std::vector<std::string> Archive::names() const {
  std::vector<std::string> result;
  for (const auto& [name, member] : members_) result.push_back(name);
  return result;
}

std::span<const std::byte> Archive::read(const std::string& name) const {
  const auto found = members_.find(name);
  if (found == members_.end())
    throw UserError(
        fmt::format("{}: expected a member '{}'{}", file_, printable(name), printable(did_you_mean(name, names()))));
  const Member& member = found->second;
  const auto data = bytes_.subspan(member.data, member.size);
  if (crc32(data) != member.crc)
    throw UserError(fmt::format("{}: member '{}' at offset {}: expected data with CRC {:08x}, found {:08x}", file_,
                                printable(name), member.data, member.crc, crc32(data)));
  return data;
}

std::string_view Archive::read_text(const std::string& name) const {
  const auto data = read(name);
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

void Archive::fail(uint64_t offset, std::string_view problem) const {
  throw UserError(fmt::format("{}: at offset {}: {}", file_, offset, problem));
}

// A little-endian number of `size` bytes.
uint64_t Archive::word(uint64_t offset, int size, std::string_view what) const {
  const auto bytes = static_cast<uint64_t>(size);
  if (offset > bytes_.size() || bytes > bytes_.size() - offset)
    fail(offset, fmt::format("expected {}, found the end of the file", what));
  uint64_t value = 0;
  for (uint64_t i = bytes; i-- > 0;) value = value << 8 | static_cast<uint64_t>(bytes_[offset + i]);
  return value;
}

Archive::Directory Archive::find_directory() const {
  constexpr std::string_view what = "the end record of a ZIP archive";
  const uint64_t size = bytes_.size();
  const uint64_t first = size > kEndRecordSize + kCommentMax ? size - kEndRecordSize - kCommentMax : 0;
  for (uint64_t at = size >= kEndRecordSize ? size - kEndRecordSize + 1 : 0; at-- > first;) {
    if (word(at, 4, what) != 0x06054b50 || at + kEndRecordSize + word(at + 20, 2, what) != size) continue;
    Directory directory{word(at + 16, 4, what), word(at + 12, 4, what), word(at + 10, 2, what)};
    if (word(at + 4, 2, what) || word(at + 6, 2, what)) fail(at, "expected an archive of one disk");
    const bool wide = directory.offset == 0xFFFFFFFF || directory.size == 0xFFFFFFFF || directory.count == 0xFFFF;
    if (wide) directory = read_zip64(at);
    if (directory.offset > at || directory.size > at - directory.offset)
      fail(at, fmt::format("expected a directory before the end record, found {} bytes at {}", directory.size,
                           directory.offset));
    return directory;
  }
  throw UserError(fmt::format("{}: expected a .pt2 archive (ZIP), found no end record in {} bytes", file_, size));
}

Archive::Directory Archive::read_zip64(uint64_t end_record) const {
  constexpr std::string_view what = "a ZIP64 end record";
  if (end_record < kLocatorSize || word(end_record - kLocatorSize, 4, what) != 0x07064b50)
    fail(end_record, "expected a ZIP64 locator before the end record");
  const uint64_t at = word(end_record - kLocatorSize + 8, 8, what);
  if (word(at, 4, what) != 0x06064b50) fail(at, fmt::format("expected {}", what));
  return {word(at + 48, 8, what), word(at + 40, 8, what), word(at + 32, 8, what)};
}

void Archive::read_directory(const Directory& directory) {
  if (directory.count > directory.size / kEntrySize)
    fail(directory.offset,
         fmt::format("expected {} entries, found a directory of {} bytes", directory.count, directory.size));
  uint64_t offset = directory.offset;
  for (uint64_t i = 0; i < directory.count; ++i) offset = read_entry(offset, directory);
}

// One entry of the central directory; returns where the next begins.
uint64_t Archive::read_entry(uint64_t offset, const Directory& directory) {
  constexpr std::string_view what = "a directory entry";
  const uint64_t end = directory.offset + directory.size;
  if (end - offset < kEntrySize || word(offset, 4, what) != 0x02014b50) fail(offset, fmt::format("expected {}", what));
  const uint64_t name_size = word(offset + 28, 2, what), extra_size = word(offset + 30, 2, what);
  const uint64_t next = offset + kEntrySize + name_size + extra_size + word(offset + 32, 2, what);
  if (next > end) fail(offset, "expected a directory entry, found one that is cut off");

  std::string name(reinterpret_cast<const char*>(bytes_.data() + offset + kEntrySize), name_size);
  const size_t slash = name.find('/');
  name = slash == std::string::npos ? name : name.substr(slash + 1);
  Member member{word(offset + 42, 4, what), word(offset + 24, 4, what),
                static_cast<uint32_t>(word(offset + 16, 4, what))};
  const uint64_t packed_size = word(offset + 20, 4, what);
  read_zip64_extra(member, offset + kEntrySize + name_size, extra_size);
  if (word(offset + 8, 2, what) & 1) fail(offset, fmt::format("member '{}' is encrypted", printable(name)));
  if (word(offset + 10, 2, what) != 0 || (packed_size != 0xFFFFFFFF && packed_size != member.size))
    fail(offset, fmt::format("member '{}' is compressed, when a .pt2 stores its members", printable(name)));
  locate_data(name, member, directory);
  if (!members_.emplace(name, member).second) fail(offset, fmt::format("member '{}' stands twice", printable(name)));
  return next;
}

// Sizes and offsets of 32 ones stand in the extra field with id 1, in this order, those alone.
void Archive::read_zip64_extra(Member& member, uint64_t extra, uint64_t extra_size) const {
  constexpr std::string_view what = "an extra field";
  const uint64_t end = extra + extra_size;
  while (end - extra >= 4) {
    const uint64_t id = word(extra, 2, what), size = word(extra + 2, 2, what);
    extra += 4;
    if (size > end - extra) fail(extra, "expected an extra field, found one that is cut off");
    uint64_t at = extra;
    extra += size;
    if (id != 1) continue;
    const auto take = [&](uint64_t& field) {
      if (extra - at < 8) fail(at, "expected a 64-bit size, found the end of the extra field");
      field = word(at, 8, what);
      at += 8;
    };
    uint64_t packed = 0;
    if (member.size == 0xFFFFFFFF) {
      take(member.size);
      take(packed);
    }
    if (member.header == 0xFFFFFFFF) take(member.header);
  }
}

void Archive::locate_data(const std::string& name, Member& member, const Directory& directory) const {
  constexpr std::string_view what = "a local header";
  const auto refuse = [&](std::string_view problem) {
    throw UserError(fmt::format("{}: member '{}' at offset {}: {}", file_, printable(name), member.header, problem));
  };
  if (member.header > directory.offset || directory.offset - member.header < kHeaderSize)
    refuse("expected a local header before the directory");
  if (word(member.header, 4, what) != 0x04034b50) refuse("expected a local header");
  member.data = member.header + kHeaderSize + word(member.header + 26, 2, what) + word(member.header + 28, 2, what);
  if (member.data > directory.offset || member.size > directory.offset - member.data)
    refuse(fmt::format("expected {} bytes of data, found the directory", member.size));
}

// Without this a small file could name the same bytes thousands of times.
void Archive::refuse_overlaps() const {
  std::vector<std::pair<uint64_t, uint64_t>> spans;
  for (const auto& [name, member] : members_) spans.emplace_back(member.header, member.data + member.size);
  std::sort(spans.begin(), spans.end());
  for (size_t i = 1; i < spans.size(); ++i)
    if (spans[i].first < spans[i - 1].second) fail(spans[i].first, "expected members apart, found two that overlap");
}

}  // namespace faultline
