// The JSON record of a verdict: every field that the record names, and null where nothing is known.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reports/json.h"
#include "tests/report_verdicts.h"

namespace faultline {
namespace {

using Json = nlohmann::ordered_json;

TEST(ReportJson, CloneOfSixtyFive) {
  const Json json = to_json(clone65_verdict());
  EXPECT_EQ(json["schema"], "faultline.verdict/1");
  EXPECT_EQ(json["case"], clone65_verdict().case_line);
  EXPECT_EQ(json["outcome"], "detected");
  EXPECT_EQ(json["exit"], 0);
  EXPECT_EQ(json["origin"], Json::parse(R"({"layer": "schedule", "mechanism": "schedule.trip", "family": "codegen",
                                            "confidence": 0.98})"));
  EXPECT_EQ(json["exposed"], Json::parse(R"({"layer": "schedule"})"));
  EXPECT_EQ(json["symptom"], Json::parse(R"({"layer": "layout"})"));
  EXPECT_EQ(json["op"], Json::parse(R"({"index": 0, "name": "aten.clone.default"})"));
  const Json& y = json["tensors"].at(0);
  EXPECT_EQ(y["name"], "y");
  EXPECT_EQ(y["total"], 65);
  EXPECT_EQ(y["wrong"], 1);
  EXPECT_EQ(y["where"], "[64,65)");
  EXPECT_EQ(y["pattern"], "tail of dim 0 beyond k*64");
  EXPECT_EQ(y["what"], "unwritten");
  EXPECT_EQ(y["unit"], "stick 64");
  EXPECT_TRUE(y["worst_ratio"].is_null());
  EXPECT_TRUE(y["worst_difference"].is_null());
  EXPECT_EQ(json["coverage"], Json::parse(R"({"tensors": 0, "elements": 0, "unjudged": 0})"));
  EXPECT_EQ(json["rungs"].at(1)["rung"], "tile");
  EXPECT_EQ(json["rungs"].at(1)["agrees"], true);
  EXPECT_EQ(json["rungs"].at(2)["agrees"], false);
  EXPECT_TRUE(json["rungs"].at(3)["agrees"].is_null());
  EXPECT_EQ(json["verifiers"].at(0)["layer"], "tile");
  EXPECT_EQ(json["verifiers"].at(0)["ok"], true);
  EXPECT_EQ(json["verifiers"].at(1)["findings"].size(), 1u);
  EXPECT_TRUE(json["verifiers"].at(2)["ok"].is_null());
  EXPECT_EQ(json["evidence"], Json::array({"y[64] is poison under both patterns"}));
  EXPECT_EQ(json["ruled_out"].at(0)["layer"], "layout");
  EXPECT_EQ(json["ruled_out"].at(0)["by"], "packed through the layout, all 65 elements are right");
  EXPECT_EQ(json["next"].size(), 1u);
  EXPECT_EQ(json["replay"], clone65_verdict().replay);
  EXPECT_EQ(json["ticks"], Json::parse(R"({"kernel": 40, "transfer": 1200})"));
  EXPECT_EQ(json["skipped"].size(), 1u);
  EXPECT_EQ(json["planted"]["fault"], "schedule.piece_floor(*)");
  EXPECT_EQ(json["planted"]["fired"], 1);
  EXPECT_EQ(json["planted"]["localised"], "exact");
}

TEST(ReportJson, UnknownIsNull) {
  const Json json = to_json(Verdict{});
  EXPECT_EQ(json["outcome"], "unknown");
  EXPECT_EQ(json["exit"], 13);
  for (const char* field : {"layer", "mechanism", "family", "confidence"}) EXPECT_TRUE(json["origin"][field].is_null());
  EXPECT_TRUE(json["exposed"]["layer"].is_null());
  EXPECT_TRUE(json["symptom"]["layer"].is_null());
  EXPECT_TRUE(json["op"]["index"].is_null());
  EXPECT_TRUE(json["op"]["name"].is_null());
  EXPECT_TRUE(json["planted"].is_null());
  EXPECT_TRUE(json["replay"].is_null());
  for (const char* list : {"tensors", "rungs", "verifiers", "evidence", "ruled_out", "next", "skipped"})
    EXPECT_EQ(json[list], Json::array()) << list;
  EXPECT_EQ(json["ticks"], Json::object());
}

TEST(ReportJson, NumbersThatAreNoneAreNull) {
  Verdict verdict = clone65_verdict();
  verdict.tensors[0].worst_ratio = std::numeric_limits<double>::infinity();
  verdict.origin.confidence = std::nan("");
  EXPECT_TRUE(to_json(verdict)["tensors"][0]["worst_ratio"].is_null());
  EXPECT_TRUE(to_json(verdict)["origin"]["confidence"].is_null());
  verdict.tensors[0].worst_ratio = 2.5;
  EXPECT_EQ(to_json(verdict)["tensors"][0]["worst_ratio"], 2.5);
}

TEST(ReportJson, AConfidenceHasTwoDecimals) {
  Verdict verdict = clone65_verdict();
  verdict.origin.confidence = 0.95 - 0.15;
  EXPECT_EQ(to_json(verdict)["origin"]["confidence"].dump(), "0.8");
}

TEST(ReportJson, OneLineWhateverTheTextsHold) {
  Verdict verdict = clone65_verdict();
  verdict.evidence = {"two\nlines", "no utf-8: \xff"};
  const std::string line = json_line(to_json(verdict));
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const Json read = Json::parse(line);
  EXPECT_EQ(read["evidence"][0], "two\nlines");
  EXPECT_EQ(read["evidence"][1], "no utf-8: \xef\xbf\xbd");
  EXPECT_EQ(line, json_line(to_json(verdict)));
}

}  // namespace
}  // namespace faultline
