// Requests, one after another; nothing is kept that a campaign could miss when this process ends.
#include "campaign/job.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "campaign/finding_script.h"
#include "generate/random_program.h"
#include "reduce/program_edit.h"
#include "reduce/reduce.h"
#include "reports/json.h"
#include "reports/text.h"
#include "runtime/backends/external/backend.h"
#include "runtime/base/error.h"
#include "runtime/ir/program_text.h"
#include "runtime/run/run_case.h"

namespace faultline {

namespace {

constexpr int kSocket = 3;
constexpr size_t kHeaderBytes = 5;

bool read_whole(char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t got = read(kSocket, bytes, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

bool write_whole(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(kSocket, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return true;
}

bool receive(std::string& text) {
  char header[kHeaderBytes];
  if (!read_whole(header, sizeof header)) return false;
  size_t size = 0;
  for (int byte = 0; byte < 4; ++byte) size |= size_t{static_cast<unsigned char>(header[byte])} << (8 * byte);
  text.resize(size);
  return read_whole(text.data(), size);
}

bool send(const nlohmann::json& reply) {
  const std::string text = reply.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string frame(kHeaderBytes, '\0');
  for (int byte = 0; byte < 4; ++byte) frame[byte] = static_cast<char>(text.size() >> (8 * byte));
  return write_whole(frame + text);
}

// It is still at work, and not to be given up.
void send_sign_of_life() { send({{"alive", true}}); }

TextStyle plain_style() {
  TextStyle style;
  style.columns = 100;
  return style;
}

void describe(const Verdict& verdict, nlohmann::json& reply) {
  reply["verdict"] = json_line(to_json(verdict));
  reply["report"] = to_text(verdict, plain_style());
}

}  // namespace

nlohmann::json to_json(const CampaignSubject& subject) {
  return {{"do", "settings"},
          {"backend", subject.backend.id},
          {"options", subject.backend.options},
          {"faults", subject.faults.empty() ? "" : to_text(subject.faults)},
          {"sharp", subject.oracle == OracleProfile::sharp},
          {"seed", subject.seed},
          {"reduce_runs", subject.reduce_runs}};
}

CampaignSubject subject_of(const nlohmann::json& settings) {
  CampaignSubject subject;
  subject.backend.id = settings.at("backend");
  subject.backend.options = settings.at("options").get<std::map<std::string, std::string>>();
  if (const std::string faults = settings.at("faults"); !faults.empty()) subject.faults = parse_faults(faults);
  if (settings.at("sharp").get<bool>()) subject.oracle = OracleProfile::sharp;
  subject.seed = settings.at("seed");
  subject.reduce_runs = settings.at("reduce_runs");
  return subject;
}

Case case_of(const CampaignSubject& subject, int64_t number) {
  SeededChoices choices(subject.seed, fmt::format("fuzz case {}", number));
  Case made;
  made.program = parse_program(generate::random_program(choices, generate::kAsReported), "generated");
  made.backend = subject.backend;
  made.faults = subject.faults;
  made.oracle = subject.oracle;
  made.seed = static_cast<uint64_t>(number) + 1;
  return made;
}

nlohmann::json JobServer::run(int64_t number) {
  case_ = case_of(subject_, number);
  nlohmann::json reply = {{"line", to_line(case_)}};
  RunOptions options;
  options.sweep = false;
  try {
    verdict_ = run_case(case_, options);
    if (is_about_errors(verdict_) && !is_all_live(case_.program)) {
      case_.program = with_all_returned(case_.program);
      verdict_ = run_case(case_, options);
      if (!is_about_errors(verdict_)) return {{"outcome", "refused"}, {"note", "eager raises in dead code"}};
    }
  } catch (const UserError& error) {
    reply["outcome"] = "refused";
    reply["note"] = error.what();
    return reply;
  }
  reply["outcome"] = name(verdict_.symptom_outcome);
  if (verdict_.symptom_outcome == Outcome::unknown && verdict_.checks.empty() && !verdict_.skipped.empty())
    reply["unavailable"] = verdict_.skipped.front();
  if (verdict_.symptom_outcome == Outcome::unknown || verdict_.symptom_outcome == Outcome::rejected)
    reply["note"] = verdict_.evidence.empty() ? verdict_.explanation : verdict_.evidence.front();
  if (verdict_.symptom_outcome == Outcome::unknown)
    reply["note"] = reply["note"].get<std::string>() + "; " + to_line(case_);
  if (!is_finding(verdict_)) return reply;
  reply["signature"] = to_text(signature_of(verdict_));
  describe(verdict_, reply);
  return reply;
}

nlohmann::json JobServer::reduce() {
  const bool modelled = find_external(case_.backend.id).backend == nullptr;
  ReduceOptions options;
  options.runs_max = subject_.reduce_runs;
  options.run = [](const Case& candidate) {
    send_sign_of_life();
    return run_without_sweep(candidate);
  };
  if (!modelled)
    options.look = [](const Case& candidate) {
      send_sign_of_life();
      return look_at(candidate);
    };
  const ReducedCase reduced = reduce_case(case_, verdict_, options);
  const Signature signature = signature_of(reduced.verdict);
  nlohmann::json reply = {{"line", to_line(reduced.test_case)},
                          {"signature", to_text(signature)},
                          {"operation", signature.operation},
                          {"operations", operation_count(reduced.test_case.program)},
                          {"runs", reduced.runs}};
  send_sign_of_life();
  // Other sizes make the report, not the signature: those of the case itself decided all along.
  Verdict whole = run_case(reduced.test_case);
  describe(is_finding(whole) ? whole : reduced.verdict, reply);
  send_sign_of_life();
  const FindingScript script = finding_script(reduced.test_case, whole);
  reply["script"] = script.text;
  reply["script_result"] = script.result;
  return reply;
}

nlohmann::json JobServer::answer(const nlohmann::json& request) {
  const std::string what = request.at("do");
  if (what == "settings") {
    subject_ = subject_of(request);
    return {{"ready", true}};
  }
  if (what == "case") return run(request.at("number"));
  if (what == "reduce") return reduce();
  const std::optional<Verdict> verdict =
      run_without_sweep(parse_case(request.at("line").get<std::string>(), request.at("folder")));
  return {{"signature", verdict && is_finding(*verdict) ? to_text(signature_of(*verdict)) : ""}};
}

int serve_jobs() {
  JobServer server;
  std::string text;
  while (receive(text)) {
    nlohmann::json reply;
    try {
      reply = server.answer(nlohmann::json::parse(text));
    } catch (const std::exception& error) {
      reply = {{"failure", error.what()}};
    }
    if (!send(reply)) break;
  }
  return 0;
}

}  // namespace faultline
