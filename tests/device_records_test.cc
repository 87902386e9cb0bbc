// Transfer records and job plans: every element once, where the layout says; the counts of the machine's description.
#include <gtest/gtest.h>

#include "runtime/device/job_plan.h"
#include "runtime/layers/layout/host_image.h"
#include "runtime/layers/schedule/schedule.h"
#include "runtime/base/philox.h"
#include "tests/tile_trial.h"

namespace faultline {
namespace {

// Device element of every host element as the records have it; -1: none, -2: several.
std::vector<int64_t> places(const std::vector<TransferRecord>& records, int64_t elements) {
  std::vector<int64_t> places(static_cast<size_t>(elements), -1);
  for (const TransferRecord& record : records) {
    for (int64_t n = 0; n < record.elements(); ++n) {
      int64_t host = record.host_offset, device = record.device_offset, rest = n;
      for (size_t l = record.levels.size(); l-- > 0;) {
        host += rest % record.levels[l].count * record.levels[l].host_stride;
        device += rest % record.levels[l].count * record.levels[l].device_stride;
        rest /= record.levels[l].count;
      }
      int64_t& place = places.at(static_cast<size_t>(host));
      place = place == -1 ? device : -2;
    }
  }
  return places;
}

std::vector<int64_t> walked(const DeviceLayout& layout, const Sizes& sizes) {
  std::vector<int64_t> places;
  const int unit = static_cast<int>(layout.flat_element_bytes());
  walk_layout(layout, sizes, unit, [&](int64_t, int64_t offset, int count) {
    for (int k = 0; k < count; ++k) places.push_back(offset / unit + k);
  });
  return places;
}

void expect_once(const DeviceLayout& layout, const Sizes& sizes) {
  EXPECT_EQ(places(transfer_records(layout, sizes), element_count(sizes)), walked(layout, sizes))
      << to_text(layout) << " of " << ::testing::PrintToString(sizes);
}

std::vector<std::vector<int64_t>> counts(const std::vector<TransferRecord>& records) {
  std::vector<std::vector<int64_t>> counts;
  for (const TransferRecord& record : records) {
    counts.emplace_back();
    for (const TransferRecord::Level& level : record.levels) counts.back().push_back(level.count);
  }
  return counts;
}

// The rule: docs/sources.md, Spyre: layouts and transfers.
TEST(DeviceRecords, FullSticksAndOneRemainder) {
  const std::vector<TransferRecord> records =
      transfer_records(parse_device_layout("{0,64,2}{0,1,64} x2B undefined"), {65});
  const std::vector<TransferRecord> expected = {{0, 0, {{1, 64, 64}, {64, 1, 1}}}, {64, 64, {{1, 64, 64}, {1, 1, 1}}}};
  EXPECT_EQ(records, expected);
}

TEST(DeviceRecords, NoRemainderOfWholeSticks) {
  const DeviceLayout layout = parse_device_layout("{1,64,4}{0,1,1024}{1,1,64} x2B undefined");
  const std::vector<TransferRecord> expected = {{0, 0, {{4, 64, 65536}, {1024, 256, 64}, {64, 1, 1}}}};
  EXPECT_EQ(transfer_records(layout, {1024, 256}), expected);
}

TEST(DeviceRecords, EveryUnalignedHostDimDoublesThem) {
  const DeviceLayout layout = parse_device_layout("{0,8,2}{1,128,2}{0,1,8}{1,1,128} x4B undefined");
  EXPECT_EQ(counts(transfer_records(layout, {9, 130})),
            (std::vector<std::vector<int64_t>>{{1, 1, 8, 128}, {1, 1, 8, 2}, {1, 1, 1, 128}, {1, 1, 1, 2}}));
  EXPECT_EQ(transfer_records(layout, {16, 256}).size(), 1u);
  EXPECT_EQ(transfer_records(layout, {8, 130}).size(), 2u);
}

TEST(DeviceRecords, NoElementsNoRecords) {
  EXPECT_TRUE(transfer_records(parse_device_layout("{1,64,1}{0,1,1}{1,1,64} x2B undefined"), {0, 3}).empty());
}

// Staggered, sparse, replicated, cores, and layouts that no pass would make: rounded down, wrapped at the wrong place,
// steps that do not nest.
TEST(DeviceRecords, FollowWhateverTheLayoutSays) {
  const std::pair<const char*, Sizes> samples[] = {
      {"{0,128,1}{0,16,4}{0,4,4}{0,64,2}{0,1,4} x4B undefined", {100}},
      {"{1,1,256}{-1,1,1}{0,1,7}{-1,1,64} x2B undefined", {7, 256}},
      {"{0,25,4,core}{1,64,3}{0,1,25}{1,1,64} x2B undefined", {100, 150}},
      {"{0,64,1}{0,1,64} x2B undefined", {65}},
      {"{0,64,2}{0,1,32} x2B undefined", {65}},
      {"{0,48,2}{0,1,64} x2B undefined", {65}},
      {"{0,64,2}{0,2,32} x2B undefined", {65}},
      {"{1,1,5}{0,1,3} x2B undefined", {3, 5}},
      {"{1,1,5} x2B undefined", {1, 5}},
  };
  for (const auto& [text, sizes] : samples) {
    const DeviceLayout layout = parse_device_layout(text);
    if (check_layout(layout, sizes).empty())
      expect_once(layout, sizes);
    else  // several host elements may share a position; each still has the one that the layout gives it
      EXPECT_EQ(places(transfer_records(layout, sizes), element_count(sizes)), walked(layout, sizes)) << text;
  }
}

TEST(DeviceRecords, RandomShapes) {
  PhiloxStream stream(7, "transfer records");
  static constexpr int64_t kSizes[] = {1, 2, 3, 5, 31, 63, 64, 65, 96, 127, 128, 129, 200};
  static constexpr DType kTypes[] = {DType::f16, DType::f32, DType::i64, DType::i8};
  for (int n = 0; n < 400 && !HasFailure(); ++n) {
    Sizes sizes;
    for (uint32_t d = 0, rank = 1 + stream.below(4); d < rank; ++d)
      sizes.push_back(d < 2 ? kSizes[stream.below(13)] : 1 + stream.below(7));
    const DType dtype = kTypes[stream.below(4)];
    const Buffer buffer{"x", dtype, sizes, BufferRole::input, -1};
    expect_once(layouts().default_layout(buffer), sizes);
  }
}

TEST(DeviceRecords, ThePlanOfAClone) {
  const TileProgram tiles =
      tile(assign_layouts(clone_sample(65), layouts()), spyre::SpyreTilePolicy({32, true, false}));
  const MachineProgram program = schedule(tiles, SchedulePolicy{});
  EXPECT_EQ(to_text(plan_job(program), program), R"(job clone:
  host_to_device x
    1x64 host 64,1 device 64,1 at host 0, device 0
    1x1 host 64,1 device 64,1 at host 64, device 64
  patch k0_clone
  compute k0_clone
  device_to_host y
    1x64 host 64,1 device 64,1 at host 0, device 0
    1x1 host 64,1 device 64,1 at host 64, device 64
)");
}

}  // namespace
}  // namespace faultline
