// What is claimed of Core ATen: that the list is torch's, that at least 95 % of it is supported, and that each claim
// has a program that shows it. Programs of the op table are held against eager by decompose_ops_test.
#include <gtest/gtest.h>

#include <set>

#include <fmt/format.h>

#include "runtime/eager/eager.h"
#include "runtime/eager/module.h"
#include "runtime/eager/torch_table.h"
#include "runtime/ir/program_text.h"
#include "runtime/layers/decompose/core_aten.h"
#include "runtime/run/run_case.h"
#include "tests/decompose_samples.h"

namespace faultline {
namespace {

std::set<std::string> tagged_by_torch(const TorchTable& table) {
  std::set<std::string> targets;
  for (int32_t i = 0; i < table.op_count; ++i) {
    const std::string full = table.op_names[i];
    if (!full.starts_with("aten::")) continue;
    const size_t dot = full.find('.');
    const std::string overload = dot == std::string::npos ? "" : full.substr(dot + 1);
    const std::string packet = full.substr(0, dot);
    const TorchOp* op = table.find_op(packet.c_str(), overload.c_str());
    const std::string tags = op == nullptr ? "" : " " + std::string(table.tags(op)) + " ";
    if (tags.find(" core ") != std::string::npos)
      targets.insert("aten." + packet.substr(6) + "." + (overload.empty() ? "default" : overload));
  }
  return targets;
}

TEST(CoreAten, TheListIsThatOfTheInstalledTorch) {
  const EagerStatus status = eager_status();
  if (!status.available) GTEST_SKIP() << status.why_not;
  if (!status.version.starts_with("2.13."))
    GTEST_SKIP() << "the list is that of " << kCoreAtenVersion << ", this is " << status.version;
  std::set<std::string> listed;
  for (const CoreOp& op : core_ops()) EXPECT_TRUE(listed.emplace(op.target).second) << op.target << " stands twice";
  EXPECT_EQ(listed, tagged_by_torch(*torch_module().table));
}

TEST(CoreAten, NearlyAllOfItIsSupported) {
  const CoreShare share = core_share(core_ops());
  std::cout << fmt::format("{} of {} operators, {} of {} overloads\n", share.packets_supported, share.packets,
                           share.overloads_supported, share.overloads);
  EXPECT_GE(share.packets_supported * 100, share.packets * 95);
  EXPECT_GE(share.overloads_supported * 100, share.overloads * 95);
  for (const CoreOp& op : core_ops()) {
    EXPECT_NE(op.route, CoreRoute::missing) << op.target;
    EXPECT_EQ(op.note.empty(), op.route == CoreRoute::decompose) << op.target;
  }
}

std::set<std::string> targets_of(const std::string& text) {
  std::set<std::string> targets;
  for (const Statement& statement : parse_program(text, "sample").body)
    if (const auto* call = std::get_if<CallStatement>(&statement.value)) targets.insert(call->target);
  return targets;
}

// Every overload that the op table is said to take is called by a sample of its row.
TEST(CoreAten, EverySupportedOverloadHasASample) {
  for (const CoreOp& op : core_ops()) {
    if (op.route != CoreRoute::decompose) continue;
    bool called = false;
    for (const std::string_view sample : op.row->samples)
      called = called || targets_of(testing::with_id(sample, op.row->id)).contains(std::string(op.target));
    EXPECT_TRUE(called) << op.target << " has no sample";
  }
}

// What capture turns into numbers goes through the whole stack.
TEST(CoreAten, WhatCaptureReadsRuns) {
  const EagerStatus status = eager_status();
  if (!status.available) GTEST_SKIP() << status.why_not;
  for (const CoreOp& op : core_ops()) {
    if (op.route != CoreRoute::capture) continue;
    SCOPED_TRACE(op.sample);
    EXPECT_NE(op.sample.find(op.packet()), std::string_view::npos);
    const Verdict verdict = run_case(parse_case("program=" + std::string(op.sample)), {});
    EXPECT_EQ(name(verdict.outcome), name(Outcome::pass)) << verdict.explanation;
  }
}

// What is refused is refused by name, not taken for something else, and says why.
TEST(CoreAten, WhatIsRefusedHasNoRow) {
  for (const CoreOp& op : core_ops())
    if (op.route == CoreRoute::refused && !op.target.ends_with(".out")) {
      EXPECT_EQ(find_op(op.target), nullptr) << op.target;
      EXPECT_EQ(refusal_of(op.target), op.note);
    }
}

}  // namespace
}  // namespace faultline
