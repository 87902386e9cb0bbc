// Shares in per cent with Wilson's interval; what cannot be known (nothing tried) is a dash, or null.
#include "reports/score.h"

#include <algorithm>

#include <fmt/format.h>

#include "reports/columns.h"
#include "checkers/score/bars.h"
#include "checkers/score/mutants/mutant.h"
#include "checkers/score/rules/rule.h"
#include "checkers/score/subject.h"

namespace faultline {

namespace {

using Json = nlohmann::ordered_json;

constexpr DType kTypes[] = {DType::f32, DType::f16, DType::bf16};
constexpr size_t kMissesShown = 8;

double share(const ScoreCount& count) { return 100 * static_cast<double>(count.count) / static_cast<double>(count.of); }

std::string share_text(const ScoreCount& count) { return count.of == 0 ? "-" : fmt::format("{:.1f}", share(count)); }

std::string interval_text(const ScoreCount& count) {
  if (count.of == 0) return "-";
  const Interval interval = wilson(count);
  return fmt::format("{:.1f} ({:.1f} - {:.1f})", share(count), 100 * interval.low, 100 * interval.high);
}

// With the upper end of the interval, in per cent.
std::string alarms_text(const ScoreCount& count) {
  if (count.of == 0) return "-";
  return fmt::format("{} of {} (<{:.2f})", count.count, count.of, 100 * wilson(count).high);
}
std::string misses_text(const ScoreCount& count) { return fmt::format("{} of {}", count.count, count.of); }

const ScoreCell* cell_of(const OracleScore& score, const std::string& op_class, DType dtype) {
  for (const ScoreCell& cell : score.cells)
    if (cell.op_class == op_class && cell.dtype == dtype) return &cell;
  return nullptr;
}

std::vector<TextRow> class_rows(const OracleScore& score) {
  std::vector<TextRow> rows = {{"class"}};
  for (const DType dtype : kTypes) rows[0].emplace_back(name(dtype));
  for (const std::string& op_class : score_classes()) {
    TextRow row = {op_class};
    for (const DType dtype : kTypes) {
      const ScoreCell* cell = cell_of(score, op_class, dtype);
      row.push_back(cell == nullptr ? "-" : interval_text(cell->caught[kOracleJudge]));
    }
    rows.push_back(std::move(row));
  }
  TextRow all = {"all"};
  for (const DType dtype : kTypes) all.push_back(interval_text(total_of(score, dtype).caught[kOracleJudge]));
  rows.push_back(std::move(all));
  return rows;
}

std::string meaning(size_t judge) {
  static constexpr const char* kOwn[kOwnJudges] = {"the bounds of every legal order, on these data alone",
                                                   "bounds that hold but for 3e-8 a sum, on these data alone",
                                                   "both, and integers for which sums are exact"};
  if (judge < kOwnJudges) return kOwn[judge];
  return std::string(rules.rows[judge - kOwnJudges]->summary);
}

std::vector<TextRow> judge_rows(const OracleScore& score) {
  std::vector<TextRow> rows = {{"judge"}};
  for (const DType dtype : kTypes) rows[0].push_back("caught " + std::string(name(dtype)));
  for (const DType dtype : kTypes) rows[0].push_back("alarms " + std::string(name(dtype)));
  rows[0].emplace_back("what it asks");
  for (size_t j = 0; j < score.judges.size(); ++j) {
    TextRow row = {score.judges[j]};
    for (const DType dtype : kTypes) row.push_back(share_text(total_of(score, dtype).caught[j]));
    for (const DType dtype : kTypes) row.push_back(alarms_text(total_of(score, dtype).alarms[j]));
    row.push_back(meaning(j));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json count_json(const ScoreCount& count) {
  if (count.of == 0) return {{"count", 0}, {"of", 0}, {"share", nullptr}, {"interval", nullptr}};
  const Interval interval = wilson(count);
  return {{"count", count.count},
          {"of", count.of},
          {"share", share(count) / 100},

          {"interval", {interval.low, interval.high}}};
}

Json cell_json(const OracleScore& score, const ScoreCell& cell) {
  Json judges = Json::array();
  for (size_t j = 0; j < score.judges.size(); ++j)
    judges.push_back(
        {{"judge", score.judges[j]}, {"caught", count_json(cell.caught[j])}, {"alarms", count_json(cell.alarms[j])}});
  return {{"class", cell.op_class}, {"dtype", name(cell.dtype)}, {"identical", cell.identical}, {"judges", judges}};
}

Json bar_json(const MissedBar& bar) {
  return {{"judge", bar.judge},       {"class", bar.op_class},
          {"dtype", name(bar.dtype)}, {"bar", bar.alarm ? "alarms" : "caught"},
          {"count", bar.count.count}, {"of", bar.count.of}};
}

// What the shares are measured by.
Json terms_json(const OracleScore& score) {
  Json least = Json::object(), missed = Json::array(), freedoms = Json::object();
  for (const ScoreFreedom& freedom : score.freedoms) freedoms[freedom.id] = freedom.controls;
  for (const DType dtype : kTypes) least[std::string(name(dtype))] = caught_bar(dtype);
  for (const MissedBar& bar : missed_bars(score)) missed.push_back(bar_json(bar));
  return {{"seeds", score.seeds},
          {"controls", {{"tried", score.controls}, {"counted", counted_controls(score)}}},
          {"freedoms", freedoms},
          {"interval", {{"method", "wilson"}, {"sides", 2}, {"confidence", kConfidence}, {"z", kWilsonZ}}},
          {"bars", {{"caught", least}, {"alarms", kAlarmsMax}}},
          {"missed_bars", missed}};
}

std::string freedoms_text(const OracleScore& score) {
  if (counted_controls(score) == 0) return "";
  std::string text = fmt::format("\nOf the {} conforming results that differ took a rewrite:", counted_controls(score));
  for (const ScoreFreedom& freedom : score.freedoms) text += fmt::format(" {} {}", freedom.id, freedom.controls);
  return text + "\n";
}

std::string bars_text(const OracleScore& score) {
  std::string text;
  for (const MissedBar& bar : missed_bars(score))
    text += fmt::format("\nBelow the bar: {} {} in {} {}, {} of {}", bar.judge,
                        bar.alarm ? "accuses what conforms" : "sees too few mistakes", bar.op_class, name(bar.dtype),
                        bar.count.count, bar.count.of);
  return text.empty() ? text : text + "\n";
}

}  // namespace

Json to_json(const OracleScore& score) {
  Json cells = Json::array(), misses = Json::array(), planted = Json::array(), published = Json::array();
  for (const ScoreCell& cell : score.cells) cells.push_back(cell_json(score, cell));
  for (const DType dtype : kTypes) cells.push_back(cell_json(score, total_of(score, dtype)));
  for (const ScoreMiss& miss : score.misses)
    misses.push_back({{"mutant", miss.mutant},
                      {"class", miss.op_class},
                      {"dtype", name(miss.dtype)},
                      {"missed", miss.missed.count},
                      {"of", miss.missed.of}});
  for (const Mutant* mutant : mutants.rows)
    planted.push_back({{"id", mutant->id}, {"group", mutant->group}, {"summary", mutant->summary}});
  for (const Rule* rule : rules.rows)
    published.push_back({{"id", rule->id}, {"summary", rule->summary}, {"source", rule->source}});
  Json json = {{"schema", kScoreSchema}};
  json.update(terms_json(score));
  json.update({{"cells", cells}, {"misses", misses}, {"mutants", planted}, {"rules", published}});
  return json;
}

std::string to_text(const OracleScore& score, int columns) {
  std::string text = fmt::format(
      "{} kinds of mistakes in programs of {} classes: what the oracle catches of those that change a bit,\n"
      "in per cent, with the interval of 95 % (Wilson)\n\n",
      mutants.rows.size(), score_classes().size());
  text += table_text(class_rows(score), 2, columns);
  text +=
      "\nThe same results by judge, and how often each accuses a conforming result in another legal order that "
      "differs\n"
      "from eager's (with the upper end of the interval in per cent)\n\n";
  text += table_text(judge_rows(score), 2, columns);
  text += freedoms_text(score) + bars_text(score);
  if (score.misses.empty()) return text + "\nMissed by the oracle: nothing\n";
  text += "\nMissed by the oracle most often\n\n";
  std::vector<TextRow> rows;
  for (size_t m = 0; m < std::min(score.misses.size(), kMissesShown); ++m) {
    const ScoreMiss& miss = score.misses[m];
    rows.push_back({miss.mutant, miss.op_class, std::string(name(miss.dtype)), misses_text(miss.missed),
                    std::string(mutants.at(miss.mutant, "mutant").summary)});
  }
  return text + table_text(rows, 2, columns);
}

}  // namespace faultline
