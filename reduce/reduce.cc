// Passes over the program, each of which tries smaller ones in a fixed order and keeps those that show the same, until
// none finds anything. Where looking is quicker than a diagnosis, a pass only looks, and its result is diagnosed once:
// if that is another bug, the pass is undone.
#include "reduce/reduce.h"

#include <algorithm>
#include <set>

#include "checkers/diagnose.h"
#include "reduce/program_edit.h"
#include "runtime/base/error.h"
#include "runtime/run/run_case.h"

namespace faultline {

namespace {

constexpr int kFewOperations = 3;

class Reducer {
 public:
  Reducer(const Case& test_case, const Verdict& verdict, const ReduceOptions& options)
      : options_(options), wanted_(signature_of(verdict)), best_{test_case, verdict, 0}, current_(test_case) {
    seen_verdict_ = verdict;
    about_errors_ = is_about_errors(verdict);
    if (options_.look) {
      ++best_.runs;
      if (const std::optional<Verdict> seen = options_.look(test_case)) seen_verdict_ = *seen;
    }
    looked_ = signature_of(seen_verdict_);
  }

  ReducedCase reduce() {
    for (same_ = Same::signature; same_ <= Same::layer; same_ = static_cast<Same>(static_cast<int>(same_) + 1)) {
      if (same_ == Same::layer && operation_count(best_.test_case.program) <= kFewOperations) break;
      tried_.clear();
      work();
    }
    return best_;
  }

 private:
  using Pass = bool (Reducer::*)();
  // What has to stay. Positions depend on sizes; and what a wrong value passed through says little of where it came
  // from, so that many operations are too high a price for the last of them.
  enum class Same : uint8_t { signature, operation, layer };

  void work() {
    constexpr Pass kPasses[] = {&Reducer::fewer_calls,  &Reducer::around_operation, &Reducer::fewer_statements,
                                &Reducer::no_branches,  &Reducer::fewer_returns,    &Reducer::smaller_sizes,
                                &Reducer::plain_places, &Reducer::plain_data,       &Reducer::fewer_keywords,
                                &Reducer::fewer_faults};
    for (bool changed = true; changed && spent() < options_.runs_max;) {
      changed = false;
      for (const Pass pass : kPasses) changed = ((this->*pass)() && confirmed()) || changed;
    }
  }

  int spent() const { return best_.runs; }

  bool is_same(const Signature& mine, const Signature& wanted) const {
    if (mine.outcome != wanted.outcome || mine.layer != wanted.layer || mine.mechanism != wanted.mechanism)
      return false;
    if (same_ != Same::layer && mine.operation != wanted.operation) return false;
    const bool has_positions =
        mine.outcome == name(Outcome::wrong_value) || mine.outcome == name(Outcome::lost_mutation);
    return (same_ != Same::signature && has_positions) || mine.pattern == wanted.pattern;
  }

  bool attempt(Case candidate) {
    if (spent() >= options_.runs_max || candidate.program.body.empty()) return false;
    if (about_errors_ && !is_all_live(candidate.program)) return false;
    if (!tried_.insert(to_line(candidate)).second) return false;
    ++best_.runs;
    std::optional<Verdict> verdict = (options_.look ? options_.look : options_.run)(candidate);
    if (!verdict || !is_same(signature_of(*verdict), options_.look ? looked_ : wanted_)) return false;
    current_ = std::move(candidate);
    seen_verdict_ = std::move(*verdict);
    return true;
  }
  bool attempt(Program program) {
    Case candidate = current_;
    candidate.program = std::move(program);
    candidate.program_path.clear();
    return attempt(std::move(candidate));
  }

  bool confirmed() {
    if (!options_.look) {
      best_.test_case = current_;
      best_.verdict = seen_verdict_;
      return true;
    }
    ++best_.runs;
    std::optional<Verdict> verdict = options_.run(current_);
    if (verdict && is_same(signature_of(*verdict), wanted_)) {
      best_.test_case = current_;
      best_.verdict = std::move(*verdict);
      return true;
    }
    current_ = best_.test_case;
    return false;
  }

  bool fewer_calls() {
    const std::vector<CallSpec> calls = current_.program.calls;
    if (calls.size() < 2) return false;
    for (const CallSpec& call : calls) {
      Program program = current_.program;
      program.calls = {call};
      if (attempt(program)) return true;
    }
    return false;
  }

  bool attempt_kept(const std::vector<bool>& kept, const MadeValues& made) {
    for (const bool with_data : {false, true})
      if (const auto program = keep_statements(current_.program, kept, made, with_data); program && attempt(*program))
        return true;
    return false;
  }

  // The statement that the diagnosis names, alone; then with ever more of those before it.
  bool around_operation() {
    const Program program = current_.program;
    const size_t count = program.body.size();
    if (seen_verdict_.operation_index < 0 || count < 2) return false;
    const MadeValues made = made_values(program, current_.seed);
    const size_t last = statement_of(program, seen_verdict_.operation_index);
    for (size_t before = 0; before <= std::min<size_t>(last, 2); ++before) {
      std::vector<bool> kept(count, false);
      std::fill(kept.begin() + static_cast<int64_t>(last - before), kept.begin() + static_cast<int64_t>(last) + 1,
                true);
      if (attempt_kept(kept, made)) return true;
    }
    return false;
  }

