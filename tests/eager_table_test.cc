// The compiled-in operator table against the torch at hand.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "runtime/eager/eager.h"
#include "runtime/eager/schema_table.h"

namespace faultline {
namespace {

std::set<std::string> table_lines(std::istream&& text) {
  std::set<std::string> lines;
  for (std::string line; std::getline(text, line);)
    if (!line.starts_with("//")) lines.insert(line);
  return lines;
}

TEST(EagerTable, IsThatOfTheInstalledTorch) {
  const EagerStatus status = eager_status();
  if (!status.available) GTEST_SKIP() << status.why_not;
  if (!status.version.starts_with("2.13."))
    GTEST_SKIP() << "the table is that of torch 2.13, this is " << status.version;
  const auto checked_in = table_lines(std::ifstream(FAULTLINE_SOURCE_DIR "/runtime/ir/schema/aten_schemas.inc"));
  const auto installed = table_lines(std::istringstream(aten_schema_table()));
  ASSERT_GT(installed.size(), 1000u);
  for (const std::string& line : installed) EXPECT_TRUE(checked_in.contains(line)) << "missing: " << line;
  for (const std::string& line : checked_in) EXPECT_TRUE(installed.contains(line)) << "torch has not: " << line;
}

// The selection must not drift from what it promises.
TEST(EagerTable, HoldsEveryCorePointwiseAndReductionOperator) {
  const EagerStatus status = eager_status();
  if (!status.available) GTEST_SKIP() << status.why_not;
  EXPECT_GT(schema_targets().size(), 1300u);
  int core = 0;
  for (const std::string& target : schema_targets()) core += find_schema(target)->has_tag("core");
  EXPECT_GE(core, 190);
  for (const char* name :
       {"aten.add_.Tensor", "aten.amax.default", "aten.split.sizes", "aten.t_.default", "aten.where.self"})
    EXPECT_NE(find_schema(name), nullptr) << name;
  for (const char* name : {"aten.add.out", "aten.relu_backward.default", "aten._foreach_add.List"})
    EXPECT_EQ(find_schema(name), nullptr) << name;
}

}  // namespace
}  // namespace faultline
