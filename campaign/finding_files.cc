// Files that are there whole, or not at all.
#include "campaign/finding_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "runtime/base/error.h"

namespace faultline {

namespace fs = std::filesystem;

static void write_if_other(const fs::path& path, const std::string& text) {
  std::ostringstream there;
  if (std::ifstream file(path, std::ios::binary); file) there << file.rdbuf();
  if (there.str() == text && fs::exists(path)) return;
  const fs::path beside = path.string() + ".part";
  std::ofstream(beside, std::ios::binary) << text;
  std::error_code error;
  fs::rename(beside, path, error);
  if (error) throw UserError(fmt::format("{}: {}", path.string(), error.message()));
}

std::string finding_folder(const std::string& folder, int64_t id) { return fmt::format("{}/{:03}", folder, id); }

void write_finding(const std::string& folder, const FindingRow& finding) {
  const fs::path place = finding_folder(folder, finding.id);
  std::error_code error;
  fs::create_directories(place, error);
  if (error) throw UserError(fmt::format("{}: {}", place.string(), error.message()));
  write_if_other(place / "case.txt", finding.line + "\n");
  write_if_other(place / "original.txt", finding.original_line + "\n");
  if (!finding.verdict.empty()) write_if_other(place / "verdict.json", finding.verdict + "\n");
  if (!finding.report.empty()) write_if_other(place / "report.txt", finding.report);
  if (!finding.script.empty()) write_if_other(place / "reproduce.py", finding.script);
}

}  // namespace faultline
