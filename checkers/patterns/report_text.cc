// A pattern report as lines of text: the verdict, the explanations with their bits, what they rest on, what to do next.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "checkers/patterns/pattern.h"

namespace faultline {

namespace {

std::string line(const Explanation& one) {
  std::string text = fmt::format("  W = {}", one.where);
  if (!one.unit.empty()) text += fmt::format(" ({})", one.unit);
  text +=
      fmt::format("   V = {}   {}{}", one.what, one.where_family, one.what_family.empty() ? "" : " " + one.what_family);
  text += fmt::format("   {:.1f} bits", one.bits);
  if (one.exceptions > 0) text += fmt::format(", {} exceptions", one.exceptions);
  return text + "\n";
}

}  // namespace

std::string to_text(const PatternReport& report) {
  std::string text = fmt::format("{}: {} of {} wrong", name(report.status), report.wrong, report.total);
  if (report.status == PatternStatus::clean) return text + "\n";
  if (report.explanations.empty())
    text += fmt::format(", the best rule {:.1f} bits against {:.1f} for the list\n", report.best_rule_bits,
                        report.raw_bits);
  else
    text += fmt::format(", {:.1f} bits against {:.1f} for the list, margin {:.1f}\n", report.bits, report.raw_bits,
                        report.margin);
  for (const Explanation& one : report.explanations) text += line(one);
  if (!report.explanations.empty() && !report.explanations[0].variants.empty())
    text += fmt::format("  also read as: {}\n", fmt::join(report.explanations[0].variants, " | "));
  text += fmt::format("  failing: {}\n", fmt::join(report.positions, " | "));
  if (!report.organisation.empty()) text += fmt::format("  organised by: {}\n", report.organisation);
  if (!report.explanations.empty()) text += fmt::format("  informative: {:.0f} %\n", 100 * report.informative_share);
  for (const ValueSource& source : report.sources)
    text += fmt::format("  {} of {} wrong values occur in {}: {}\n", source.elements, report.wrong, source.place,
                        fmt::join(source.examples, ", "));
  for (const std::string& note : report.notes) text += fmt::format("  note: {}\n", note);
  for (const std::string& next : report.next) text += fmt::format("  next: {}\n", next);
  if (!report.layers.empty()) text += fmt::format("  suggests: {}\n", fmt::join(report.layers, ", "));
  return text;
}

}  // namespace faultline
