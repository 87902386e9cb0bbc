// Builds ZIP archives of stored members for tests of the .pt2 reader: well-formed by default, with the few fields
// open that a test damages on purpose.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/ir/pt2/archive.h"

namespace faultline {

struct ZipMember {
  std::string name, data;
  uint32_t method = 0, flags = 8;  // flag 8: sizes stand in the directory alone, as in .pt2 files
  bool wide = false;               // sizes and offset in a ZIP64 extra field
};

class ZipWriter {
 public:
  void add(const ZipMember& member) {
    const auto offset = bytes_.size();
    const uint32_t crc = crc32({reinterpret_cast<const std::byte*>(member.data.data()), member.data.size()});
    words(bytes_, {{0x04034b50, 4}, {20, 2}, {member.flags, 2}, {member.method, 2}, {0, 4}, {0, 4}, {0, 4}, {0, 4}});
    words(bytes_, {{member.name.size(), 2}, {0, 2}});
    bytes_ += member.name + member.data;
    const uint64_t size = member.wide ? 0xFFFFFFFF : member.data.size();
    words(directory_,
          {{0x02014b50, 4}, {20, 2}, {20, 2}, {member.flags, 2}, {member.method, 2}, {0, 4}, {crc, 4}, {size, 4}});
    words(directory_,
          {{size, 4}, {member.name.size(), 2}, {member.wide ? 28u : 0u, 2}, {0, 2}, {0, 2}, {0, 2}, {0, 4}});
    words(directory_, {{member.wide ? 0xFFFFFFFF : offset, 4}});
    directory_ += member.name;
    if (member.wide)
      words(directory_, {{1, 2}, {24, 2}, {member.data.size(), 8}, {member.data.size(), 8}, {offset, 8}});
    ++count_;
  }

  std::string finish(bool wide = false) const {
    std::string result = bytes_ + directory_;
    const uint64_t offset = bytes_.size(), end = result.size();
    if (wide) {
      words(result, {{0x06064b50, 4}, {44, 8}, {45, 2}, {45, 2}, {0, 4}, {0, 4}, {count_, 8}, {count_, 8}});
      words(result, {{directory_.size(), 8}, {offset, 8}, {0x07064b50, 4}, {0, 4}, {end, 8}, {1, 4}});
    }
    const uint64_t narrow_offset = wide ? 0xFFFFFFFF : offset, narrow_count = wide ? 0xFFFF : count_;
    words(result, {{0x06054b50, 4}, {0, 2}, {0, 2}, {narrow_count, 2}, {narrow_count, 2}, {directory_.size(), 4}});
    words(result, {{narrow_offset, 4}, {0, 2}});
    return result;
  }

 private:
  static void words(std::string& out, std::vector<std::pair<uint64_t, int>> fields) {
    for (const auto& [value, size] : fields)
      for (int i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * i));
  }

  std::string bytes_, directory_;
  uint64_t count_ = 0;
};

inline std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

// The archive with one member's data replaced, and every CRC right again; data == nullptr removes the member.
inline std::string with_member(std::string_view archive_bytes, const std::string& name, const std::string* data) {
  const Archive archive(as_bytes(archive_bytes), "original");
  ZipWriter writer;
  for (const std::string& other : archive.names())
    if (other != name) writer.add({"stem/" + other, std::string(archive.read_text(other))});
  if (data) writer.add({"stem/" + name, *data});
  return writer.finish();
}

}  // namespace faultline
