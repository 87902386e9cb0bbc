// The sections of a report, top to bottom. Each is a function from the verdict to lines, empty where there is nothing
// to report.
#include "reports/text.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/columns.h"
#include "reports/phrases.h"
#include "taxonomy/mechanism.h"

namespace faultline {

namespace {

constexpr size_t kTensorsMax = 4, kLinesMax = 8, kSweepMax = 16;

enum class Paint : uint8_t { plain, good, bad, doubt, strong };

class Page {
 public:
  explicit Page(const TextStyle& style) : style_(style) {}

  std::string paint(std::string_view text, Paint paint) const {
    constexpr std::array<std::string_view, 5> kCodes = {"", "\x1b[32m", "\x1b[1;31m", "\x1b[33m", "\x1b[1m"};
    if (!style_.colour || paint == Paint::plain) return std::string(text);
    return fmt::format("{}{}\x1b[0m", kCodes[static_cast<size_t>(paint)], text);
  }
  void line(std::string_view first, std::string_view text) { text_ += hanging(first, text, style_.columns); }
  void rows(const std::vector<TextRow>& rows) { text_ += table_text(rows, 2, style_.columns); }
  void blank() { text_ += "\n"; }
  bool is_full(int columns) const { return style_.columns > 0 && columns > style_.columns; }
  void unbroken(const std::string& text) { text_ += text + "\n"; }
  void heading(std::string_view text) { text_ += "\n" + paint(text, Paint::strong) + "\n"; }
  void listed(std::string_view head, const std::vector<std::string>& items) {
    if (items.empty()) return;
    heading(head);
    for (size_t i = 0; i < std::min(items.size(), kLinesMax); ++i) {
      const std::string item = clean(items[i]);
      if (item.find("./faultline ") == std::string::npos)
        line("  ", item);
      else
        unbroken("  " + item);  // a command is there to be copied
    }
    more(items.size(), kLinesMax);
  }
  void more(size_t count, size_t shown) {
    if (count > shown) line("  ", fmt::format("... and {} more in the record (--json)", count - shown));
  }
  const std::string& text() const { return text_; }

