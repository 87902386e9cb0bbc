// Random programs through the whole stack without a fault, held to what may be said about them: nothing.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "generate/random_program.h"
#include "reports/json.h"
#include "reports/text.h"
#include "runtime/base/error.h"
#include "runtime/eager/eager.h"
#include "runtime/ir/program_text.h"
#include "runtime/run/run_case.h"

namespace faultline::random_test {

using generate::random_program;
using generate::Shapes;

struct Tally {
  int run = 0, refused = 0, rejected = 0, untrusted = 0, passed = 0;
  int in_field = 0;  // whose every rung from fuse to transfer has the field values of decompose
};

// What may not be said of a case without a fault; empty when it was not said.
inline std::string complaint(const Verdict& verdict) {
  const bool quiet = verdict.outcome == Outcome::pass || verdict.outcome == Outcome::untrusted;
  std::string text;
  if (!quiet) text += "outcome " + std::string(name(verdict.outcome)) + ": " + verdict.explanation + "\n";
  for (const RungLine& rung : verdict.rungs)
    if (rung.agrees != true) text += "rung " + rung.rung + ": " + rung.how + "\n";
  for (const VerifierLine& verifier : verdict.verifiers)
    if (verifier.ok != true)
      text += "verifier " + std::string(name(verifier.layer)) + ": " +
              (verifier.findings.empty() ? "not run" : verifier.findings[0]) + "\n";
  if (quiet && (verdict.rungs.empty() || verdict.verifiers.empty())) text += "no rungs or verifiers\n";
  if (text.empty()) return text;
  for (const WrongTensor& tensor : verdict.tensors) {
    text += tensor.name + " " + tensor.where + " " + tensor.what + " " + tensor.metadata + "\n";
    for (const std::string& sample : tensor.samples) text += "  " + sample + "\n";
  }
  for (const std::string& line : verdict.evidence) text += "evidence: " + line + "\n";
  return text;
}

// Switches that change how a program is divided, ordered and fused, never what it computes.
inline std::string drawn_schedule(uint64_t seed) {
  SeededChoices choices(seed, "random schedule");
  static constexpr const char *kCores[] = {"1", "2", "5", "8", "31", "32"}, *kSwitches[] = {"on", "off"};
  std::string options = std::string("cores=") + kCores[choices.below(6)];
  for (const char* name : {"lx", "fusion", "double_buffer"})
    options += "," + std::string(name) + "=" + kSwitches[choices.below(2)];
  return "on=spyre(" + options + ") ";
}

inline std::string case_line(uint64_t seed, Shapes shapes, bool draws_schedule = false) {
  SeededChoices choices(seed, shapes == Shapes::tiny ? "random tiny program" : "random program");
  const std::string text = random_program(choices, {.shapes = shapes});
  return (draws_schedule ? drawn_schedule(seed) : "") + "program=" + to_line(parse_program(text, "random"));
}

inline bool equal_in_field(const Verdict& verdict) {
  const auto compared = [](const RungLine& rung) { return rung.how.find("equal in the field") != std::string::npos; };
  return std::count_if(verdict.rungs.begin(), verdict.rungs.end(), compared) == 5;
}

// The line that an abort of the process names.
inline std::string& current_line() {
  static std::string line;
  return line;
}
inline void name_current_line(int signal) {
  const std::string& line = current_line();
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  written = write(STDERR_FILENO, "\n", 1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// With `twice` the case runs again, and both of its reports must be the same bytes.
inline void try_seed(uint64_t seed, Shapes shapes, bool twice, Tally& tally, bool draws_schedule = false) {
  const std::string line = case_line(seed, shapes, draws_schedule);
  current_line() = line;
  RunOptions options;
  options.ladder = true;
  options.sweep = false;
  const Case test_case = parse_case(line);
  ++tally.run;
  Verdict verdict;
  try {
    verdict = run_case(test_case, options);
  } catch (const UserError& error) {
    const std::string why = error.what();
    if (why.find("eager PyTorch refuses") == std::string::npos)
      ADD_FAILURE() << "seed " << seed << ": " << why << "\n" << line;
    else
      ++tally.refused;
    return;
  }
  if (verdict.outcome == Outcome::rejected) {
    ++tally.rejected;
  } else if (const std::string said = complaint(verdict); !said.empty()) {
    ADD_FAILURE() << "seed " << seed << "\n" << line << "\n" << said;
  } else {
    ++(verdict.outcome == Outcome::untrusted ? tally.untrusted : tally.passed);
    tally.in_field += equal_in_field(verdict);
  }
  if (!twice) return;
  const Verdict again = run_case(test_case, options);
  EXPECT_EQ(to_json(verdict).dump(), to_json(again).dump()) << line;
  EXPECT_EQ(to_text(verdict), to_text(again)) << line;
}

// Seeds [first, first + count); every `sample`-th runs twice, none for 0.
inline void try_seeds(uint64_t first, int count, int sample, Shapes shapes = Shapes::ordinary,
                      bool draws_schedule = false) {
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE}) std::signal(signal, name_current_line);
  Tally tally;
  for (int k = 0; k < count; ++k)
    try_seed(first + static_cast<uint64_t>(k), shapes, sample > 0 && k % sample == 0, tally, draws_schedule);
  const std::string counts = std::to_string(tally.run) + " programs: " + std::to_string(tally.passed) + " passed, " +
                             std::to_string(tally.untrusted) + " untrusted, " + std::to_string(tally.rejected) +
                             " rejected, " + std::to_string(tally.refused) + " refused by eager; " +
                             std::to_string(tally.in_field) + " equal in the field";
  std::cout << counts << std::endl;
  EXPECT_LE(tally.refused * 10, tally.run) << counts;
  EXPECT_LE(tally.rejected * 100, tally.run * 15) << counts;
  EXPECT_LE(tally.untrusted * 20, tally.run) << counts;
  // The others return nothing but tensors without elements.
  EXPECT_GE(tally.in_field * 100, (tally.passed + tally.untrusted) * 95) << counts;
}

}  // namespace faultline::random_test
