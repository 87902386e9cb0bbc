// The commands that run nothing: list prints the tables whole, compile prints artefacts that parse back, and neither
// loads torch.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "checkers/checker.h"
#include "faults/fault.h"
#include "runtime/layers/capture/capture.h"
#include "runtime/layers/decompose/core_aten.h"
#include "runtime/layers/decompose/op.h"
#include "runtime/layers/fuse/kernel_text.h"
#include "runtime/layers/layout/layout_program.h"
#include "runtime/layers/schedule/machine_text.h"
#include "runtime/layers/tile/tile_program.h"
#include "runtime/targets/target.h"
#include "taxonomy/mechanism.h"
#include "tests/command_line.h"

namespace faultline {
namespace {

using Json = nlohmann::ordered_json;

const std::string kClone = "def clone65(x: f16[65]): y = aten.clone(x); return y";

bool torch_is_loaded() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("libtorch") != std::string::npos) return true;
  return false;
}

std::vector<std::string> listed_ids(const std::string& kind) {
  const CommandResult result = faultline_command({"list", kind, "--json"});
  EXPECT_EQ(result.code, 0);
  std::vector<std::string> ids;
  for (const Json& row : Json::parse(result.out)) {
    ids.push_back(row.at("id"));
    EXPECT_FALSE(row.at("summary").get<std::string>().empty()) << ids.back();
  }
  const CommandResult text = faultline_command({"list", kind});
  for (const std::string& id : ids) EXPECT_NE(text.out.find(id), std::string::npos) << id;
  EXPECT_GE(std::count(text.out.begin(), text.out.end(), '\n'), static_cast<int>(ids.size()));
  return ids;
}

TEST(CliList, HoldsEveryRowOfEveryTable) {
  EXPECT_EQ(listed_ids("targets"), targets.ids());
  EXPECT_EQ(listed_ids("faults"), faults.ids());
  EXPECT_EQ(listed_ids("checkers"), checkers.ids());
  const std::vector<std::string> listed = listed_ids("ops"), rows = ops.ids();
  ASSERT_GE(listed.size(), rows.size());
  EXPECT_TRUE(std::equal(rows.begin(), rows.end(), listed.begin()));
  EXPECT_EQ(listed_ids("mechanisms").size(), mechanisms().size());
  EXPECT_EQ(listed_ids("layers"), (std::vector<std::string>{"capture", "decompose", "fuse", "layout", "tile",
                                                            "schedule", "transfer", "numerics"}));
  EXPECT_FALSE(torch_is_loaded());
}

// Every operator of Core ATen stands in one row, as what becomes of it says; the text ends in the share.
TEST(CliList, OpsSayWhatBecomesOfCoreAten) {
  std::map<std::string, std::string> routes;
  for (const Json& row : Json::parse(faultline_command({"list", "ops", "--json"}).out))
    for (const Json& target : row.at("core")) EXPECT_TRUE(routes.emplace(target, row.at("route")).second) << target;
  const std::vector<CoreOp> core = core_ops();
  EXPECT_EQ(routes.size(), core.size());
  for (const CoreOp& op : core) EXPECT_EQ(routes[std::string(op.target)], name(op.route)) << op.target;
  const std::string text = faultline_command({"list", "ops"}).out;
  const CoreShare share = core_share(core);
  const std::string last = text.substr(text.rfind('\n', text.size() - 2) + 1);
  EXPECT_NE(last.find(std::to_string(share.packets_supported) + " of " + std::to_string(share.packets)),
            std::string::npos)
      << last;
  EXPECT_NE(last.find(std::to_string(share.overloads_supported) + " of " + std::to_string(share.overloads)),
            std::string::npos)
      << last;
  EXPECT_NE(text.find("refused"), std::string::npos);
  EXPECT_NE(text.find("also split_with_sizes"), std::string::npos);
  EXPECT_FALSE(torch_is_loaded());
}

