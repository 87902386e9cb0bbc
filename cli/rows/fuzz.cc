// faultline fuzz: random programs on one back end, until time is up; every distinct mismatch reduced and written down.
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "campaign/campaign.h"
#include "campaign/finding_files.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/public_corpus.h"
#include "runtime/backends/worker/worker_pool.h"
#include "runtime/base/error.h"
#include "runtime/base/parallel.h"
#include "runtime/run/subject.h"

namespace faultline {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kPatienceLeast = 120;  // seconds that a reduction may go on when time is up

struct Arguments {
  std::string backend, out, time = "10m", known = "corpora/public/cases.jsonl";
  std::vector<std::string> options, faults;
  uint64_t seed = 1;
  int64_t cases = 0;
  int jobs = 0, reduce_runs = 0;
  bool sharp = false, job = false;
};

// What children run: this file, unless the command runs inside a test.
std::string this_program() {
  std::error_code error;
  const std::filesystem::path running = std::filesystem::read_symlink("/proc/self/exe", error);
  return !error && running.filename() == "faultline" ? running.string() : FAULTLINE_PROGRAM;
}

// "90s", "10m", "2h"; a number alone is seconds.
double seconds_of(const std::string& text) {
  const size_t digits = text.find_first_not_of("0123456789");
  const std::string unit = digits == std::string::npos ? "s" : text.substr(digits);
  const double factor = unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (digits == 0 || text.empty() || text.size() > 9 || factor == 0)
    throw UserError(fmt::format("--time: expected a number with s, m or h, as in 10m, found '{}'", text));
  return factor * static_cast<double>(std::stoll(text));
}

BackendSpec backend_of(const Arguments& arguments) {
  BackendSpec backend;
  backend.id = arguments.backend;
  for (const std::string& option : arguments.options) {
    const size_t equals = option.find('=');
    if (equals == std::string::npos) throw UserError("--option: expected name=value, found '" + option + "'");
    backend.options[option.substr(0, equals)] = option.substr(equals + 1);
  }
  return backend;
}

CampaignSubject subject_of(const Arguments& arguments) {
  CampaignSubject subject;
  subject.backend = backend_of(arguments);
  for (const std::string& fault : arguments.faults)
    for (const FaultChain& chain : parse_faults(fault)) subject.faults.push_back(chain);
  if (arguments.sharp) subject.oracle = OracleProfile::sharp;
  subject.seed = arguments.seed;
  const NamedBackend external = find_external(subject.backend.id);
  if (external.backend != nullptr)
    if (const WorkerPlace place = place_of(external); !place.unavailable.empty()) throw UserError(place.unavailable);
  const Case probe = case_of(subject, 0);
  const Subject checked(probe);  // options, targets
  subject.reduce_runs = arguments.reduce_runs > 0 ? arguments.reduce_runs : external.backend != nullptr ? 120 : 400;
  return subject;
}

std::vector<KnownBug> known_bugs(const Arguments& arguments) {
  std::vector<KnownBug> known;
  if (!std::filesystem::exists(arguments.known)) return known;
  for (const PublicBug& bug : read_public_bugs(arguments.known))
    if (bug.backend == arguments.backend) known.push_back({bug.id, bug.case_line});
  return known;
}

std::string default_folder(const Arguments& arguments) {
  return fmt::format("build/fuzz/{}-{}", arguments.backend, arguments.seed);
}

// "case 1,204, 6.1/s, 3 found, 2 reducing, 7:20 left", in place of the line before.
void show(const CampaignStatus& status, double spent, double limit, Console& console) {
  std::string line =
      fmt::format("\r\x1b[K{} cases, {:.1f}/s, {} found, {} seen again", status.cases,
                  spent > 0 ? static_cast<double>(status.cases) / spent : 0, status.findings, status.repeats);
  if (status.reducing > 0) line += fmt::format(", reducing {}", status.reducing);
  const auto left = static_cast<int64_t>(std::max(0.0, limit - spent));
  line += fmt::format(", {}:{:02} left", left / 60, left % 60);
  console.err << line << std::flush;
}

std::string summary(const CampaignResult& result, const std::string& folder) {
  int64_t cases = 0;
  std::string counts;
  for (const auto& [outcome, count] : result.outcomes) {
    cases += count;
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, outcome);
  }
  std::string text = fmt::format("{} cases in {}: {}\n", cases, folder, counts.empty() ? "none" : counts);
  for (const FindingRow& finding : result.findings) {
    text += fmt::format("{}  {}\n", finding_folder(folder, finding.id), finding.signature);
    text += fmt::format("    {} operation{}, {} case{}, script: {}{}\n", finding.operations,
                        finding.operations == 1 ? "" : "s", finding.cases, finding.cases == 1 ? "" : "s",
                        finding.script_result, finding.known.empty() ? "" : "; known: " + finding.known);
  }
  text += result.findings.empty() ? "nothing found\n" : "";
  if (result.interrupted) text += "interrupted; the same command goes on from here\n";
  return text;
}

