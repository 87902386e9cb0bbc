// SQLite in WAL mode: a transaction is on disk before the next begins to matter.
#include "campaign/store.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

#include "runtime/base/error.h"

namespace faultline {

namespace {

constexpr const char* kTables =
    "CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL);"
    "CREATE TABLE cases (number INTEGER PRIMARY KEY, outcome TEXT NOT NULL, signature TEXT NOT NULL,"
    " note TEXT NOT NULL, finding INTEGER);"
    "CREATE TABLE findings (id INTEGER PRIMARY KEY, number INTEGER NOT NULL, signature TEXT NOT NULL UNIQUE,"
    " original_line TEXT NOT NULL, line TEXT NOT NULL, verdict TEXT NOT NULL, report TEXT NOT NULL,"
    " script TEXT NOT NULL, script_result TEXT NOT NULL, known TEXT NOT NULL, operations INTEGER NOT NULL,"
    " runs INTEGER NOT NULL);"
    "CREATE TABLE signatures (signature TEXT PRIMARY KEY, finding INTEGER NOT NULL);"
    "CREATE TABLE public_bugs (bug TEXT PRIMARY KEY, signature TEXT NOT NULL);";

[[noreturn]] void fail(const std::string& path, sqlite3* database) {
  throw UserError(fmt::format("{}: {}", path, database == nullptr ? "no memory" : sqlite3_errmsg(database)));
}

// One prepared statement, bound from the left.
class Query {
 public:
  Query(sqlite3* database, const std::string& path, const char* text) : database_(database), path_(path) {
    if (sqlite3_prepare_v2(database, text, -1, &statement_, nullptr) != SQLITE_OK) fail(path, database);
  }
  ~Query() { sqlite3_finalize(statement_); }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  Query& bind(const std::string& text) {
    sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    return *this;
  }
  Query& bind(int64_t number) {
    sqlite3_bind_int64(statement_, ++bound_, number);
    return *this;
  }
  Query& bind(std::optional<int64_t> number) {
    if (number) return bind(*number);
    sqlite3_bind_null(statement_, ++bound_);
    return *this;
  }
  // True for a row.
  bool step() {
    const int result = sqlite3_step(statement_);
    if (result != SQLITE_ROW && result != SQLITE_DONE) fail(path_, database_);
    return result == SQLITE_ROW;
  }
  int64_t number(int column) { return sqlite3_column_int64(statement_, column); }
  std::string text(int column) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return bytes == nullptr ? "" : std::string(bytes, static_cast<size_t>(sqlite3_column_bytes(statement_, column)));
  }