TEST(CliList, FaultsSayWhereTheyComeFrom) {
  for (const Json& row : Json::parse(faultline_command({"list", "faults", "--json"}).out)) {
    EXPECT_TRUE(row.at("id").get<std::string>().starts_with(row.at("layer").get<std::string>() + "."));
    EXPECT_TRUE(row.at("origin").get<std::string>().starts_with("http") ||
                row.at("origin").get<std::string>().starts_with("constructed: "));
    EXPECT_NE(find_mechanism(row.at("mechanism").get<std::string>()), nullptr);
  }
}

TEST(CliList, TargetsShowTheirSwitches) {
  const std::string text = faultline_command({"list", "targets"}).out;
  for (const Target* target : targets.rows)
    for (const TargetOption& option : target->options)
      EXPECT_NE(text.find(std::string(option.summary)), std::string::npos) << option.id;
}

TEST(CliList, WithoutAnArgumentNamesTheLists) {
  const CommandResult result = faultline_command({"list"});
  EXPECT_EQ(result.code, 0);
  for (const char* kind : {"targets", "layers", "mechanisms", "faults", "checkers", "ops", "backends"})
    EXPECT_NE(result.out.find(kind), std::string::npos);
}

std::string emitted(const std::string& layer, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"compile", kClone, "--emit", layer};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const CommandResult result = faultline_command(arguments);
  EXPECT_EQ(result.code, 0) << layer << result.err;
  return result.out;
}

TEST(CliCompile, ArtefactsParseBack) {
  EXPECT_EQ(to_text(parse_capture(emitted("capture"))), emitted("capture"));
  EXPECT_EQ(to_text(parse_prim_graph(emitted("decompose"))), emitted("decompose"));
  EXPECT_EQ(to_text(parse_kernel_program(emitted("fuse"))), emitted("fuse"));
  EXPECT_EQ(to_text(parse_layout_program(emitted("layout"))), emitted("layout"));
  EXPECT_EQ(to_text(parse_tile_program(emitted("tile"))), emitted("tile"));
  EXPECT_EQ(to_text(parse_machine_program(emitted("schedule"))), emitted("schedule"));
  EXPECT_NE(emitted("transfer"), "");
  EXPECT_FALSE(torch_is_loaded());
}

TEST(CliCompile, TakesLayersByAliasAndNumber) {
  EXPECT_EQ(emitted("5"), emitted("tile"));
  EXPECT_EQ(emitted("codegen"), emitted("schedule"));
}

TEST(CliCompile, ShowsPlantedFaultsFromTheirLayerOn) {
  const std::vector<std::string> fault = {"--fault", "tile.trip_floor(*)"};
  EXPECT_EQ(emitted("layout", fault), emitted("layout"));
  EXPECT_NE(emitted("tile", fault), emitted("tile"));
  EXPECT_NE(emitted("schedule", fault), emitted("schedule"));
}

TEST(CliCompile, JsonHasOneObjectASegment) {
  const std::string program =
      "def f(x: f32[8]): s = aten.sum.default(x); v = s.item(); y = aten.mul.Scalar(x, v); return y";
  const CommandResult result = faultline_command({"compile", program, "--emit", "decompose", "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  const Json list = Json::parse(result.out);
  EXPECT_EQ(list.size(), 2u);  // the read of a scalar splits the program
  std::set<std::string> segments;
  for (const Json& row : list) {
    segments.insert(row.at("segment").get<std::string>());
    EXPECT_EQ(row.at("layer"), "decompose");
    EXPECT_NO_THROW(parse_prim_graph(row.at("text").get<std::string>()));
  }
  EXPECT_EQ(segments.size(), 2u);
}

TEST(CliCompile, SaysWhatTheStackDoesNotTake) {
  const CommandResult result =
      faultline_command({"compile", "def f(x: f32[8]): y = aten.digamma(x); return y", "--emit", "fuse"});
  EXPECT_EQ(result.code, 17);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("aten.digamma.default: no decomposition"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace faultline