  bool fewer_statements() {
    bool changed = false;
    for (size_t length = std::max<size_t>(current_.program.body.size() / 2, 1); length > 0; length /= 2) {
      for (size_t start = current_.program.body.size(); start > 0 && current_.program.body.size() > 1;) {
        start = start > length ? start - length : 0;
        const size_t count = current_.program.body.size();
        if (start >= count) continue;
        std::vector<bool> kept(count, true);
        for (size_t s = start; s < std::min(start + length, count); ++s) kept[s] = false;
        changed = attempt_kept(kept, made_values(current_.program, current_.seed)) || changed;
      }
    }
    return changed;
  }

  bool no_branches() {
    bool changed = false;
    for (size_t s = 0; s < current_.program.body.size(); ++s) {
      const auto* found = std::get_if<IfStatement>(&current_.program.body[s].value);
      if (found == nullptr) continue;
      const IfStatement branch = *found;
      for (const std::vector<Statement>* block : {&branch.then_branch, &branch.else_branch}) {
        Program program = current_.program;
        const auto place = program.body.erase(program.body.begin() + static_cast<int64_t>(s));
        program.body.insert(place, block->begin(), block->end());
        if (!attempt(program)) continue;
        changed = true;
        break;
      }
    }
    return changed;
  }

  bool fewer_returns() {
    bool changed = false;
    for (size_t r = current_.program.returns.size(); r-- > 0;) {
      Program program = current_.program;
      program.returns.erase(program.returns.begin() + static_cast<int64_t>(r));
      changed = attempt(std::move(program)) || changed;
    }
    return changed;
  }

  bool smaller_sizes() {
    static constexpr int64_t kSmaller[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 32, 33, 64, 65};
    bool changed = false;
    for (const int64_t size : dim_sizes(current_.program))
      for (const int64_t smaller : kSmaller)
        if (smaller < size && attempt(with_size(current_.program, size, smaller))) {
          changed = true;
          break;
        }
    return changed;
  }

  bool plain_places() {
    bool changed = false;
    for (size_t p = 0; p < current_.program.parameters.size(); ++p)
      changed = attempt(with_plain_place(current_.program, p)) || changed;
    return changed;
  }

  // No data of its own, else whole numbers.
  bool plain_data() {
    bool changed = false;
    for (size_t c = 0; c < current_.program.calls.size(); ++c) {
      const CallSpec call = current_.program.calls[c];
      for (const auto& [name, input] : call.inputs) {
        if (input.data.generator.empty() || input.data.generator == "arange") continue;
        for (const char* generator : {"", "ones", "arange"}) {
          Program program = current_.program;
          if (c >= program.calls.size()) break;
          program.calls[c].inputs[name].data = {generator, {}};
          const CallInput& mine = program.calls[c].inputs[name];
          if (mine.data.generator.empty() && !mine.tensor && !mine.scalar) program.calls[c].inputs.erase(name);
          if (program.calls.size() == 1 && program.calls[0].inputs.empty()) program.calls.clear();
          if (!attempt(std::move(program))) continue;
          changed = true;
          break;
        }
      }
    }
    return changed;
  }

  bool fewer_keywords() {
    bool changed = false;
    for (size_t s = 0; s < current_.program.body.size(); ++s) {
      const auto* call = std::get_if<CallStatement>(&current_.program.body[s].value);
      for (size_t k = call == nullptr ? 0 : call->keywords.size(); k-- > 0;) {
        Program program = current_.program;
        auto& keywords = std::get<CallStatement>(program.body[s].value).keywords;
        if (k >= keywords.size()) continue;
        keywords.erase(keywords.begin() + static_cast<int64_t>(k));
        changed = attempt(std::move(program)) || changed;
      }
    }
    return changed;
  }

  bool fewer_faults() {
    bool changed = false;
    for (size_t f = current_.faults.size(); f-- > 0 && current_.faults.size() > 1;) {
      Case candidate = current_;
      candidate.faults.erase(candidate.faults.begin() + static_cast<int64_t>(f));
      changed = attempt(std::move(candidate)) || changed;
    }
    return changed;
  }

  const ReduceOptions& options_;
  Signature wanted_, looked_;
  ReducedCase best_;
  Case current_;
  Verdict seen_verdict_;
  bool about_errors_ = false;
  Same same_ = Same::signature;
  std::set<std::string> tried_;
};

}  // namespace

ReducedCase reduce_case(const Case& test_case, const Verdict& verdict, const ReduceOptions& options) {
  if (!test_case.python.text.empty()) return {test_case, verdict, 0};  // a file has no statements here
  return Reducer(test_case, verdict, options).reduce();
}

std::optional<Verdict> run_without_sweep(const Case& test_case) {
  RunOptions options;
  options.sweep = false;
  try {
    return run_case(test_case, options);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

std::optional<Verdict> look_at(const Case& test_case) {
  try {
    const Subject subject(test_case);
    const Comparison comparison = compare_case(subject);
    if (!comparison.unavailable.empty()) return std::nullopt;
    Verdict verdict;
    diagnose(comparison.evidence, verdict);
    return verdict;
  } catch (const UserError&) {
    return std::nullopt;
  }
}

}  // namespace faultline
