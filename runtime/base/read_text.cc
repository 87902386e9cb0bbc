// A device may have no end and a pipe need not tell its length, so what is read is counted, and reading stops at the
// limit.
#include "runtime/base/read_text.h"

#include <filesystem>
#include <fstream>

#include "runtime/base/error.h"

namespace faultline {

std::string read_text(const std::string& path) {
  constexpr size_t kMebibytesMax = 64, kPart = size_t{1} << 16;
  std::error_code none;
  const std::filesystem::file_status status = std::filesystem::status(path, none);
  if (!std::filesystem::is_regular_file(status) && !std::filesystem::is_fifo(status))
    throw UserError(path + (std::filesystem::exists(status) ? ": is no file and no pipe" : ": cannot be read"));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UserError(path + ": cannot be read");
  std::string text, part(kPart, '\0');
  while (file.read(part.data(), kPart), file.gcount() > 0) {
    text.append(part, 0, static_cast<size_t>(file.gcount()));
    if (text.size() > kMebibytesMax << 20)
      throw UserError(path + ": is longer than " + std::to_string(kMebibytesMax) +
                      " MiB, the most that is read as text");
  }
  if (file.bad()) throw UserError(path + ": cannot be read");
  return text;
}

}  // namespace faultline
