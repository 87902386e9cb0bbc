// Reading, judging and printing of public bugs.
#include "cli/public_corpus.h"

#include <sstream>

#include <fmt/format.h>

#include "reports/json.h"
#include "runtime/base/error.h"
#include "runtime/base/read_text.h"
#include "taxonomy/layer.h"

namespace faultline {

namespace {

std::string field(const nlohmann::json& row, const char* name, bool needed, const std::string& place) {
  const auto found = row.find(name);
  if (found == row.end() && !needed) return {};
  if (found == row.end() || !found->is_string()) throw UserError(fmt::format("{}: expected a text '{}'", place, name));
  return found->get<std::string>();
}

PublicBug read_bug(const std::string& line, const std::string& place) {
  const nlohmann::json row = nlohmann::json::parse(line, nullptr, false);
  if (!row.is_object()) throw UserError(place + ": expected one JSON object a line");
  PublicBug bug;
  bug.id = field(row, "id", true, place);
  bug.url = field(row, "url", true, place);
  bug.backend = field(row, "backend", true, place);
  bug.layer = field(row, "layer", true, place);
  bug.symptom = field(row, "symptom", true, place);
  bug.pattern = field(row, "pattern", false, place);
  bug.declined = field(row, "declined", false, place);
  bug.case_line = field(row, "case", true, place);
  if (const auto seen = row.find("seen"); seen != row.end() && seen->is_array())
    for (const auto& version : *seen)
      if (version.is_string()) bug.seen.push_back(version.get<std::string>());
  return bug;
}

std::string found_layer(const BugResult& result) {
  if (!result.verdict || !result.verdict->origin.layer) return "-";
  return std::string(name(*result.verdict->origin.layer));
}

std::string outcome_text(const BugResult& result) {
  return result.verdict ? std::string(name(result.verdict->outcome)) : "not run";
}

nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

struct Tally {
  int reproduced = 0, right_layer = 0, declined = 0, total = 0;
};

Tally tally_of(const std::vector<BugResult>& results) {
  Tally tally;
  for (const BugResult& result : results) {
    if (!result.bug->declined.empty()) {
      ++tally.declined;
      continue;
    }
    ++tally.total;
    tally.reproduced += result.reproduced();
    tally.right_layer += result.reproduced() && result.right_layer();
  }
  return tally;
}

}  // namespace

std::vector<PublicBug> read_public_bugs(const std::string& path) {
  std::istringstream lines(read_text(path));
  std::vector<PublicBug> bugs;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!line.empty()) bugs.push_back(read_bug(line, fmt::format("{}:{}", path, number)));
  }
  return bugs;
}

bool BugResult::reproduced() const {
  if (!verdict) return false;
  switch (verdict->outcome) {
    case Outcome::wrong_value:
    case Outcome::wrong_metadata:
    case Outcome::lost_mutation:
    case Outcome::crashed:
    case Outcome::hung:
    case Outcome::nondeterministic:
    case Outcome::slow: return true;
    case Outcome::rejected: return bug->symptom == "rejected";
    default: return false;
  }
}

bool BugResult::right_layer() const {
  return verdict && verdict->origin.layer && name(*verdict->origin.layer) == bug->layer;
}

std::string list_text(const std::vector<PublicBug>& bugs) {
  std::string text;
  for (const PublicBug& bug : bugs)
    text += fmt::format("{:<18} {:<10} {:<16} {}\n", bug.id, bug.layer, bug.symptom, bug.url);
  return text;
}

std::string to_text(const std::vector<BugResult>& results) {
  std::string text = fmt::format("{:<18} {:<10} {:<10} {:<16} {}\n", "bug", "layer", "found", "outcome", "");
  for (const BugResult& result : results) {
    const std::string_view mark = !result.bug->declined.empty() ? "declined"
                                  : !result.reproduced()        ? "not reproduced"
                                  : result.right_layer()        ? "right layer"
                                                                : "another layer";
    text += fmt::format("{:<18} {:<10} {:<10} {:<16} {}{}{}\n", result.bug->id, result.bug->layer, found_layer(result),
                        outcome_text(result), mark, result.failure.empty() ? "" : ": ", result.failure);
  }
  const Tally tally = tally_of(results);
  return text +
         fmt::format("\n{} of {} reproduced, {} with the right layer; {} declined by maintainers and not counted\n",
                     tally.reproduced, tally.total, tally.right_layer, tally.declined);
}

nlohmann::ordered_json to_json(const std::vector<BugResult>& results) {
  nlohmann::ordered_json json;
  json["schema"] = "faultline.corpus/1";
  const Tally tally = tally_of(results);
  json["total"] = tally.total;
  json["reproduced"] = tally.reproduced;
  json["right_layer"] = tally.right_layer;
  json["declined"] = tally.declined;
  json["bugs"] = nlohmann::ordered_json::array();
  for (const BugResult& result : results) {
    nlohmann::ordered_json row = {{"id", result.bug->id},
                                  {"url", result.bug->url},
                                  {"layer", result.bug->layer},
                                  {"reproduced", result.reproduced()},
                                  {"right_layer", result.right_layer()}};
    row["declined"] = text_or_null(result.bug->declined);
    row["failure"] = text_or_null(result.failure);
    row["verdict"] = result.verdict ? to_json(*result.verdict) : nlohmann::ordered_json();
    json["bugs"].push_back(std::move(row));
  }
  return json;
}

}  // namespace faultline
