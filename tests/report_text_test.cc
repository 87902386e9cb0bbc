// The report for people: what must be on the screen, that it stays within its columns, and that nothing but a terminal
// sees colour.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "reports/columns.h"
#include "reports/text.h"
#include "tests/report_verdicts.h"

namespace faultline {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The line that begins with `start` after its blanks, blanks within counted as one; empty when there is none.
std::string line_with(const std::string& text, const std::string& start) {
  for (const std::string& line : lines_of(text)) {
    std::istringstream words(line);
    std::string joined;
    for (std::string word; words >> word;) joined += (joined.empty() ? "" : " ") + word;
    if (joined.starts_with(start)) return joined;
  }
  return "";
}

TEST(ReportText, SaysWhatIsWrongFirst) {
  const std::string text = to_text(clone65_verdict());
  EXPECT_EQ(lines_of(text).at(0), "DETECTED  y: 1 of 65 elements wrong at [64,65): unwritten (stick 64)");
}

TEST(ReportText, NamesOriginAndSymptomApart) {
  const std::string text = to_text(clone65_verdict());
  EXPECT_EQ(line_with(text, "origin"), "origin 6 schedule, schedule.trip (codegen), confidence 0.98");
  EXPECT_TRUE(line_with(text, "exposed").starts_with("exposed 6 schedule,"));
  EXPECT_TRUE(line_with(text, "symptom").starts_with("symptom 4 layout,"));
  EXPECT_EQ(line_with(text, "operation"), "operation aten.clone.default (number 0)");
  EXPECT_EQ(line_with(text, "planted"), "planted schedule.piece_floor(*), struck 1 time, localised: exact");
}

TEST(ReportText, TheTaxonomyExplainsWhereTheVerdictDoesNot) {
  Verdict verdict = clone65_verdict();
  verdict.explanation.clear();
  EXPECT_NE(to_text(verdict).find("confidence 0.98: a loop or piece count is off:"), std::string::npos);
}

TEST(ReportText, UnknownSaysWhatIsMissing) {
  Verdict verdict;
  verdict.skipped = {"eager PyTorch: this build has no torch"};
  EXPECT_EQ(lines_of(to_text(verdict)).at(0), "UNKNOWN  not judged: eager PyTorch: this build has no torch");
}

TEST(ReportText, ShowsTheLadderWithGoodAndBad) {
  const std::string text = to_text(clone65_verdict());
  EXPECT_EQ(line_with(text, "eager"), "eager good reference");
  EXPECT_EQ(line_with(text, "tile good"), "tile good sound bit-equal");
  EXPECT_EQ(line_with(text, "schedule BAD"), "schedule BAD BROKEN 1 of 65 differs");
  EXPECT_EQ(line_with(text, "transfer not run"), "transfer not run not run the rung above is wrong");
}

TEST(ReportText, ShowsWhatTheVerdictRestsOn) {
  const std::string text = to_text(clone65_verdict());
  for (const char* part :
       {"[64]: 0x7e5a (nan), eager 0x3c00 (1)", "  129   [128,129)", "y[64] is poison under both patterns",
        "layout  packed through the layout, all 65 elements are right", "pattern: tail of dim 0 beyond k*64",
        "schedule: launch clone: the stores move 128 of 130 bytes of y", "look at the piece list of launch clone",
        "kernel 40, transfer 1200", "exact arithmetic: the program computes nothing",
        "The copy that was emitted covers the first 64 elements only."})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_NE(text.find("\n  " + clone65_verdict().replay + "\n"), std::string::npos);
}

TEST(ReportText, FitsOneScreen) {
  Verdict verdict = clone65_verdict();
  verdict.evidence.assign(100, std::string(60, 'a') + " " + std::string(60, 'b'));
  verdict.tensors.assign(30, verdict.tensors[0]);
  verdict.explanation =
      "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen";
  const std::string text = to_text(verdict);
  const std::vector<std::string> lines = lines_of(text);
  EXPECT_LE(lines.size(), 80u);
  for (const std::string& line : lines)
    EXPECT_TRUE(display_width(line) <= 100 || line.starts_with("  ./faultline")) << line;
  EXPECT_NE(text.find("... and 92 more in the record (--json)"), std::string::npos);
  EXPECT_NE(text.find("; 29 more tensors differ"), std::string::npos);
}

TEST(ReportText, PassIsShort) {
  Verdict verdict;
  verdict.outcome = verdict.symptom_outcome = Outcome::pass;
  verdict.coverage = {1, 300, 0};
  EXPECT_EQ(to_text(verdict), "PASS  every output agrees with eager\n");
}

TEST(ReportText, PassSpeaksOfWhatWasCompared) {
  Verdict verdict;
  verdict.outcome = verdict.symptom_outcome = Outcome::pass;
  EXPECT_EQ(to_text(verdict), "PASS  the program has no outputs: only its inputs and state were compared with eager\n");
  verdict.coverage = {2, 0, 0};
  EXPECT_EQ(to_text(verdict), "PASS  types and places agree with eager; there is no element to compare\n");
  verdict.coverage = {2, 300, 228};
  EXPECT_EQ(to_text(verdict), "PASS  72 of 300 elements agree with eager, 228 cannot be judged\n");
}

TEST(ReportText, DoubtComesBeforeWrongElements) {
  Verdict verdict = clone65_verdict();
  verdict.outcome = verdict.symptom_outcome = Outcome::unknown;
  verdict.evidence = {"y: eager itself leaves the bound"};
  EXPECT_EQ(lines_of(to_text(verdict)).at(0), "UNKNOWN  y: eager itself leaves the bound");
}

TEST(ReportText, TheWorstDifferenceHasItsUnit) {
  Verdict verdict = clone65_verdict();
  verdict.tensors[0].worst_ratio = 2.5;
  verdict.tensors[0].worst_difference = 0.125;
  TextStyle wide;
  wide.columns = 0;
  EXPECT_NE(to_text(verdict, wide).find("2.5 bounds; worst difference 0.125 where equality is due"), std::string::npos);
}

TEST(ReportText, SpeaksOfThePlantedFaultWhereItIsTheNews) {
  Verdict verdict = clone65_verdict();
  verdict.outcome = Outcome::not_exercised;
  verdict.symptom_outcome = Outcome::pass;
  verdict.tensors.clear();
  verdict.planted = Planted{"schedule.piece_floor(*)", 0, ""};
  const std::string text = to_text(verdict);
  EXPECT_EQ(lines_of(text).at(0), "NOT EXERCISED  the planted fault never struck");
  EXPECT_EQ(line_with(text, "planted"), "planted schedule.piece_floor(*), struck 0 times");
}

TEST(ReportText, MetadataAndInputsHaveTheirNames) {
  Verdict verdict;
  verdict.outcome = Outcome::wrong_metadata;
  WrongTensor y;
  y.name = "y";
  y.role = "output";
  y.metadata = "dtype f32, eager has f16";
  WrongTensor x;
  x.name = "x";
  x.role = "input_after";
  x.call = 1;
  x.total = 4;
  x.wrong = 2;
  verdict.tensors = {y, x};
  const std::string text = to_text(verdict);
  EXPECT_EQ(lines_of(text).at(0), "WRONG METADATA  y: dtype f32, eager has f16; 1 more tensors differ");
  EXPECT_NE(text.find("input x after the call (call 1): 2 of 4 elements wrong"), std::string::npos) << text;
}

TEST(ReportText, ColourChangesNothingButColour) {
  TextStyle colour;
  colour.colour = true;
  std::string text = to_text(clone65_verdict(), colour);
  EXPECT_NE(text.find("\x1b[1;31mBAD\x1b[0m"), std::string::npos);
  for (size_t at = 0; (at = text.find('\x1b', at)) != std::string::npos;) text.erase(at, text.find('m', at) + 1 - at);
  EXPECT_EQ(text, to_text(clone65_verdict()));
  EXPECT_EQ(to_text(clone65_verdict()).find('\x1b'), std::string::npos);
}

TEST(ReportText, TextsOfOthersCannotReachTheTerminal) {
  Verdict verdict;
  verdict.outcome = Outcome::crashed;
  verdict.evidence = {"said \x1b[2J and\x07\nmore"};
  EXPECT_EQ(lines_of(to_text(verdict)).at(0), "CRASHED  said ?[2J and? more");
}

// What is to be pasted into a shell stays in one line, however long its case is.
TEST(ReportText, BreaksNoCommand) {
  Verdict verdict = clone65_verdict();
  const std::string command =
      "read the artefact: ./faultline compile '" + std::string(40, 'x') + " " + std::string(80, 'y') + "' --emit tile";
  verdict.next = {command};
  EXPECT_EQ(line_with(to_text(verdict), "read the artefact"), command);
}

TEST(Columns, BreaksAtWordsUnderTheFirst) {
  EXPECT_EQ(hanging("ab  ", "one two three", 11), "ab  one two\n    three\n");
  EXPECT_EQ(hanging("ab  ", "one two three", 0), "ab  one two three\n");
  EXPECT_EQ(hanging("  ", "averylongword x", 8), "  averylongword\n  x\n");
  EXPECT_EQ(hanging("ab  ", "", 8), "ab\n");
}

TEST(Columns, AlignsRows) {
  const std::vector<TextRow> rows = {
      {"a", "\x1b[32mbb\x1b[0m", "c"}, {"\xc3\xa4\xc3\xb6\xc3\xbc", "", "one two"}, {"x", "yyy", ""}};
  EXPECT_EQ(table_text(rows, 1, 15),
            " a    \x1b[32mbb\x1b[0m   c\n \xc3\xa4\xc3\xb6\xc3\xbc       one\n           two\n x    yyy\n");
}

}  // namespace
}  // namespace faultline
