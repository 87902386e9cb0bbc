// What a campaign has done, in one SQLite file: cases by number, findings by signature. Whatever belongs together is
// one transaction, so that a campaign that is killed resumes with nothing lost or repeated: a number is either in
// `cases`, with its finding, or it is tried again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct sqlite3;

namespace faultline {

struct CaseRow {
  int64_t number = 0;
  std::string outcome;    // of the verdict; "refused": eager refuses the program; "lost": the harness ended
  std::string signature;  // of a mismatch, before it was reduced
  std::string note;
};

struct FindingRow {
  int64_t id = 0;      // from 1, the name of its folder
  int64_t number = 0;  // of the case that it was first seen in
  std::string signature;
  std::string original_line, line;  // the case as generated, and reduced
  std::string verdict, report;      // JSON and text
  std::string script, script_result;
  std::string known;  // the public bug that has its signature
  int64_t operations = 0, runs = 0;
  int64_t cases = 0;  // that showed it
};

class Store {
 public:
  // Opens or creates. Throws UserError for a file of another kind, and for a campaign with other settings.
  Store(const std::string& path, const std::map<std::string, std::string>& settings);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // The numbers below the highest that are not there, and the first above it.
  std::vector<int64_t> gaps();
  int64_t first_free();

  // By its own signature, or by one that a case of it had before it was reduced.
  std::optional<int64_t> finding_with(const std::string& signature);
  void record(const CaseRow& row, std::optional<int64_t> finding = {});
  // Gives its id.
  int64_t record(const CaseRow& row, FindingRow finding);

  std::map<std::string, int64_t> outcomes();
  std::vector<FindingRow> findings();

  // Signatures of public bugs, found out once a campaign.
  std::optional<std::string> public_signature(const std::string& bug);
  void record_public(const std::string& bug, const std::string& signature);

 private:
  void create();
  void check_settings(const std::map<std::string, std::string>& settings);
  void execute(const char* text);
  void insert_case(const CaseRow& row, std::optional<int64_t> finding);

  std::string path_;
  sqlite3* database_ = nullptr;
};

}  // namespace faultline