 private:
  sqlite3* database_;
  const std::string& path_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

// Rolled back unless it is committed.
class Transaction {
 public:
  explicit Transaction(sqlite3* database) : database_(database) {
    sqlite3_exec(database_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
  }
  ~Transaction() {
    if (!done_) sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit(const std::string& path) {
    if (sqlite3_exec(database_, "COMMIT", nullptr, nullptr, nullptr) != SQLITE_OK) fail(path, database_);
    done_ = true;
  }

 private:
  sqlite3* database_;
  bool done_ = false;
};

}  // namespace

Store::Store(const std::string& path, const std::map<std::string, std::string>& settings) : path_(path) {
  if (sqlite3_open(path.c_str(), &database_) != SQLITE_OK) {
    const std::string why = database_ == nullptr ? "no memory" : sqlite3_errmsg(database_);
    sqlite3_close(database_);
    throw UserError(fmt::format("{}: {}", path, why));
  }
  try {
    sqlite3_busy_timeout(database_, 10'000);  // of somebody who reads it meanwhile
    execute("PRAGMA journal_mode = WAL");
    execute("PRAGMA synchronous = NORMAL");
    create();
    check_settings(settings);
  } catch (...) {
    sqlite3_close(database_);
    throw;
  }
}

Store::~Store() { sqlite3_close(database_); }

void Store::execute(const char* text) {
  if (sqlite3_exec(database_, text, nullptr, nullptr, nullptr) != SQLITE_OK) fail(path_, database_);
}

void Store::create() {
  Transaction transaction(database_);
  Query known(database_, path_, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'cases'");
  known.step();
  if (known.number(0) == 0) execute(kTables);
  transaction.commit(path_);
}

void Store::check_settings(const std::map<std::string, std::string>& settings) {
  Transaction transaction(database_);
  for (const auto& [key, value] : settings) {
    Query read(database_, path_, "SELECT value FROM settings WHERE key = ?");
    if (read.bind(key).step()) {
      if (read.text(0) != value)
        throw UserError(fmt::format("{} is of a campaign with {} '{}', not '{}': give another --out", path_, key,
                                    read.text(0), value));
      continue;
    }
    Query(database_, path_, "INSERT INTO settings VALUES (?, ?)").bind(key).bind(value).step();
  }
  transaction.commit(path_);
}

std::vector<int64_t> Store::gaps() {
  std::vector<int64_t> missing;
  int64_t expected = 0;
  Query query(database_, path_, "SELECT number FROM cases ORDER BY number");
  while (query.step()) {
    for (; expected < query.number(0); ++expected) missing.push_back(expected);
    ++expected;
  }
  return missing;
}

int64_t Store::first_free() {
  Query query(database_, path_, "SELECT coalesce(max(number) + 1, 0) FROM cases");
  query.step();
  return query.number(0);
}

std::optional<int64_t> Store::finding_with(const std::string& signature) {
  Query query(database_, path_,
              "SELECT finding FROM signatures WHERE signature = ?1 "
              "UNION SELECT id FROM findings WHERE signature = ?1 LIMIT 1");
  if (!query.bind(signature).step()) return std::nullopt;
  return query.number(0);
}

void Store::insert_case(const CaseRow& row, std::optional<int64_t> finding) {
  Query(database_, path_, "INSERT INTO cases (number, outcome, signature, note, finding) VALUES (?, ?, ?, ?, ?)")
      .bind(row.number)
      .bind(row.outcome)
      .bind(row.signature)
      .bind(row.note)
      .bind(finding)
      .step();
  if (!finding || row.signature.empty()) return;
  Query(database_, path_, "INSERT OR IGNORE INTO signatures VALUES (?, ?)").bind(row.signature).bind(*finding).step();
}

void Store::record(const CaseRow& row, std::optional<int64_t> finding) {
  Transaction transaction(database_);
  insert_case(row, finding);
  transaction.commit(path_);
}

int64_t Store::record(const CaseRow& row, FindingRow finding) {
  Transaction transaction(database_);
  Query(database_, path_,
        "INSERT INTO findings (number, signature, original_line, line, verdict, report, script, script_result, known, "
        "operations, runs) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(finding.number)
      .bind(finding.signature)
      .bind(finding.original_line)
      .bind(finding.line)
      .bind(finding.verdict)
      .bind(finding.report)
      .bind(finding.script)
      .bind(finding.script_result)
      .bind(finding.known)
      .bind(finding.operations)
      .bind(finding.runs)
      .step();
  const int64_t id = sqlite3_last_insert_rowid(database_);
  insert_case(row, id);
  transaction.commit(path_);
  return id;
}

std::map<std::string, int64_t> Store::outcomes() {
  std::map<std::string, int64_t> counts;
  Query query(database_, path_, "SELECT outcome, count(*) FROM cases GROUP BY outcome");
  while (query.step()) counts[query.text(0)] = query.number(1);
  return counts;
}

std::vector<FindingRow> Store::findings() {
  std::vector<FindingRow> rows;
  Query query(database_, path_,
              "SELECT id, number, signature, original_line, line, verdict, report, script, script_result, known, "
              "operations, runs, (SELECT count(*) FROM cases WHERE finding = findings.id) FROM findings ORDER BY id");
  while (query.step())
    rows.push_back({query.number(0), query.number(1), query.text(2), query.text(3), query.text(4), query.text(5),
                    query.text(6), query.text(7), query.text(8), query.text(9), query.number(10), query.number(11),
                    query.number(12)});
  return rows;
}

std::optional<std::string> Store::public_signature(const std::string& bug) {
  Query query(database_, path_, "SELECT signature FROM public_bugs WHERE bug = ?");
  if (!query.bind(bug).step()) return std::nullopt;
  return query.text(0);
}

void Store::record_public(const std::string& bug, const std::string& signature) {
  Query(database_, path_, "INSERT OR REPLACE INTO public_bugs VALUES (?, ?)").bind(bug).bind(signature).step();
}

}  // namespace faultline
