// Sources of wrong values, evenness of scatter, and movement between identical runs.
#include "checkers/patterns/observations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "checkers/patterns/element.h"
#include "checkers/patterns/experiments.h"
#include "checkers/patterns/families.h"

namespace faultline {

namespace {

constexpr size_t kExamples = 4;

void add_source(const Scene& scene, const std::string& place, const std::vector<const std::vector<uint64_t>*>& bits,
                PatternReport& report) {
  ValueSource source{place, 0, {}};
  for (size_t at = 0; at < scene.views.size(); ++at) {
    const CaseView& view = scene.views[at];
    std::vector<uint64_t> wrong;
    for (const int64_t flat : view.failing_flat) wrong.push_back(view.source->got[static_cast<size_t>(flat)]);
    const std::vector<std::vector<int64_t>> hits = find_values(*bits[at], wrong, 1);
    for (size_t k = 0; k < hits.size(); ++k) {
      if (hits[k].empty()) continue;
      ++source.elements;
      if (source.examples.size() < kExamples)
        source.examples.push_back(fmt::format("got[{}] = {}[{}]", view.failing_flat[k], place, hits[k][0]));
    }
  }
  if (source.elements > 0) report.sources.push_back(std::move(source));
}

// Chi squared of counts against even ones; the tail probability, or nothing where the counts are too few to say.
std::optional<double> evenness(const std::vector<int64_t>& counts, const std::vector<int64_t>& room) {
  double wrong = 0, total = 0;
  for (size_t k = 0; k < counts.size(); ++k)
    wrong += static_cast<double>(counts[k]), total += static_cast<double>(room[k]);
  if (counts.size() < 2 || wrong < static_cast<double>(counts.size()) / 2) return std::nullopt;
  double value = 0;
  for (size_t k = 0; k < counts.size(); ++k) {
    const double expected = wrong * static_cast<double>(room[k]) / total;
    if (expected > 0)
      value += (static_cast<double>(counts[k]) - expected) * (static_cast<double>(counts[k]) - expected) / expected;
  }
  return chi_squared_tail(value, static_cast<double>(counts.size()) - 1);
}

std::optional<double> lane_evenness(const Scene& scene, int64_t period) {
  std::vector<int64_t> counts(static_cast<size_t>(period)), room(static_cast<size_t>(period));
  for (const CaseView& view : scene.views) {
    for (const int64_t flat : view.failing_flat) ++counts[static_cast<size_t>(flat % period)];
    for (int64_t r = 0; r < period; ++r) room[static_cast<size_t>(r)] += (view.count + period - 1 - r) / period;
  }
  return evenness(counts, room);
}

// Failing positions of a run: bitwise, or beyond the tolerance.
std::vector<int64_t> failing_positions(const Scene& scene, const ObservedCase& one, const std::vector<uint64_t>& got) {
  std::vector<int64_t> found;
  for (size_t k = 0; k < got.size(); ++k) {
    if (got[k] == one.reference[k]) continue;
    const double distance = std::fabs(value_of(scene.dtype, got[k]) - value_of(scene.dtype, one.reference[k]));
    if (one.tolerance.empty() || !(distance <= one.tolerance[k])) found.push_back(static_cast<int64_t>(k));
  }
  return found;
}

}  // namespace

void add_sources(const Scene& scene, PatternReport& report) {
  std::vector<const std::vector<uint64_t>*> reference;
  for (const ObservedCase& one : scene.cases) reference.push_back(&one.reference);
  add_source(scene, "reference", reference, report);
  for (const KnownBuffer& buffer : scene.buffers) add_source(scene, buffer.name, buffer.bits, report);
}

void decide_unstructured(const Scene& scene, const std::string& scattered, PatternReport& report) {
  report.status = PatternStatus::unstructured;
  report.organisation = "neither";
  std::string text = fmt::format("unstructured, {} of {}", report.wrong, report.total);
  int fewest = 64, most = 0;
  for (const CaseView& view : scene.views)
    for (const int64_t flat : view.failing_flat) {
      const auto index = static_cast<size_t>(flat);
      const int bits = std::popcount(view.source->got[index] ^ view.source->reference[index]);
      fewest = std::min(fewest, bits);
      most = std::max(most, bits);
    }
  text += fewest == most ? fmt::format(", popcount {}", most) : fmt::format(", popcount {} to {}", fewest, most);
  report.notes.push_back(text);
  if (!scattered.empty()) report.notes.push_back("values at no particular place: " + scattered);
  bool even = true;
  for (const ScalarUnit& unit : scene.units) {
    if (unit.elements >= scene.count_max) continue;
    const std::optional<double> p = lane_evenness(scene, unit.elements);
    if (!p || *p > 0.01) continue;
    even = false;
    report.notes.push_back(fmt::format("uneven over {} (p = {:.2g})", unit.text, *p));
  }
  if (even) report.notes.emplace_back("even over every known unit that has enough of them");
  report.next = {"repeat", "two poison patterns"};
  if (report.wrong == 1 && report.total > 1) report.next = {std::string(kOneElement)};
  for (const std::string_view layer : {"numerics.flip1", "numerics.flipn", "schedule.raw"})
    report.layers.emplace_back(layer);
}

void add_repeats(const Scene& scene, PatternReport& report) {
  for (const ObservedCase& one : scene.cases) {
    if (one.repeats.empty()) continue;
    std::vector<std::vector<int64_t>> runs{failing_positions(scene, one, one.got)};
    for (const std::vector<uint64_t>& repeat : one.repeats) runs.push_back(failing_positions(scene, one, repeat));
    std::vector<uint8_t> in_some(one.got.size());
    std::vector<size_t> count(one.got.size()), sizes;
    for (const std::vector<int64_t>& run : runs) {
      sizes.push_back(run.size());
      for (const int64_t flat : run) in_some[static_cast<size_t>(flat)] = 1, ++count[static_cast<size_t>(flat)];
    }
    const auto in_all = std::count(count.begin(), count.end(), runs.size());
    const auto in_any = std::count(in_some.begin(), in_some.end(), 1);
    if (in_all == in_any) continue;
    const WhereFamily& family = where_families.at("W15", "family of places");
    Explanation moving;
    moving.where = describe_positions(in_some, one.sizes);
    moving.what = fmt::format("moves between identical runs: {} in some run, {} in every run, {} a run", in_any, in_all,
                              fmt::join(sizes, ", "));
    moving.where_family = family.id;
    moving.covered = in_any;
    for (const std::string_view layer : {"schedule.raw", "schedule.sync", "transfer.reorder"})
      moving.layers.emplace_back(layer);
    report.explanations.insert(report.explanations.begin(), std::move(moving));
    report.status = PatternStatus::named;
    report.next.insert(report.next.begin(), "two poison patterns; more repeats");
    return;
  }
}

double chi_squared_tail(double value, double degrees) {
  const double spread = 2 / (9 * degrees);
  const double z = (std::cbrt(value / degrees) - (1 - spread)) / std::sqrt(spread);
  return 0.5 * std::erfc(z / std::sqrt(2.0));
}

}  // namespace faultline
