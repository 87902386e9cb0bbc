// Access by key, index and type; every message names the place as a JSON pointer.
#include "runtime/ir/pt2/json_view.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "runtime/base/error.h"
#include "runtime/ir/pt2/archive.h"

namespace faultline {

// An export of a graph in a graph stays far below; the parser itself does not recurse.
static constexpr int kDepthMax = 200;
// A tree takes some twenty times its text.
static constexpr size_t kTextBytesMax = size_t{1} << 28;

JsonDocument::JsonDocument(std::string_view text, std::string file, std::string member)
    : file_(std::move(file)), member_(std::move(member)) {
  bool too_deep = false;
  const auto callback = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    too_deep |= depth > kDepthMax;
    return !too_deep;
  };
  const auto refuse = [&](size_t offset, std::string_view problem) {
    throw UserError(fmt::format("{}: member '{}' at offset {}: {}", file_, printable(member_), offset, problem));
  };
  if (text.size() > kTextBytesMax) refuse(kTextBytesMax, "expected the end of a JSON text of reasonable size");
  try {
    value_ = std::make_unique<nlohmann::json>(nlohmann::json::parse(text.begin(), text.end(), callback));
  } catch (const nlohmann::json::parse_error& error) {
    refuse(error.byte, "expected JSON, found something else here");
  } catch (const nlohmann::json::exception&) {
    refuse(0, "expected JSON, found a number that no double holds");
  }
  if (too_deep) refuse(0, fmt::format("expected JSON, found more than {} levels", kDepthMax));
}

JsonDocument::~JsonDocument() = default;

JsonView JsonDocument::root() const { return JsonView(*value_, *this, ""); }

void JsonView::fail(std::string_view problem) const {
  throw UserError(fmt::format("{}: member '{}' at {}: {}", document_->file(), printable(document_->member()),
                              path_.empty() ? "/" : printable(path_), problem));
}

void JsonView::expected(std::string_view what) const {
  fail(fmt::format("expected {}, found {}", what, value_->type_name()));
}

JsonView JsonView::at(std::string_view key) const {
  if (!value_->is_object()) expected("object");
  const auto found = value_->find(key);
  if (found == value_->end()) fail(fmt::format("expected a key '{}'", key));
  return JsonView(*found, *document_, fmt::format("{}/{}", path_, key));
}

std::optional<JsonView> JsonView::find(std::string_view key) const {
  if (!value_->is_object()) expected("object");
  const auto found = value_->find(key);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return JsonView(*found, *document_, fmt::format("{}/{}", path_, key));
}

std::vector<JsonView> JsonView::elements() const {
  if (!value_->is_array()) expected("array");
  std::vector<JsonView> result;
  for (size_t i = 0; i < value_->size(); ++i)
    result.push_back(JsonView((*value_)[i], *document_, fmt::format("{}/{}", path_, i)));
  return result;
}

std::vector<std::pair<std::string, JsonView>> JsonView::members() const {
  if (!value_->is_object()) expected("object");
  std::vector<std::pair<std::string, JsonView>> result;
  for (const auto& [key, value] : value_->items())
    result.emplace_back(key, JsonView(value, *document_, fmt::format("{}/{}", path_, key)));
  return result;
}

std::pair<std::string, JsonView> JsonView::only_member() const {
  if (!value_->is_object() || value_->size() != 1) expected("object of one key");
  return members().front();
}

std::string JsonView::text() const {
  if (!value_->is_string()) expected("string");
  return value_->get<std::string>();
}

int64_t JsonView::integer() const {
  if (!value_->is_number_integer()) expected("integer");
  constexpr auto most = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (value_->is_number_unsigned() && value_->get<uint64_t>() > most) expected("integer of 64 bits");
  return value_->get<int64_t>();
}

double JsonView::real() const {
  if (value_->is_number()) return value_->get<double>();
  if (!value_->is_string()) expected("number");
  const std::string word = value_->get<std::string>();
  if (word == "Infinity") return std::numeric_limits<double>::infinity();
  if (word == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
  fail("expected a number, Infinity, -Infinity or NaN");
}

bool JsonView::boolean() const {
  if (!value_->is_boolean()) expected("boolean");
  return value_->get<bool>();
}

}  // namespace faultline
