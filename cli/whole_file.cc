// The text goes to a file beside the wanted one, which then takes its name. A link is followed, so that it stays one.
#include "cli/whole_file.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "runtime/base/error.h"

namespace faultline {

namespace fs = std::filesystem;

namespace {

UserError cannot(const std::string& path, const std::string& option) {
  return UserError(fmt::format("{}: {} cannot be written", option, path));
}

// What a path leads to; the path where it leads nowhere yet.
std::string behind_links(const std::string& path) {
  std::error_code failed;
  const fs::path real = fs::weakly_canonical(path, failed);
  return failed ? path : real.string();
}

bool is_replaced(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return !fs::exists(status) || fs::is_regular_file(status);
}

std::string beside(const std::string& path) { return fmt::format("{}.{}.part", behind_links(path), getpid()); }

bool write_to(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  return file.good();
}

}  // namespace

void check_writable(const std::string& path, const std::string& option) {
  std::error_code ignored;
  if (!is_replaced(path)) {
    if (fs::is_directory(path, ignored) || access(path.c_str(), W_OK) != 0) throw cannot(path, option);
    return;
  }
  if (path.empty() || path.ends_with('/') || !write_to(beside(path), "")) throw cannot(path, option);
  fs::remove(beside(path), ignored);
}

void write_whole(const std::string& path, const std::string& text, const std::string& option) {
  check_writable(path, option);
  if (!is_replaced(path)) {
    if (!write_to(path, text)) throw cannot(path, option);
    return;
  }
  std::error_code failed, ignored;
  const std::string part = beside(path);
  if (!write_to(part, text)) failed = std::make_error_code(std::errc::io_error);
  if (!failed) fs::rename(part, behind_links(path), failed);
  if (!failed) return;
  fs::remove(part, ignored);
  throw cannot(path, option);
}

}  // namespace faultline
