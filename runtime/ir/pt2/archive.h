// A ZIP archive whose members are stored, not compressed: the container of .pt2 files. Read from the central
// directory alone, because local headers of such files leave their sizes zero. The bytes are hostile: every offset
// and count is checked, nothing is copied, members may not overlap, and each member's CRC is checked when it is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace faultline {

// The checksum of ZIP (CRC-32 with the reflected polynomial 0xEDB88320).
uint32_t crc32(std::span<const std::byte> bytes);

// Text from a file, made printable for a one-line message: other bytes as \xNN, at most 80 characters.
std::string printable(std::string_view text);

class Archive {
 public:
  // Keeps `bytes` by reference. Throws UserError "<file>: ..." when this is no archive of stored members.
  Archive(std::span<const std::byte> bytes, std::string file);

  const std::string& file() const { return file_; }
  // Names without the first path component, which every member of a .pt2 shares; sorted.
  std::vector<std::string> names() const;
  bool has(const std::string& name) const { return members_.count(name) > 0; }
  // Throws UserError when there is no such member or its CRC is wrong.
  std::span<const std::byte> read(const std::string& name) const;
  std::string_view read_text(const std::string& name) const;

 private:
  struct Member {
    uint64_t header = 0, size = 0;  // offset of the local header; bytes of data
    uint32_t crc = 0;
    uint64_t data = 0;  // offset of the first byte of data
  };
  struct Directory {
    uint64_t offset = 0, size = 0, count = 0;
  };

  uint64_t word(uint64_t offset, int size, std::string_view what) const;
  [[noreturn]] void fail(uint64_t offset, std::string_view problem) const;
  Directory find_directory() const;
  Directory read_zip64(uint64_t end_record) const;
  void read_directory(const Directory& directory);
  uint64_t read_entry(uint64_t offset, const Directory& directory);
  void read_zip64_extra(Member& member, uint64_t extra, uint64_t extra_size) const;
  void locate_data(const std::string& name, Member& member, const Directory& directory) const;
  void refuse_overlaps() const;

  std::span<const std::byte> bytes_;
  std::string file_;
  std::map<std::string, Member> members_;
};

}  // namespace faultline