 private:
  TextStyle style_;
  std::string text_;
};

struct OutcomeWords {
  Outcome outcome;
  Paint paint;
  std::string_view sentence;  // when neither tensors nor evidence say it better
};
constexpr OutcomeWords kWords[] = {
    {Outcome::pass, Paint::good, ""},  // pass_sentence()
    {Outcome::wrong_value, Paint::bad, "values differ from eager"},
    {Outcome::wrong_metadata, Paint::bad, "shape, dtype, strides or aliasing differ from eager"},
    {Outcome::lost_mutation, Paint::bad, "a change that eager makes to its inputs or state is missing"},
    {Outcome::rejected, Paint::doubt, "the backend does not take this program"},
    {Outcome::crashed, Paint::bad, "the backend or its device stopped"},
    {Outcome::hung, Paint::bad, "the device makes no progress"},
    {Outcome::nondeterministic, Paint::bad, "the same run gives different results"},
    {Outcome::slow, Paint::bad, "results are right, the time is above its declared bound"},
    {Outcome::untrusted, Paint::doubt, "no reference is evidence for the elements in question"},
    {Outcome::unknown, Paint::doubt, "the case could not be judged"},
    {Outcome::detected, Paint::good, "the planted fault was seen"},
    {Outcome::missed, Paint::bad, "the planted fault changed what can be observed, and no checker spoke"},
    {Outcome::masked, Paint::good, "the planted fault struck and changed nothing that can be observed"},
    {Outcome::false_alarm, Paint::bad, "a checker spoke although nothing is wrong"},
    {Outcome::not_exercised, Paint::bad, "the planted fault never struck"},
};
static_assert(std::size(kWords) == static_cast<size_t>(Outcome::not_exercised) + 1);
static_assert([] {
  for (size_t i = 0; i < std::size(kWords); ++i)
    if (kWords[i].outcome != static_cast<Outcome>(i)) return false;
  return true;
}());

const OutcomeWords& words(Outcome outcome) { return kWords[static_cast<size_t>(outcome)]; }

std::string values_sentence(const WrongTensor& tensor) {
  std::string text = fmt::format("{} of {} elements wrong", tensor.wrong, tensor.total);
  if (!tensor.where.empty()) text += fmt::format(" at {}", clean(tensor.where));
  if (!tensor.what.empty()) text += fmt::format(": {}", clean(tensor.what));
  if (!tensor.unit.empty()) text += fmt::format(" ({})", clean(tensor.unit));
  return text;
}

std::string tensor_sentence(const WrongTensor& tensor) {
  std::string text;
  if (!tensor.metadata.empty()) text = clean(tensor.metadata);
  if (tensor.wrong > 0) text += (text.empty() ? "" : "; ") + values_sentence(tensor);
  return fmt::format("{}: {}", tensor_name(tensor), text.empty() ? "differs" : text);
}

// A pass speaks of what was compared.
std::string pass_sentence(const Coverage& coverage) {
  if (coverage.tensors == 0) return "the program has no outputs: only its inputs and state were compared with eager";
  if (coverage.elements == 0) return "types and places agree with eager; there is no element to compare";
  if (coverage.unjudged == 0) return "every output agrees with eager";
  return fmt::format("{} of {} elements agree with eager, {} cannot be judged", coverage.elements - coverage.unjudged,
                     coverage.elements, coverage.unjudged);
}

// What was seen, in one sentence.
std::string headline(const Verdict& verdict) {
  const bool about_fault = verdict.outcome >= Outcome::missed;
  if (about_fault) return std::string(words(verdict.outcome).sentence);
  if (verdict.outcome == Outcome::unknown && !verdict.evidence.empty()) return clean(verdict.evidence.front());
  if (!verdict.tensors.empty()) {
    std::string text = tensor_sentence(verdict.tensors.front());
    if (verdict.tensors.size() > 1) text += fmt::format("; {} more tensors differ", verdict.tensors.size() - 1);
    return text;
  }
  const Outcome seen = verdict.outcome == Outcome::detected ? verdict.symptom_outcome : verdict.outcome;
  if (seen == Outcome::unknown && !verdict.skipped.empty()) return "not judged: " + clean(verdict.skipped.front());
  if (seen == Outcome::pass) return pass_sentence(verdict.coverage);
  const bool ended = seen == Outcome::crashed || seen == Outcome::hung;  // which says more than what was broken
  for (const VerifierLine& verifier : verdict.verifiers)
    if (!ended && verdict.origin.layer == verifier.layer && !verifier.findings.empty())
      return clean(verifier.findings.front());
  if (verdict.evidence.empty()) return std::string(words(seen).sentence);
  return clean(verdict.evidence.front());
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c == '_' ? ' ' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return result;
}

// The explanation says what the mechanism is; without one the taxonomy does.
std::string origin_text(const Verdict& verdict) {
  const Origin& origin = verdict.origin;
  std::string text = origin.layer ? fmt::format("{} {}", number(*origin.layer), name(*origin.layer)) : "no layer";
  if (!origin.mechanism.empty()) text += ", " + clean(origin.mechanism);
  if (!origin.family.empty() && (!origin.layer || origin.family != name(*origin.layer)))
    text += fmt::format(" ({})", clean(origin.family));
  if (origin.confidence) text += fmt::format(", confidence {:.2f}", *origin.confidence);
  const Mechanism* mechanism = find_mechanism(origin.mechanism);
  return mechanism == nullptr || !verdict.explanation.empty() ? text : fmt::format("{}: {}", text, mechanism->summary);
}

std::string planted_text(const Planted& planted) {
  std::string text =
      fmt::format("{}, struck {} time{}", clean(planted.fault), planted.fired, planted.fired == 1 ? "" : "s");
  return planted.localised.empty() ? text : fmt::format("{}, localised: {}", text, planted.localised);
}

std::string ticks_text(const Verdict& verdict) {
  std::vector<std::string> parts;
  for (const auto& [what, ticks] : verdict.ticks) parts.push_back(fmt::format("{} {}", clean(what), ticks));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string verified_text(const Verdict& verdict) {
  std::vector<std::string_view> sound, not_run;
  for (const VerifierLine& line : verdict.verifiers) {
    if (!line.ok) not_run.push_back(name(line.layer));
    if (line.ok.value_or(false)) sound.push_back(name(line.layer));
  }
  std::vector<std::string> parts;
  if (!sound.empty()) parts.push_back(fmt::format("sound: {}", fmt::join(sound, ", ")));
  if (!not_run.empty()) parts.push_back(fmt::format("not run: {}", fmt::join(not_run, ", ")));
  return fmt::format("{}", fmt::join(parts, "; "));
}

// What was looked at and is as it should be, and checkers whose evidence was not there.
void add_checks(const Verdict& verdict, std::vector<TextRow>& rows) {
  std::vector<std::string> clean_ones, absent;
  for (const CheckLine& line : verdict.checks) {
    if (line.looked_at.empty()) absent.push_back(line.checker);
    if (!line.looked_at.empty() && line.found == 0) clean_ones.push_back(line.looked_at);
  }
  if (!clean_ones.empty()) rows.push_back({"clean", fmt::format("{}", fmt::join(clean_ones, "; "))});
  if (!absent.empty()) rows.push_back({"not seen", fmt::format("{}", fmt::join(absent, ", "))});
}

void write_facts(Page& page, const Verdict& verdict) {
  std::vector<TextRow> rows;
  if (verdict.origin.layer || !verdict.origin.mechanism.empty()) rows.push_back({"origin", origin_text(verdict)});
  const auto layer = [](Layer at, std::string_view note) {
    return fmt::format("{} {}, {}", number(at), name(at), note);
  };
  if (verdict.exposed) rows.push_back({"exposed", layer(*verdict.exposed, "the first rung that departs from eager")});
  if (verdict.symptom)
    rows.push_back({"symptom", layer(*verdict.symptom, verdict.symptom_outcome == Outcome::hung
                                                           ? "what a device without progress alone suggests"
                                                           : "what the wrong positions alone suggest")});
  if (!verdict.operation.empty())
    rows.push_back({"operation", verdict.operation_index < 0 ? clean(verdict.operation)
                                                             : fmt::format("{} (number {})", clean(verdict.operation),
                                                                           verdict.operation_index)});
  if (verdict.planted) rows.push_back({"planted", planted_text(*verdict.planted)});
  if (!verdict.ticks.empty()) rows.push_back({"ticks", ticks_text(verdict)});
  if (verdict.rungs.empty() && !verdict.verifiers.empty()) rows.push_back({"verifiers", verified_text(verdict)});
  add_checks(verdict, rows);
  if (rows.empty() && verdict.explanation.empty()) return;
  page.blank();
  page.rows(rows);
  if (verdict.explanation.empty()) return;
  if (!rows.empty()) page.blank();
  page.line("  ", clean(verdict.explanation));
}

const VerifierLine* verifier_of(const Verdict& verdict, std::string_view rung) {
  for (const VerifierLine& line : verdict.verifiers)
    if (name(line.layer) == rung) return &line;
  return nullptr;
}

std::string verifier_mark(const Page& page, const VerifierLine* line) {
  if (line == nullptr) return "";
  if (!line->ok) return "not run";
  return *line->ok ? page.paint("sound", Paint::good) : page.paint("BROKEN", Paint::bad);
}

// A layer a line: whether its rung agrees with eager, and whether its verifier found a promise broken.
void write_rungs(Page& page, const Verdict& verdict) {
  if (verdict.rungs.empty()) return;
  page.heading("rungs, and whether each layer keeps its promises");
  std::vector<TextRow> rows;
  for (const RungLine& rung : verdict.rungs) {
    const std::string mark = !rung.agrees   ? page.paint("not run", Paint::doubt)
                             : *rung.agrees ? page.paint("good", Paint::good)
                                            : page.paint("BAD", Paint::bad);
    rows.push_back({clean(rung.rung), mark, verifier_mark(page, verifier_of(verdict, rung.rung)), clean(rung.how)});
  }
  page.rows(rows);
}

void write_tensors(Page& page, const Verdict& verdict) {
  if (verdict.tensors.empty()) return;
  page.heading("wrong elements");
  for (size_t t = 0; t < std::min(verdict.tensors.size(), kTensorsMax); ++t) {
    const WrongTensor& tensor = verdict.tensors[t];
    std::string text = tensor_sentence(tensor);
    if (tensor.worst_ratio) text += fmt::format("; worst difference {:.3g} bounds", *tensor.worst_ratio);
    if (tensor.worst_difference)
      text += fmt::format("; worst difference {:.3g} where equality is due", *tensor.worst_difference);
    page.line("  ", text);
    if (!tensor.pattern.empty()) page.line("    pattern: ", clean(tensor.pattern));
    for (const std::string& sample : tensor.samples) page.line("    ", clean(sample));
  }
  page.more(verdict.tensors.size(), kTensorsMax);
}

// Rows of a few words stand side by side.
void write_sweep(Page& page, const Verdict& verdict) {
  constexpr int kShort = 24;
  if (verdict.sweep.empty()) return;
  page.heading("size sweep");
  const size_t shown = std::min(verdict.sweep.size(), kSweepMax);
  std::string line;
  const auto flush = [&] {
    if (!line.empty()) page.unbroken(line.substr(0, line.find_last_not_of(' ') + 1));
    line.clear();
  };
  for (size_t i = 0; i < shown; ++i) {
    const std::string row = clean(verdict.sweep[i]);
    const bool is_short = display_width(row) <= kShort;
    if (!is_short || page.is_full(display_width(line) + kShort + 4)) flush();
    line += "  " + row + std::string(is_short ? static_cast<size_t>(kShort - display_width(row)) : 0, ' ');
    if (!is_short) flush();
  }
  flush();
  page.more(verdict.sweep.size(), kSweepMax);
}

// Layers that are acquitted by the same share a line.
void write_ruled_out(Page& page, const Verdict& verdict) {
  if (verdict.ruled_out.empty()) return;
  page.heading("ruled out");
  std::vector<TextRow> rows;
  for (const RuledOut& line : verdict.ruled_out) {
    const auto same =
        std::find_if(rows.begin(), rows.end(), [&](const TextRow& row) { return row[1] == clean(line.by); });
    if (same == rows.end())
      rows.push_back({std::string(name(line.layer)), clean(line.by)});
    else
      (*same)[0] += fmt::format(", {}", name(line.layer));
  }
  page.rows(rows);
}

// "coverage at kernel 0: text" without the promise, as an explanation quotes it.
std::string_view quoted_part(const std::string& finding) {
  const size_t at = finding.find(" at ");
  return at == std::string::npos ? std::string_view(finding) : std::string_view(finding).substr(at + 4);
}

// What the explanation does not say already.
void write_broken(Page& page, const Verdict& verdict) {
  std::vector<std::string> lines;
  for (const VerifierLine& verifier : verdict.verifiers)
    for (const std::string& finding : verifier.findings)
      if (verdict.explanation.find(quoted_part(finding)) == std::string::npos)
        lines.push_back(fmt::format("{}: {}", name(verifier.layer), finding));
  page.listed("broken promises", lines);
}

}  // namespace

std::string to_text(const Verdict& verdict, const TextStyle& style) {
  Page page(style);
  const OutcomeWords& outcome = words(verdict.outcome);
  page.line(page.paint(upper(name(verdict.outcome)), outcome.paint) + "  ", headline(verdict));
  write_facts(page, verdict);
  write_rungs(page, verdict);
  write_tensors(page, verdict);
  write_sweep(page, verdict);
  page.listed("evidence", verdict.evidence);
  write_ruled_out(page, verdict);
  write_broken(page, verdict);
  page.listed("weak evidence", verdict.weak);
  page.listed("not run", verdict.skipped);
  page.listed("next", verdict.next);
  if (!verdict.replay.empty()) {
    page.heading("replay");
    page.unbroken("  " + clean(verdict.replay));
  }
  return page.text();
}

}  // namespace faultline
