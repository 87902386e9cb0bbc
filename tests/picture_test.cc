// Maps of wrong elements, worked out by hand: which cell of the logical and of the device map each of them is in.
#include <gtest/gtest.h>

#include <algorithm>

#include "reports/picture.h"
#include "reports/wrong_plane.h"
#include "runtime/run/device_placements.h"

namespace faultline {
namespace {

WrongTensor tensor_of(const std::string& type, Sizes sizes, const std::vector<size_t>& wrong) {
  WrongTensor tensor;
  tensor.name = "y";
  tensor.role = "output";
  tensor.total = element_count(sizes);
  tensor.wrong = static_cast<int64_t>(wrong.size());
  tensor.map = WrongMap{type, sizes, {}, std::vector<int64_t>(sizes.size(), 0), std::nullopt};
  tensor.map->failing.assign(static_cast<size_t>(tensor.total), 0);
  for (const size_t k : wrong) tensor.map->failing[k] = 1;
  return tensor;
}

void place(const std::string& layout, WrongTensor& tensor) {
  tensor.map->device = placement_of(parse_device_layout(layout), tensor.map->sizes);
}

std::string picture_of(const WrongTensor& tensor, PictureStyle style = {.unicode = true}) {
  Verdict verdict;
  verdict.tensors = {tensor};
  return picture_text(verdict, style);
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// 65 16-bit elements lie in two sticks of 64: the last one in lane 0 of stick 1, with 63 lanes of padding behind it.
WrongTensor clone65(const std::string& layout = "{0,64,2}{0,1,64} x2B undefined") {
  WrongTensor tensor = tensor_of("f16[65]", {65}, {64});
  tensor.pattern = "tail of dim 0 beyond k*64";
  tensor.what = "unwritten";
  tensor.unit = "stick 64";
  tensor.map->units = {64};
  place(layout, tensor);
  tensor.map->device->row_name = "stick";
  return tensor;
}

TEST(Picture, TheLastOf65IsLaneZeroOfStickOne) {
  EXPECT_EQ(picture_of(clone65()),
            "\npicture\n"
            "  · right, ░▒▓█ wrong: up to 1/4, 1/2, 3/4, all of a cell, ╌ padding\n"
            "\n"
            "  y: 1 of 65 elements wrong; tail of dim 0 beyond k*64: unwritten (stick 64)\n"
            "\n"
            "    logical f16[65]\n"
            "    dim 0 in rows of 64 across\n"
            "     0 " +
                repeated("·", 64) +
                "\n"
                "    64 █\n"
                "       0" +
                std::string(61, ' ') +
                "63\n"
                "\n"
                "    device {0,64,2}{0,1,64} x2B undefined\n"
                "    lane of a stick across, stick down\n"
                "    0 " +
                repeated("·", 64) +
                "\n"
                "    1 █" +
                repeated("╌", 63) +
                "\n"
                "      0" +
                std::string(61, ' ') + "63\n");
}

TEST(Picture, AsciiHasNoOtherByte) {
  const std::string text = picture_of(clone65(), {});
  EXPECT_NE(text.find("    1 #" + std::string(63, '_') + "\n"), std::string::npos) << text;
  for (const char c : text) ASSERT_LT(static_cast<unsigned char>(c), 0x80) << text;
}

TEST(Picture, ColourIsAChangeOfInkAndNothingElse) {
  const std::string coloured = picture_of(clone65(), {.colour = true});
  EXPECT_NE(coloured.find("\x1b[0;31m#\x1b[0;2m" + std::string(63, '_') + "\x1b[0m\n"), std::string::npos) << coloured;
  std::string plain;
  for (size_t i = 0; i < coloured.size(); ++i)
    if (coloured[i] == '\x1b')
      i = coloured.find('m', i);
    else
      plain += coloured[i];
  EXPECT_EQ(plain, picture_of(clone65(), {}));
}

// The layout that forgot the last stick: the element's address is behind the one stick that there is.
TEST(Picture, AnElementOutsideOfItsLayoutIsSaid) {
  const std::string text = picture_of(clone65("{0,64,1}{0,1,64} x2B undefined"), {});
  EXPECT_NE(text.find("    1 element lies outside of the layout, which ends at position 64\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("    1 #\n"), std::string::npos) << text;  // no padding behind it
}

// Tile (1,1) of 2x4 in 4x7: rows 2 and 3, columns 4 to 6. The device has two columns of four sticks of 4 elements, and
// the last lane of the second column is padding.
TEST(Picture, ATileInBothCoordinates) {
  WrongTensor tensor = tensor_of("f32[4,7]", {4, 7}, {18, 19, 20, 25, 26, 27});
  tensor.map->units = {2, 4};
  place("{1,4,2}{0,1,4}{1,1,4} x4B undefined", tensor);
  EXPECT_EQ(tensor.map->device->positions[18], 24);  // row 2, column 4: second column, stick 6, lane 0
  EXPECT_EQ(tensor.map->device->positions[27], 30);
  EXPECT_EQ(picture_of(tensor),
            "\npicture\n"
            "  · right, ░▒▓█ wrong: up to 1/4, 1/2, 3/4, all of a cell, ╌ padding\n"
            "\n"
            "  y: 6 of 28 elements wrong\n"
            "\n"
            "    logical f32[4,7]            device {1,4,2}{0,1,4}{1,1,4} x4B undefined\n"
            "    dim 1 across, dim 0 down    lane of a row across, row down\n"
            "    0 ····│···                  0 ····\n"
            "    1 ····│···                  1 ····\n"
            "      ────┼───                  2 ····\n"
            "    2 ····│███                  3 ····\n"
            "    3 ····│███                    ────\n"
            "      0      6                  4 ···╌\n"
            "                                5 ···╌\n"
            "                                6 ███╌\n"
            "                                7 ███╌\n"
            "                                  0  3\n");
}

// Four cores that take turns: element 5 is the second one that core 1 has, behind the 25 of core 0.
TEST(Picture, MemoriesOfCoresStandOneBehindTheOther) {
  const DevicePlacement placement = placement_of(parse_device_layout("{0,1,4,core}{0,4,25} x2B undefined"), {100});
  EXPECT_EQ(placement.held, 100);
  EXPECT_EQ(placement.row, 25);
  EXPECT_EQ(placement.positions[5], 26);
  EXPECT_EQ(placement.positions[99], 99);
}

// 8x8 in cells of 2x2: one wrong of four, two, three, four.
TEST(Picture, SharesOfACellAreShades) {
  const WrongTensor tensor = tensor_of("f32[8,8]", {8, 8}, {0, 2, 3, 4, 5, 12, 6, 7, 14, 15});
  const std::vector<WrongPlane> planes = planes_of(tensor);
  ASSERT_EQ(planes.size(), 1U);
  const PlaneCells cells = shrink(planes[0], 4, 4);
  EXPECT_EQ(cells.step_across, 2);
  EXPECT_EQ(cells.step_down, 2);
  for (int64_t column = 0; column < 4; ++column) {
    EXPECT_EQ(cells.at(0, column), (PlaneCell{true, 4, column + 1}));
    EXPECT_EQ(cells.at(0, column).shade(), column + 1);
    EXPECT_EQ(cells.at(1, column).shade(), 0);
  }
}

// One wrong element of a million is seen: element 543210 is (5,43,210), in row 543 of 1000. A thousand rows in 24 are
// 42 each, and 50 are in step with the planes of 100; a thousand columns in 84 are 12 each: row 10, column 17.
TEST(Picture, OneOfAMillion) {
  const std::string text = picture_of(tensor_of("f32[10,100,1000]", {10, 100, 1000}, {543210}), {.columns = 100});
  EXPECT_NE(text.find("dim 2 across, dims 0 to 1 down; a cell is 50 x 12"), std::string::npos) << text;
  EXPECT_NE(text.find("\n     5,0 " + std::string(17, '.') + ":" + std::string(66, '.') + "\n"), std::string::npos)
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), ':'), 5) << text;  // four in words: one in the map
  size_t widest = 0;
  for (size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    widest = std::max(widest, end - at);
  EXPECT_LE(widest, 100U);
}

// A period shows as lines: a vector's rows hold whole ones.
TEST(Picture, AVectorIsFoldedInWholePeriods) {
  WrongTensor tensor = tensor_of("i32[70]", {70}, {9, 19, 29, 39, 49, 59, 69});
  tensor.map->units = {10};
  const std::string ten = ".........#";
  EXPECT_NE(picture_of(tensor, {})
                .find("    dim 0 in rows of 60 across\n"
                      "     0 " +
                      ten + repeated("|" + ten, 5) +
                      "\n"
                      "    60 " +
                      ten + "\n"),
            std::string::npos)
      << picture_of(tensor, {});
}

TEST(Picture, ANumberIsOneCell) {
  const std::string text = picture_of(tensor_of("f32[]", {}, {0}), {});
  EXPECT_NE(text.find("    the one element across\n    0 #\n      0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("device coordinates are not known"), std::string::npos);
}

TEST(Picture, NothingToShow) {
  const std::string nothing = "\npicture\n  nothing to show: there is no tensor with wrong elements\n";
  EXPECT_EQ(picture_text({}), nothing);
  EXPECT_EQ(picture_of(tensor_of("f32[0,4]", {0, 4}, {})), nothing);
  WrongTensor other_shape;  // metadata differ, so there are no elements to compare
  other_shape.metadata = "f32[2], eager has f32[3]";
  EXPECT_EQ(picture_of(other_shape), nothing);
}

TEST(Picture, NamesCannotSteerTheTerminal) {
  WrongTensor tensor = clone65();
  tensor.name = "y\x1b[2J\nz";
  const std::string text = picture_of(tensor, {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("  y?[2J z: 1 of 65"), std::string::npos) << text;
}

}  // namespace
}  // namespace faultline
