// Checked access to untrusted JSON: a wrong type, a missing key or a number out of range throws UserError
// "<file>: member '<member>' at /graph_module/graph/nodes/3: expected ..., found ...".
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace faultline {

class JsonDocument;

// Points into a JsonDocument, which must outlive it.
class JsonView {
 public:
  JsonView at(std::string_view key) const;
  // Empty when the key is absent or null.
  std::optional<JsonView> find(std::string_view key) const;
  std::vector<JsonView> elements() const;
  std::vector<std::pair<std::string, JsonView>> members() const;
  // Of an object with exactly one key, as every union of the export schema is.
  std::pair<std::string, JsonView> only_member() const;

  std::string text() const;
  int64_t integer() const;
  // A number, or one of the strings "Infinity", "-Infinity", "NaN".
  double real() const;
  bool boolean() const;

  [[noreturn]] void fail(std::string_view problem) const;

 private:
  friend class JsonDocument;
  JsonView(const nlohmann::json& value, const JsonDocument& document, std::string path)
      : value_(&value), document_(&document), path_(std::move(path)) {}
  [[noreturn]] void expected(std::string_view what) const;

  const nlohmann::json* value_;
  const JsonDocument* document_;
  std::string path_;
};

class JsonDocument {
 public:
  // Throws UserError "<file>: member '<member>' at offset N: ..." when `text` is no JSON or is nested too deeply.
  JsonDocument(std::string_view text, std::string file, std::string member);
  ~JsonDocument();

  JsonView root() const;
  const std::string& file() const { return file_; }
  const std::string& member() const { return member_; }

 private:
  std::string file_, member_;
  std::unique_ptr<nlohmann::json> value_;
};

}  // namespace faultline
