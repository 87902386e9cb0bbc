// The verdict: the leader, its rivals, the margin, what it is called, and what to do next.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "checkers/patterns/experiments.h"
#include "checkers/patterns/observations.h"
#include "checkers/patterns/solution.h"

namespace faultline {

namespace {

constexpr double kPartialShare = 0.05;
constexpr double kInformativeLeast = 0.5;
constexpr size_t kPrinted = 3;

template <class Value>
void add_once(std::vector<Value>& list, const Value& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

void add_layers(std::vector<std::string>& list, std::string_view names) {
  while (!names.empty()) {
    const size_t comma = std::min(names.find(','), names.size());
    if (comma > 0) add_once(list, std::string(names.substr(0, comma)));
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
}

bool lives_elsewhere(const Scene& scene) { return !scene.cases[0].place.empty(); }

// Positions of the place, and the share of them at which the value can be seen at all.
void count_places(const Scene& scene, const Found& found, Explanation& explanation) {
  double covered = 0, seen = 0, movable = 0;
  for (size_t at = 0; at < scene.views.size(); ++at) {
    const CaseView& view = scene.views[at];
    const std::vector<uint8_t> inside = membership(scene, at, found.set);
    for (size_t k = 0; k < view.flat.size(); ++k) {
      if (inside[k] == 0) continue;
      covered += view.weight[k];
      if (found.what->listed()) continue;
      const Predicted predicted = found.what->predict(at, view.flat[k], 0);
      if (predicted.own) continue;
      movable += view.weight[k];
      const uint64_t right = view.source->reference[static_cast<size_t>(view.flat[k])];
      if (!predicted.known || predicted.bits != right) seen += view.weight[k];
    }
  }
  explanation.covered = std::llround(covered);
  explanation.informative = movable > 0 ? seen / movable : 1;
}

Explanation explain(const Scene& scene, const Found& found) {
  Explanation explanation;
  explanation.set = found.set;
  explanation.where = to_text(found.set);
  explanation.what = found.what->text;
  const WhereFamily& where = lives_elsewhere(scene) ? where_families.at("W12", "family of places") : *found.where;
  explanation.where_family = where.id;
  explanation.what_family = found.what->family->id;
  explanation.unit = found.unit;
  explanation.bits = found.bits;
  explanation.exceptions = std::llround(found.exceptions_all());
  add_layers(explanation.layers, where.layers);
  add_layers(explanation.layers, found.what->family->layers);
  count_places(scene, found, explanation);
  return explanation;
}

// The leader among texts of one predicted output: one that names a unit, if it is as short to a bit and not parted from
// the cheapest by an experiment; else the cheapest. (A longer text with a unit, such as the four tiles that make up
// some rows, says less; and "last element" against "tail" is an experiment's to decide.)
size_t choose_leader(const Scene& scene, const std::vector<Found>& found) {
  if (!found[0].unit.empty()) return 0;
  const uint64_t first = outcome(scene, found[0]);
  for (size_t k = 1; k < found.size() && found[k].bits < found[0].bits + 1; ++k) {
    if (found[k].unit.empty() || found[k].what != found[0].what) continue;
    if (outcome(scene, found[k]) == first && !parting_experiment(scene, found[0], found[k])) return k;
  }
  return 0;
}

// Two units of one length are the same place: "stick 32 or core share 32".
std::string unit_text(const std::vector<Found>& found, const Found& leader) {
  std::string text = leader.unit;
  for (const Found& one : found)
    if (one.set == leader.set && one.where == leader.where && !leader.unit.empty() && !one.unit.empty() &&
        text.find(one.unit) == std::string::npos)
      text += " or " + one.unit;
  return text;
}

// Of rules that say the same there, one that counts in the unit of its place.
size_t in_its_own_unit(const std::vector<Found>& found, size_t leader) {
  const Found& best = found[leader];
  for (size_t k = leader + 1; !best.unit.empty() && k < found.size() && found[k].bits < best.bits + 1; ++k)
    if (found[k].set == best.set && found[k].what->family == best.what->family &&
        found[k].exceptions == best.exceptions && best.what->text.find(best.unit) == std::string::npos &&
        found[k].what->text.find(best.unit) != std::string::npos)
      return k;
  return leader;
}

struct Ranking {
  size_t leader = 0;
  std::vector<size_t> rivals;  // within the margin, cheapest first
  std::vector<size_t> variants;
  double margin = 0;
};

Ranking rank(const Scene& scene, const std::vector<Found>& found) {
  Ranking ranking;
  ranking.leader = in_its_own_unit(found, choose_leader(scene, found));
  const Found& leader = found[ranking.leader];
  const uint64_t own = outcome(scene, leader);
  ranking.margin = scene.raw_bits - leader.bits;
  for (size_t k = 0; k < found.size(); ++k) {
    if (k == ranking.leader) continue;
    const double behind = found[k].bits - leader.bits;
    if (behind >= std::max(ranking.margin, kMarginBits)) break;
    const bool exact = leader.exceptions_all() == 0 && found[k].exceptions_all() == 0;
    const bool same = exact || outcome(scene, found[k]) == own;
    if (same && behind >= kMarginBits) continue;
    if (same && !parting_experiment(scene, leader, found[k])) {
      ranking.variants.push_back(k);
      continue;
    }
    // The same rule, proposed by two cases.
    if (found[k].what == leader.what && found[k].set == leader.set) continue;
    ranking.margin = std::min(ranking.margin, behind);
    if (behind < kMarginBits) ranking.rivals.push_back(k);
  }
  return ranking;
}

void add_organisation(const Scene& scene, const std::vector<Found>& found, size_t leader, PatternReport& report) {
  if (found[leader].where->id == "W0") {
    report.organisation = "everywhere";
    return;
  }
  double index = scene.raw_bits, value = scene.raw_bits;
  for (const Found& one : found) {
    if (one.where->id == "W0") continue;
    double& best = one.where->id == "W14" ? value : index;
    best = std::min(best, one.bits);
  }
  if (index == scene.raw_bits && value == scene.raw_bits)
    report.organisation = "neither";
  else if (value <= index - kMarginBits)
    report.organisation = scene.monotone ? "both" : "value";
  else if (index <= value - kMarginBits)
    report.organisation = "index";
  else
    report.organisation = "both";
  if (report.organisation == "both")
    add_once(report.next, std::string("permute the values and rerun: they follow the index"));
}

void decide(const Scene& scene, const Solution& solution, PatternReport& report) {
  const std::vector<Found>& found = solution.found;
  const Ranking ranking = rank(scene, found);
  Found leader = found[ranking.leader];
  leader.unit = unit_text(found, leader);
  Explanation best = explain(scene, leader);
  for (const size_t k : ranking.variants) {
    const std::string text = to_text(found[k].set) + ": " + found[k].what->text;
    if (best.variants.size() < 2 * kPrinted && text != best.where + ": " + best.what) add_once(best.variants, text);
  }
  report.bits = leader.bits;
  report.margin = ranking.margin;
  report.informative_share = best.informative;
  add_organisation(scene, found, ranking.leader, report);

  const bool moving = leader.what->family->moves;
  const bool uniform = moving && best.informative < kInformativeLeast;
  size_t failing_cases = 0;
  for (const CaseView& view : scene.views) failing_cases += view.failing_total > 0 ? 1 : 0;
  const bool unrepeated = is_single_element(scene, leader) && scene.count_max > 1 && failing_cases < 2;
  const bool close = report.margin < kMarginBits;
  if (uniform) {
    report.notes.emplace_back("data too uniform to tell");
    report.next.emplace_back("rerun with inputs that code their own address");
  }
  if (close || uniform || unrepeated || report.organisation == "both")
    report.status = PatternStatus::ambiguous;
  else if (static_cast<double>(best.exceptions) > kPartialShare * static_cast<double>(best.covered) ||
           (leader.what->listed() && !leader.what->garbage))
    report.status = PatternStatus::partial;
  else
    report.status = PatternStatus::named;

  report.explanations.push_back(std::move(best));
  for (const size_t k : ranking.rivals) {
    if (const std::optional<std::string> experiment = parting_experiment(scene, leader, found[k]))
      add_once(report.next, *experiment);
    const bool printed =
        std::any_of(report.explanations.begin(), report.explanations.end(),
                    [&](const Explanation& one) { return one.set == found[k].set && one.what == found[k].what->text; });
    if (!printed && report.explanations.size() < kPrinted) report.explanations.push_back(explain(scene, found[k]));
  }
  for (const std::string& experiment : confirming_experiments(scene, leader)) add_once(report.next, experiment);
  if (close && report.next.empty()) report.next.emplace_back("more sizes and other data");
}

void decide_composite(const Scene& scene, const Solution& solution, PatternReport& report) {
  report.status = PatternStatus::composite;
  report.bits = solution.composite_bits;
  report.margin = std::min(scene.raw_bits, solution.found[0].bits) - solution.composite_bits;
  double before = 0;
  for (const Found& part : solution.composite) {
    Explanation explanation = explain(scene, part);
    explanation.bits = part.parameter_bits - before;
    explanation.variants = part.readings;
    before = part.parameter_bits;
    explanation.exceptions = std::llround(solution.composite.back().exceptions_all());
    report.informative_share = std::max(report.informative_share, explanation.informative);
    report.explanations.push_back(std::move(explanation));
    for (const std::string& experiment : confirming_experiments(scene, part)) add_once(report.next, experiment);
  }
}

// Families worth verifying on all elements: those of the leader, of everything close to it, and of the composite.
std::pair<std::vector<std::string>, std::vector<std::string>> contenders(const Solution& solution) {
  std::vector<std::string> where, what;
  const auto add = [&](const Found& found) {
    add_once(where, std::string(found.where->id));
    add_once(what, std::string(found.what->family->id));
  };
  for (size_t k = 0; k < solution.found.size(); ++k)
    if (k < kPrinted || solution.found[k].bits < solution.found[0].bits + kMarginBits) add(solution.found[k]);
  for (const Found& part : solution.composite) add(part);
  return {std::move(where), std::move(what)};
}

}  // namespace

std::string_view name(PatternStatus status) {
  constexpr std::string_view names[] = {"clean", "named", "ambiguous", "partial", "composite", "unstructured"};
  return names[static_cast<size_t>(status)];
}

PatternReport name_pattern(std::span<const ObservedCase> cases, std::span<const UnitHint> hints) {
  PatternReport report;
  if (cases.empty()) return report;
  std::unique_ptr<Scene> scene = make_scene(cases, hints, true);
  for (const CaseView& view : scene->views) {
    report.total += view.count;
    report.wrong += static_cast<int64_t>(view.failing_flat.size());
    report.positions.push_back(describe_positions(view.source->failing, view.sizes));
  }
  report.raw_bits = scene->raw_bits;
  if (report.wrong == 0) return report;
  add_sources(*scene, report);

  Solution solution = solve(*scene, {}, {});
  bool sampled = false;
  for (const CaseView& view : scene->views) sampled = sampled || view.sampled;
  if (sampled && !solution.found.empty()) {
    const auto [where, what] = contenders(solution);
    scene = make_scene(cases, hints, false);
    solution = solve(*scene, where, what);
  }
  report.best_rule_bits = solution.best_rule_bits;
  if (!solution.composite.empty())
    decide_composite(*scene, solution, report);
  else if (!solution.found.empty() && solution.found[0].bits <= scene->raw_bits - kMarginBits)
    decide(*scene, solution, report);
  else
    decide_unstructured(*scene, solution.scattered, report);
  if (lives_elsewhere(*scene)) report.notes.push_back("in " + scene->cases[0].place);
  add_repeats(*scene, report);
  // What explains no more than half is no ground to suspect anybody.
  const int64_t left = report.explanations.empty() ? 0 : report.explanations[0].exceptions;
  if (2 * left >= report.wrong) return report;
  for (const Explanation& explanation : report.explanations)
    for (const std::string& layer : explanation.layers) add_once(report.layers, layer);
  return report;
}

}  // namespace faultline
