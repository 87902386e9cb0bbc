// A thread a child, which it asks for one case after another; what is decided about answers is decided under one lock.
// A mismatch is reduced unless its signature is known. While one is at work on a signature, others that have it wait
// for what it comes to.
#include "campaign/campaign.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "campaign/finding_files.h"
#include "campaign/job_process.h"
#include "reduce/program_edit.h"
#include "runtime/backends/worker/descriptor.h"
#include "runtime/base/error.h"

namespace faultline {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string text_at(const json& reply, const char* key) { return reply.value(key, std::string()); }

class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options)
      : options_(options),
        store_(options.folder + "/campaign.sqlite", settings_of(options.subject)),
        next_(store_.first_free()) {
    const std::vector<int64_t> gaps = store_.gaps();
    gaps_.assign(gaps.begin(), gaps.end());
    const std::vector<FindingRow> findings = store_.findings();
    for (const FindingRow& finding : findings) write_finding(options.folder, finding);
    status_.findings = static_cast<int64_t>(findings.size());
  }

  CampaignResult run() {
    std::vector<std::thread> threads;
    working_ = options_.jobs;
    for (int job = 0; job < options_.jobs; ++job) threads.emplace_back([this, job] { work(job); });
    {
      std::unique_lock lock(mutex_);
      while (working_ > 0) {
        if (options_.progress) options_.progress(status_);
        ended_.wait_for(lock, std::chrono::milliseconds(500));
      }
    }
    for (std::thread& thread : threads) thread.join();
    if (!failure_.empty()) throw UserError(failure_);
    return {status_, options_.stop && options_.stop(), store_.outcomes(), store_.findings()};
  }

 private:
  static std::map<std::string, std::string> settings_of(const CampaignSubject& subject) {
    json settings = to_json(subject);
    settings.erase("do");
    settings.erase("reduce_runs");
    std::map<std::string, std::string> texts = {{"format", "faultline campaign 1"}};
    for (const auto& [key, value] : settings.items())
      texts[key] = value.is_string() ? value.get<std::string>() : value.dump();
    return texts;
  }

  bool stopped() {
    if (options_.stop && options_.stop()) return true;
    const std::lock_guard lock(mutex_);
    return !failure_.empty();
  }

  std::optional<int64_t> claim() {
    if (stopped() || (options_.time_is_over && options_.time_is_over())) return std::nullopt;
    const std::lock_guard lock(mutex_);
    int64_t number = next_;
    if (!gaps_.empty()) {
      number = gaps_.front();
      gaps_.pop_front();
    } else if (options_.cases_end > 0 && next_ >= options_.cases_end) {
      return std::nullopt;
    } else {
      ++next_;
    }
    return number;
  }

  void work(int job) {
    const std::string place = fmt::format("{}/tmp/{}", options_.folder, job);
    std::error_code error;
    fs::create_directories(place, error);
    json settings = to_json(options_.subject);
    JobProcess process({options_.job_command, fs::absolute(place).string()}, settings);
    try {
      while (const std::optional<int64_t> number = claim()) try_case(*number, process);
    } catch (const UserError& problem) {
      give_up(problem.what());
    }
    const std::lock_guard lock(mutex_);
    --working_;
    ended_.notify_all();
  }

  void give_up(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (failure_.empty()) failure_ = why;
  }

  JobProcess::Answer ask(JobProcess& process, const json& request) {
    return process.ask(request, [this] { return stopped(); });
  }

  void try_case(int64_t number, JobProcess& process) {
    const json request = {{"do", "case"}, {"number", number}};
    JobProcess::Answer answer = ask(process, request);
    if (answer.reply.is_null() && !answer.interrupted) answer = ask(process, request);  // the machine's doing, perhaps
    if (answer.interrupted) return;
    if (answer.reply.is_null()) return record_lost(number, answer.lost);
    const json& reply = answer.reply;
    if (reply.contains("failure")) return record_lost(number, text_at(reply, "failure"));
    if (reply.contains("unavailable")) return give_up(text_at(reply, "unavailable"));
    const CaseRow row = {number, text_at(reply, "outcome"), text_at(reply, "signature"), text_at(reply, "note")};
    if (row.signature.empty()) return record_quiet(row);
    if (!is_first(row)) return;
    reduce(row, reply, process);
  }

  void record_quiet(const CaseRow& row) {
    const std::lock_guard lock(mutex_);
    store_.record(row);
    ++status_.cases;
  }

  // Whether this signature is new; if not, the case is recorded, or waits.
  bool is_first(const CaseRow& row) {
    const std::lock_guard lock(mutex_);
    if (const auto finding = store_.finding_with(row.signature)) {
      record_repeat(row, *finding);
      return false;
    }
    const auto [waiting, is_new] = at_work_.try_emplace(row.signature);
    if (!is_new) waiting->second.push_back(row);
    status_.reducing = static_cast<int>(at_work_.size());
    return is_new;
  }

  void record_repeat(const CaseRow& row, int64_t finding) {
    store_.record(row, finding);
    ++status_.cases;
    ++status_.repeats;
  }

  void reduce(const CaseRow& row, const json& reply, JobProcess& process) {
    JobProcess::Answer answer = process.ask(
        {{"do", "reduce"}}, [this] { return stopped() || (options_.patience_is_over && options_.patience_is_over()); });
    if (answer.interrupted && !stopped()) answer = {nullptr, "time was up", false};
    FindingRow finding;
    finding.number = row.number;
    finding.original_line = finding.line = text_at(reply, "line");
    finding.signature = row.signature;
    finding.operations = operation_count(case_of(options_.subject, row.number).program);
    const bool reduced = answer.reply.is_object() && !answer.reply.contains("failure");
    const json& source = reduced ? answer.reply : reply;
    finding.verdict = text_at(source, "verdict");
    finding.report = text_at(source, "report");
    if (reduced) {
      finding.line = text_at(source, "line");
      finding.signature = text_at(source, "signature");
      finding.operations = source.value("operations", 0);
      finding.runs = source.value("runs", 0);
      finding.script = text_at(source, "script");
      finding.script_result = text_at(source, "script_result");
      finding.known = answer.interrupted ? "" : known_bug(finding, text_at(source, "operation"), process);
    } else {
      finding.script_result =
          "not reduced: " + (answer.reply.is_object() ? text_at(answer.reply, "failure") : answer.lost);
    }
    settle(row, answer.interrupted || stopped() ? std::nullopt : std::make_optional(finding));
  }

  // The public bug that has the signature; those that use its operation are run for theirs, once.
  std::string known_bug(const FindingRow& finding, const std::string& operation, JobProcess& process) {
    const std::string word = operation.substr(0, operation.rfind('.'));
    for (const KnownBug& bug : options_.known) {
      if (word.empty() || bug.case_line.find(word) == std::string::npos) continue;
      std::optional<std::string> signature;
      {
        const std::lock_guard lock(mutex_);
        signature = store_.public_signature(bug.id);
      }
      if (!signature) {
        const JobProcess::Answer answer =
            ask(process, {{"do", "sign"}, {"line", bug.case_line}, {"folder", fs::current_path().string()}});
        if (answer.interrupted) return "";
        signature = answer.reply.is_object() ? text_at(answer.reply, "signature") : "";
        const std::lock_guard lock(mutex_);
        store_.record_public(bug.id, *signature);
      }
      if (*signature == finding.signature) return bug.id;
    }
    return "";
  }

  // Records the finding, or that its reduced form is one that is known, and all who waited for it.
  void settle(const CaseRow& row, std::optional<FindingRow> finding) {
    const std::lock_guard lock(mutex_);
    const std::vector<CaseRow> waiting = std::move(at_work_[row.signature]);
    at_work_.erase(row.signature);
    status_.reducing = static_cast<int>(at_work_.size());
    if (!finding) return;
    std::optional<int64_t> id = store_.finding_with(finding->signature);
    if (id) {
      record_repeat(row, *id);
    } else {
      finding->id = store_.record(row, *finding);
      id = finding->id;
      ++status_.cases;
      ++status_.findings;
      write_finding(options_.folder, *finding);
    }
    for (const CaseRow& other : waiting) record_repeat(other, *id);
  }

  // The child ended twice on it: in torch, or in this program.
  void record_lost(int64_t number, const std::string& how) {
    FindingRow finding;
    finding.number = number;
    const Case test_case = case_of(options_.subject, number);
    finding.original_line = finding.line = to_line(test_case);
    finding.signature = fmt::format("harness_lost; -; -; -; {}", how);
    finding.operations = operation_count(test_case.program);
    finding.script_result = "the harness itself ended: " + how;
    const CaseRow row = {number, "lost", finding.signature, how};
    const std::lock_guard lock(mutex_);
    if (const auto id = store_.finding_with(finding.signature)) return record_repeat(row, *id);
    finding.id = store_.record(row, finding);
    ++status_.cases;
    ++status_.findings;
    write_finding(options_.folder, finding);
  }

  const CampaignOptions& options_;
  std::mutex mutex_;  // of everything below
  std::condition_variable ended_;
  Store store_;
  int64_t next_ = 0;
  std::deque<int64_t> gaps_;
  std::map<std::string, std::vector<CaseRow>> at_work_;  // signatures being reduced, and who waits for each
  CampaignStatus status_;
  std::string failure_;
  int working_ = 0;
};

// One campaign at a time in a folder; the lock goes with the process.
FileDescriptor lock_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw UserError(fmt::format("{}: {}", folder, error.message()));
  const std::string path = folder + "/lock";
  FileDescriptor lock(open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666));
  if (!lock.open()) throw UserError(path + " cannot be written");
  if (flock(lock.number(), LOCK_EX | LOCK_NB) != 0) throw UserError(folder + " is in use by another campaign");
  return lock;
}

}  // namespace

CampaignResult run_campaign(const CampaignOptions& options) {
  const FileDescriptor lock = lock_folder(options.folder);
  std::error_code ignored;
  fs::remove_all(options.folder + "/tmp", ignored);  // of children that were killed
  CampaignResult result = Campaign(options).run();
  fs::remove_all(options.folder + "/tmp", ignored);
  return result;
}

}  // namespace faultline
