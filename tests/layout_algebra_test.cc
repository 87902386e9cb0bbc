// The layout algebra against rows worked from the public rules of five machines (docs/sources.md, Layout algebra):
// allocation bytes and positions of named elements; and against its own
// definition, by enumeration.
#include <gtest/gtest.h>

#include <map>

#include "runtime/base/error.h"
#include "runtime/layers/layout/device_layout.h"

namespace faultline {
namespace {

struct Spot {
  std::vector<int64_t> host;
  int64_t element = 0;  // within its memory
};
struct Row {
  const char* layout;
  Sizes sizes;
  int64_t bytes = 0;
  std::vector<Spot> spots;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> rows = {
      // Spyre
      {"{0,64,2}{0,1,64} x2B undefined", {65}, 256, {{{0}, 0}, {{63}, 63}, {{64}, 64}}},
      {"{1,1,100}{2,64,3}{0,1,5}{2,1,64} x2B undefined",
       {5, 100, 150},
       192000,
       {{{2, 37, 131}, 36291}, {{0, 0, 64}, 320}, {{0, 1, 0}, 960}, {{1, 0, 0}, 64}, {{4, 99, 149}, 95957}}},
      {"{1,1,256}{-1,1,1}{0,1,512}{-1,1,64} x2B undefined",
       {512, 256},
       16777216,
       {{{0, 1}, 32768}, {{1, 0}, 64}, {{511, 255}, 8388544}}},
      {"{0,25,4,core}{1,64,3}{0,1,25}{1,1,64} x2B undefined", {100, 150}, 9600, {{{37, 131}, 3971}}},
      {"{0,1,5}{-1,1,64} x2B undefined", {5}, 640, {{{4}, 256}}},
      {"{0,128,1}{0,16,4}{0,4,4}{0,64,2}{0,1,4} x4B undefined",
       {128},
       512,
       {{{0}, 0}, {{3}, 3}, {{64}, 4}, {{67}, 7}, {{4}, 8}, {{7}, 11}, {{68}, 12}, {{71}, 15}}},
      // GPU
      {"{0,1,65} x2B undefined", {65}, 130, {{{64}, 64}}},
      {"{0,1,5}{1,1,100}{2,1,150} x2B undefined", {5, 100, 150}, 150000, {{{2, 37, 131}, 35681}}},
      {"{0,1,5}{1,1,15040} x2B undefined", {5, 15000}, 150400, {{{2, 37 * 150 + 131}, 35761}, {{1, 0}, 15040}}},
      {"{0,1,5}{1,1,100}{2,1,192} x2B undefined", {5, 100, 150}, 192000, {{{2, 37, 131}, 45635}}},
      {"{0,1,2}{2,1,5}{3,1,7}{1,1,3} x2B undefined", {2, 3, 5, 7}, 420, {{{0, 1, 0, 0}, 1}, {{1, 2, 4, 6}, 209}}},
      // TPU
      {"{0,256,1}{0,1,128}{0,128,2} x2B undefined", {65}, 512, {{{1}, 2}, {{64}, 128}}},
      {"{0,512,1}{0,256,2}{0,1,128}{0,128,2} x2B undefined", {300}, 1024, {{{128}, 1}, {{256}, 256}, {{299}, 342}}},
      {"{0,1,5}{1,8,13}{2,128,2}{1,2,4}{2,1,128}{1,1,2} x2B undefined",
       {5, 100, 150},
       266240,
       {{{2, 37, 131}, 62983}, {{0, 1, 0}, 1}, {{0, 0, 64}, 128}, {{1, 0, 0}, 26624}}},
      {"{0,1,5}{1,8,13}{2,128,2}{1,1,8}{2,1,128} x4B undefined",
       {5, 100, 150},
       532480,
       {{{2, 37, 131}, 63107}, {{0, 1, 0}, 128}}},
      {"{0,1,5}{1,32,4}{2,128,2}{1,4,8}{2,1,128}{1,1,4} x1B undefined", {5, 100, 150}, 163840, {{{2, 37, 131}, 78349}}},
      {"{0,2,2}{1,2,3}{0,1,2}{1,1,2} x4B undefined", {3, 5}, 96, {{{2, 3}, 17}}},
      // WSE; bytes are those of one PE
      {"{0,9,8,pe_x}{0,1,9} x2B zero", {65}, 18, {{{64}, 1}, {{63}, 0}}},
      {"{1,25,4,pe_y}{2,38,4,pe_x}{0,1,5}{2,1,38}{1,1,25} x2B zero",
       {5, 100, 150},
       9500,
       {{{2, 37, 131}, 2337}, {{4, 99, 149}, 4699}, {{0, 1, 0}, 1}, {{1, 0, 0}, 950}}},
      {"{0,1,8,pe_x}{0,8,9} x2B zero", {65}, 18, {{{64}, 8}, {{9}, 1}}},
      // LPU; the memory is the word addresses
      {"{byte,1,2,slice}{0,320,1,addr}{0,16,20,tile}{0,1,16,lane} x1B undefined", {65}, 1, {{{64}, 0}}},
      {"{byte,1,2,slice}{0,1,5,addr}{1,1,100,addr}{2,320,1,addr}{2,16,20,tile}{2,1,16,lane} x1B undefined",
       {5, 100, 150},
       500,
       {{{2, 37, 131}, 237}, {{4, 99, 149}, 499}}},
      {"{byte,1,2,slice}{0,1,2,addr}{1,320,3,addr}{1,16,20,tile}{1,1,16,lane} x1B undefined",
       {2, 700},
       6,
       {{{1, 699}, 5}, {{0, 320}, 1}}},
  };
  return rows;
}

TEST(LayoutAlgebra, WorkedRows) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.layout);
    const DeviceLayout layout = parse_device_layout(row.layout);
    EXPECT_EQ(layout.bytes(), row.bytes);
    EXPECT_EQ(check_layout(layout, row.sizes), "");
    for (const Spot& spot : row.spots) EXPECT_EQ(layout.address(spot.host), spot.element * layout.element_bytes);
    EXPECT_EQ(to_text(layout), row.layout);
  }
}

