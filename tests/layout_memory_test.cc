// Simulated memory: poison and shadow state, guard zones, what gets recorded, copies, addresses of any sort.
#include <gtest/gtest.h>

#include "runtime/layers/memory/byte_memory.h"
#include "tests/layout_samples.h"

namespace faultline {
namespace {

using Native = ByteMemory<NativeDomain>;

class MemoryTest : public ::testing::Test {
 protected:
  NativeDomain domain_{stick_arithmetic()};
  Native memory_{domain_};
  NativeDomain::Value number(double value) { return domain_.literal(real_literal(value, DType::f16)); }
  std::vector<std::string> events() const {
    std::vector<std::string> texts;
    for (const MemoryEvent& event : memory_.events().kept()) texts.push_back(to_text(event, memory_.map()));
    return texts;
  }
  int64_t address(int id) const { return memory_.region(id).address; }
};

TEST_F(MemoryTest, AllocationsAreAlignedAndApart) {
  int64_t end = 0;
  for (const int64_t bytes : {1, 130, 256, 0, 4096}) {
    const int id = memory_.allocate("x", bytes);
    EXPECT_EQ(address(id) % 128, 0);
    EXPECT_GE(address(id) - kGuardBytes, end);
    end = address(id) + bytes + kGuardBytes;
  }
}

TEST_F(MemoryTest, ReadsWhatWasWritten) {
  const int64_t x = address(memory_.allocate("x", 10000));
  for (int64_t i = 0; i < 5000; ++i) memory_.write(x + 2 * i, DType::f16, number(static_cast<double>(i % 100)), 7);
  for (int64_t i = 0; i < 5000; ++i)
    EXPECT_EQ(memory_.read(x + 2 * i, DType::f16, 8).real, static_cast<double>(i % 100));
  // Over a page's end and off its natural alignment.
  memory_.write(x + 4095, DType::f16, number(3), 9);
  EXPECT_EQ(memory_.read(x + 4095, DType::f16, 9).real, 3);
  EXPECT_EQ(memory_.shadow(x + 4096).writer, 9);
  EXPECT_EQ(memory_.shadow(x + 4097).writer, 7);
  EXPECT_TRUE(events().empty());
}

TEST_F(MemoryTest, FreshMemoryIsPoison) {
  const int64_t x = address(memory_.allocate("x", 64));
  EXPECT_EQ(memory_.shadow(x).writer, 0);
  EXPECT_FALSE(memory_.shadow(x).defined);
  EXPECT_EQ(memory_.cell(x), domain_.poison_cell(1, 0));
  EXPECT_EQ(memory_.cell(x + 1), domain_.poison_cell(1, 1));
  EXPECT_TRUE(events().empty());
  memory_.read(x + 2, DType::f16, 5);
  EXPECT_EQ(events(), std::vector<std::string>{"read_undefined of 2 bytes at byte 2 of x (64 bytes) by 5"});

  FingerprintDomain fields(stick_arithmetic());
  ByteMemory<FingerprintDomain> fingerprints(fields, 40);
  fingerprints.allocate("a", 64);
  const int64_t b = fingerprints.region(fingerprints.allocate("b", 64)).address;
  const FingerprintDomain::Value value = fingerprints.read(b, DType::f16, 1);
  EXPECT_TRUE(fields.is_poison(value));
  EXPECT_EQ(fingerprints.cell(b), fields.poison_cell(42, 0));
}

TEST_F(MemoryTest, HalfWrittenElementIsUndefined) {
  const int64_t x = address(memory_.allocate("x", 64));
  memory_.write(x, DType::f16, number(1), 2);
  memory_.read(x + 1, DType::f16, 5);
  EXPECT_EQ(events(), std::vector<std::string>{"read_undefined of 1 bytes at byte 2 of x (64 bytes) by 5"});
}

TEST_F(MemoryTest, GuardZonesAreHitAndHold) {
  const int64_t x = address(memory_.allocate("x", 64));
  memory_.write(x + 63, DType::f16, number(1), 2);
  memory_.write(x - 2, DType::f16, number(2), 3);
  EXPECT_EQ(memory_.read(x - 2, DType::f16, 4).real, 2);
  EXPECT_EQ(events(), (std::vector<std::string>{"write_guard of 1 bytes at byte 64 of x (64 bytes) by 2",
                                                "write_guard of 2 bytes at byte -2 of x (64 bytes) by 3",
                                                "read_guard of 2 bytes at byte -2 of x (64 bytes) by 4"}));
  EXPECT_EQ(memory_.shadow(x + 64).zone, MemoryZone::guard);
  EXPECT_EQ(memory_.shadow(x + 64).writer, 2);
}

TEST_F(MemoryTest, OutsideEveryAllocation) {
  const int64_t x = address(memory_.allocate("x", 64));
  for (const int64_t far : {x + 100000, int64_t{-1} << 40, (int64_t{1} << 62) + 1}) {
    memory_.write(far, DType::f32, domain_.literal(real_literal(1, DType::f32)), 2);
    EXPECT_EQ(memory_.shadow(far).writer, 0);
    memory_.read(far, DType::f32, 3);
  }
  int64_t unmapped = 0;
  for (const MemoryEvent& event : memory_.events().kept()) unmapped += event.kind == MemoryEventKind::write_unmapped;
  EXPECT_EQ(unmapped, 3);
  EXPECT_TRUE(memory_.events().has(MemoryEventKind::read_unmapped));
}

TEST_F(MemoryTest, CopiesCarryUndefinedness) {
  Native other(domain_, 100);
  const int64_t x = address(memory_.allocate("x", 64));
  const int64_t y = other.region(other.allocate("y", 64)).address;
  memory_.write(x, DType::f16, number(1), 2);
  other.put(y, memory_.take(x, 4, 6), 6);
  EXPECT_TRUE(events().empty());
  EXPECT_TRUE(other.events().kept().empty());
  EXPECT_EQ(other.shadow(y + 2).writer, 6);
  EXPECT_FALSE(other.shadow(y + 2).defined);
  EXPECT_EQ(other.cell(y + 2), domain_.poison_cell(1, 2));
  EXPECT_EQ(other.read(y, DType::f16, 7).real, 1);
  EXPECT_TRUE(other.events().kept().empty());
  other.read(y + 2, DType::f16, 7);
  EXPECT_TRUE(other.events().has(MemoryEventKind::read_undefined));
}

TEST_F(MemoryTest, RunsOfElements) {
  const int64_t x = address(memory_.allocate("x", 9000));
  for (int64_t i = 0; i < 4000; ++i) memory_.write(x + 2 * i, DType::f16, number(static_cast<double>(i % 64)), 1);
  std::vector<NativeDomain::Value> values(3000);
  memory_.read_run(x + 1000, DType::f16, 3000, 2, values.data());
  for (int i = 0; i < 3000; ++i) ASSERT_EQ(values[i].real, (500 + i) % 64);
  EXPECT_TRUE(events().empty());
  memory_.read_run(x + 7998, DType::f16, 3, 2, values.data());
  EXPECT_EQ(events(), std::vector<std::string>{"read_undefined of 4 bytes at byte 8000 of x (9000 bytes) by 2"});
}

TEST_F(MemoryTest, ReusedMemoryIsStaleUnlessFresh) {
  const int first = memory_.place("a", 1024, 64);
  memory_.write(1024, DType::f16, number(5), 1);
  memory_.release(first);
  EXPECT_EQ(memory_.shadow(1024).zone, MemoryZone::unmapped);
  memory_.place("b", 1024, 64);
  EXPECT_EQ(memory_.read(1024, DType::f16, 2).real, 5);
  memory_.place("c", 1024, 64, kGuardBytes, true);
  EXPECT_EQ(memory_.cell(1024), domain_.poison_cell(3, 0));
}

// The allocation placed last names a byte, and any allocation's own bytes come before a guard zone.
TEST_F(MemoryTest, OverlappingAllocations) {
  const int a = memory_.place("a", 1024, 256);
  const int b = memory_.place("b", 1152, 256);
  EXPECT_EQ(memory_.map().at(1151).region, a);
  EXPECT_EQ(memory_.map().at(1151).zone, MemoryZone::body);
  EXPECT_EQ(memory_.map().at(1152).region, b);
  EXPECT_EQ(memory_.map().at(1279).region, b);
  EXPECT_EQ(memory_.map().at(1407).region, b);
  EXPECT_EQ(memory_.map().at(1408).zone, MemoryZone::guard);
  EXPECT_EQ(memory_.map().at(1536).zone, MemoryZone::unmapped);
}

TEST_F(MemoryTest, TheLogIsBounded) {
  const int64_t x = address(memory_.allocate("x", 65536));
  for (int64_t i = 0; i < 10000; ++i) memory_.read(x + 4 * i, DType::f16, 1);
  EXPECT_EQ(memory_.events().kept().size(), MemoryEventLog::kKept);
  EXPECT_EQ(memory_.events().dropped(), 10000 - static_cast<int64_t>(MemoryEventLog::kKept));
}

TEST_F(MemoryTest, FlippedCells) {
  const int64_t x = address(memory_.allocate("x", 64));
  memory_.write(x, DType::f16, number(1), 1);
  memory_.replace_cell(x + 1, domain_.flip_cell(memory_.cell(x + 1), 0x80));
  EXPECT_EQ(memory_.read(x, DType::f16, 2).real, -1);
  memory_.replace_cell(x + 3, std::byte{0});
  EXPECT_EQ(memory_.shadow(x + 3).writer, 0);
}

}  // namespace
}  // namespace faultline