int fuzz(const Arguments& arguments, Console& console) {
  CampaignOptions options;
  options.subject = subject_of(arguments);
  options.folder = arguments.out.empty() ? default_folder(arguments) : arguments.out;
  options.jobs = arguments.jobs > 0 ? arguments.jobs : hardware_threads();
  options.cases_end = arguments.cases;
  options.job_command = {this_program(), "fuzz", "--job"};
  options.known = known_bugs(arguments);
  const NotesInterrupts interrupts;
  const auto start = Clock::now();
  const double limit = seconds_of(arguments.time);
  const auto spent = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  options.time_is_over = [&] { return spent() >= limit; };
  options.patience_is_over = [&] { return spent() >= limit + std::max(kPatienceLeast, limit); };
  options.stop = [&] { return interrupts.interrupted(); };
  if (console.style.progress)
    options.progress = [&](const CampaignStatus& status) { show(status, spent(), limit, console); };
  const CampaignResult result = run_campaign(options);
  if (console.style.progress) console.err << "\r\x1b[K" << std::flush;
  console.out << summary(result, options.folder);
  return result.interrupted ? kInterruptedExit : result.findings.empty() ? 0 : 1;
}

std::function<int(Console&)> declare(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  app.add_option("--backend", arguments->backend, "a compiler (list backends) or a modelled target (list targets)")
      ->type_name("NAME");
  app.add_option("--option", arguments->options, "a switch of it, as dynamic=on")->type_name("NAME=VALUE");
  app.add_option("--time", arguments->time, "how long: 90s, 10m, 2h (10m); reductions may take as long again")
      ->type_name("TIME");
  app.add_option("--jobs", arguments->jobs, "children at work at a time (one a processor)")->type_name("N");
  app.add_option("--out", arguments->out, "folder for findings; one that is there goes on (build/fuzz/NAME-SEED)")
      ->type_name("DIR");
  app.add_option("--seed", arguments->seed, "which stream of programs (1)")->type_name("N");
  app.add_option("--cases", arguments->cases, "end after the first N cases of the stream")->type_name("N");
  app.add_option("--fault", arguments->faults, "plant a fault in a modelled target: what would fuzzing find of it?")
      ->type_name("FAULT");
  app.add_flag("--sharp", arguments->sharp, "the sharp oracle: more data a case, narrower bounds");
  app.add_option("--reduce-runs", arguments->reduce_runs, "runs to spend on making a finding small (120; models 400)")
      ->type_name("N");
  app.add_option("--known", arguments->known, "public bugs that findings are held against")->type_name("FILE");
  app.add_flag("--job", arguments->job)->group("");  // a child of a campaign
  app.footer(
      "For instance:  ./faultline fuzz --backend inductor --time 10m --out build/fuzz/inductor\n"
      "build/fuzz/inductor\n"
      "A finding is DIR/001: case.txt replays it (./faultline replay \"$(cat DIR/001/case.txt)\"), report.txt and\n"
      "verdict.json say what is wrong and in which layer, reproduce.py shows it with torch alone and exits 1.\n"
      "Two mismatches are one finding when outcome, layer, mechanism, operation and class of pattern are the same.\n"
      "DIR/campaign.sqlite has every case. A campaign that was killed goes on with the same command: "
      "docs/fuzzing.md.\n\n" +
      app.get_footer());
  return [arguments](Console& console) {
    if (arguments->job) return serve_jobs();
    if (arguments->backend.empty()) throw UserError("fuzz needs --backend NAME: ./faultline list backends");
    return fuzz(*arguments, console);
  };
}

}  // namespace

extern const Command command_fuzz;
constinit const Command command_fuzz{
    .id = "fuzz",
    .summary = "random programs on a compiler until time is up: distinct, reduced bugs, each with a script",
    .examples =
        "./faultline fuzz --backend spyre --cases 4 --jobs 1 --out build/fuzz/clean\n"
        "./faultline fuzz --backend spyre --seed 2 --cases 2 --jobs 1 --out build/fuzz/second",
    .declare = declare,
};

}  // namespace faultline