TEST(LayoutAlgebra, CoordinatesNameTheSpace) {
  const std::vector<int64_t> at = {37, 131};
  EXPECT_EQ(parse_device_layout("{0,25,4,core}{1,64,3}{0,1,25}{1,1,64} x2B undefined").coordinates(at),
            (std::vector<int64_t>{1, 2, 12, 3}));
  const std::vector<int64_t> element = {2, 37, 131};
  EXPECT_EQ(parse_device_layout(
                "{byte,1,2,slice}{0,1,5,addr}{1,1,100,addr}{2,320,1,addr}{2,16,20,tile}{2,1,16,lane} x1B undefined")
                .coordinates(element),
            (std::vector<int64_t>{0, 2, 37, 0, 8, 3}));
  EXPECT_EQ(parse_device_layout("{1,25,4,pe_y}{2,38,4,pe_x}{0,1,5}{2,1,38}{1,1,25} x2B zero").coordinates(element),
            (std::vector<int64_t>{1, 3, 2, 17, 12}));
}

// The public SUMMA example: A[4,4] on 2 x 2 PEs holds 0 4 1 5 / 2 6 3 7 / 8 12 9 13 / ...
TEST(LayoutAlgebra, BlocksOverAGrid) {
  const DeviceLayout layout = parse_device_layout("{0,2,2,pe_y}{1,2,2,pe_x}{1,1,2}{0,1,2} x2B zero");
  ASSERT_EQ(check_layout(layout, {4, 4}), "");
  std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> held;
  for (int64_t row = 0; row < 4; ++row) {
    for (int64_t column = 0; column < 4; ++column) {
      const std::vector<int64_t> host = {row, column};
      const std::vector<int64_t> at = layout.coordinates(host);
      std::vector<int64_t>& cells = held[{at[0], at[1]}];
      cells.resize(4);
      cells[layout.address(host) / 2] = row * 4 + column;
    }
  }
  EXPECT_EQ((held[{0, 0}]), (std::vector<int64_t>{0, 4, 1, 5}));
  EXPECT_EQ((held[{0, 1}]), (std::vector<int64_t>{2, 6, 3, 7}));
  EXPECT_EQ((held[{1, 0}]), (std::vector<int64_t>{8, 12, 9, 13}));
}

// Definition against definition: no two host indices share (coordinates), and every address lies within the allocation.
TEST(LayoutAlgebra, OneToOneByEnumeration) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.layout);
    if (row.bytes > 1000000) continue;
    const DeviceLayout layout = parse_device_layout(row.layout);
    std::map<std::vector<int64_t>, int> seen;
    std::vector<int64_t> host(row.sizes.size(), 0);
    for (int64_t flat = 0; flat < element_count(row.sizes); ++flat) {
      const std::vector<int64_t> at = layout.coordinates(host);
      ASSERT_EQ(seen[at]++, 0);
      for (size_t j = 0; j < at.size(); ++j) ASSERT_LT(at[j], layout.dims[j].extent);
      ASSERT_LT(layout.address(host), layout.bytes());
      for (size_t d = host.size(); d-- > 0 && ++host[d] == row.sizes[d];) host[d] = 0;
    }
  }
}

TEST(LayoutAlgebra, IllegalLayoutsAreNamed) {
  const auto check = [](const char* text, const Sizes& sizes) {
    return check_layout(parse_device_layout(text), sizes);
  };
  EXPECT_EQ(check("{0,64,1}{0,1,64} x2B undefined", {65}),
            "index 64 of dim 0 has no position: the layout holds 64 of 65");
  EXPECT_EQ(check("{0,32,2}{0,1,64} x2B undefined", {65}), "index 32 of dim 0 has 2 positions");
  EXPECT_EQ(check("{0,65,2}{0,1,64} x2B undefined", {70}), "index 64 of dim 0 has no position");
  EXPECT_EQ(check("{1,64,3}{1,1,64} x2B undefined", {100, 150}),
            "index 1 of dim 0 has no position: the layout holds 1 of 100");
  EXPECT_EQ(check("{2,1,4} x2B undefined", {4}), "device dim 0 names host dim 2 of 1");
  EXPECT_EQ(check("{0,1,0} x2B undefined", {4}), "device dim 0 has extent 0");
  EXPECT_EQ(check("{0,0,4} x2B undefined", {4}), "device dim 0 has step 0");
  EXPECT_EQ(check("{0,3,2}{0,1,4} x2B undefined", {7}), "index 3 of dim 0 has 2 positions");
  EXPECT_EQ(check("{0,1,3}{0,5,2} x2B undefined", {3}), "");
  // Every index has one position, yet not where division looks for it.
  EXPECT_EQ(check("{0,1,4}{0,2,1} x2B undefined", {4}),
            "index 2 of dim 0 lies at 0 of device dim 1, where division finds 1");
}

TEST(LayoutAlgebra, SizeOneDimsChangeNothing) {
  const DeviceLayout plain = parse_device_layout("{0,64,2}{0,1,64} x2B undefined");
  const DeviceLayout with_one = parse_device_layout("{1,64,2}{0,1,1}{1,1,64} x2B undefined");
  EXPECT_EQ(check_layout(with_one, {1, 65}), "");
  for (int64_t i = 0; i < 65; ++i) {
    const std::vector<int64_t> a = {i}, b = {0, i};
    EXPECT_EQ(plain.address(a), with_one.address(b));
  }
}

// Beyond the extent of the outermost dim the address goes on, in the other dims it wraps.
TEST(LayoutAlgebra, BeyondTheExtent) {
  const DeviceLayout floored = parse_device_layout("{0,64,1}{0,1,64} x2B undefined");
  const std::vector<int64_t> last = {64};
  EXPECT_EQ(floored.address(last), 128);
  EXPECT_EQ(floored.bytes(), 128);
  const std::vector<int64_t> before = {-1};
  EXPECT_EQ(floored.address(before), -2);
}

TEST(LayoutAlgebra, BadTextIsRefused) {
  for (const char* text : {"", "{0,64,2", "{0,64,2} 2B", "{0,64,2} x2B undefine", "{0,,2} x2B zero",
                           "{0,1,2,} x2B zero", "{0,1,2} x2B zero "}) {
    EXPECT_THROW(parse_device_layout(text), UserError) << text;
  }
}

}  // namespace
}  // namespace faultline
