// The picture as SVG, read back by an XML parser that is not ours: Python's.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <fstream>

#include "reports/picture.h"
#include "runtime/run/device_placements.h"

namespace faultline {
namespace {

struct Answer {
  std::string text;
  int code = -1;
};

Answer answer_of(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  Answer answer;
  std::array<char, 4096> part;
  for (size_t n; (n = fread(part.data(), 1, part.size(), pipe)) > 0;) answer.text.append(part.data(), n);
  const int status = pclose(pipe);
  answer.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return answer;
}

// Runs Python with the document's root as `root`.
Answer read_back(const std::string& svg, const std::string& statements) {
  const std::string path = testing::TempDir() + "picture_svg_test.svg",
                    program = testing::TempDir() + "picture_svg_test.py";
  std::ofstream(path) << svg;
  std::ofstream(program) << "import sys, xml.etree.ElementTree as tree\n"
                            "root = tree.parse(sys.argv[1]).getroot()\n"
                            "S = '{http://www.w3.org/2000/svg}'\n"
                            "def boxes(css): return [tuple(int(box.get(k)) for k in ('x', 'y', 'width', 'height'))\n"
                            "                        for box in root.iter(S + 'rect') if box.get('class') == css]\n"
                         << statements;
  return answer_of("python3 '" + program + "' '" + path + "'");
}

class PictureSvg : public ::testing::Test {
 protected:
  void SetUp() override {
    if (answer_of("python3 -c 'import xml.etree.ElementTree'").code != 0)
      GTEST_SKIP() << "no python3 with its XML parser";
  }
};

// 4x7, the last three columns of its last two rows wrong; on the device two columns of four sticks of 4, the last lane
// of the second column padding.
Verdict tile() {
  WrongTensor tensor;
  tensor.name = "y";
  tensor.role = "output";
  tensor.total = 28;
  tensor.wrong = 6;
  tensor.pattern = "tile (1,1) of 2x4";
  tensor.map = WrongMap{"f32[4,7]", {4, 7}, std::vector<uint8_t>(28, 0), {2, 4}, std::nullopt};
  for (const size_t k : {18, 19, 20, 25, 26, 27}) tensor.map->failing[k] = 1;
  tensor.map->device = placement_of(parse_device_layout("{1,4,2}{0,1,4}{1,1,4} x4B undefined"), {4, 7});
  Verdict verdict;
  verdict.case_line = "on=spyre program=@tile.fl";
  verdict.tensors = {tensor};
  return verdict;
}

// Cells are 24 wide and high. Each of the two wrong rows is one run of three cells; on the device too, with a cell of
// padding behind each of the four sticks of the second column.
TEST_F(PictureSvg, TheCellsAreWhereTheElementsAre) {
  const Answer answer = read_back(picture_svg(tile()),
                                  "frame, device = boxes('frame')\n"
                                  "print(frame[2:], device[2:])\n"
                                  "wrong = [box for box in boxes('wrong4') if box[3] == 24]\n"
                                  "for left, top, width, height in wrong:\n"
                                  "    at = frame if left < device[0] else device\n"
                                  "    print((left - at[0]) // 24, (top - at[1]) // 24, width // 24)\n"
                                  "for left, top, width, height in boxes('padding')[1:]:\n"
                                  "    print((left - device[0]) // 24, (top - device[1]) // 24, width // 24)\n");
  EXPECT_EQ(answer.code, 0) << answer.text;
  EXPECT_EQ(answer.text,
            "(168, 96) (96, 192)\n"
            "4 2 3\n4 3 3\n"
            "0 6 3\n0 7 3\n"
            "3 4 1\n3 5 1\n3 6 1\n3 7 1\n");
}

TEST_F(PictureSvg, SaysInWordsWhatItShows) {
  const Answer answer = read_back(picture_svg(tile()),
                                  "print(root.tag == S + 'svg', root.get('role'), root.get('aria-labelledby'))\n"
                                  "print(root.find(S + 'title').get('id'), root.find(S + 'desc').get('id'))\n"
                                  "print(root.find(S + 'desc').text)\n");
  EXPECT_EQ(answer.text,
            "True img title description\ntitle description\n"
            "y: 6 of 28 elements wrong; tile (1,1) of 2x4. Case: on=spyre program=@tile.fl\n");
}

TEST_F(PictureSvg, AnyNameIsText) {
  Verdict verdict = tile();
  verdict.tensors[0].name = "<y> & \"z\" \x01\xff]]>";
  verdict.case_line = "</desc>&amp;";
  const Answer answer = read_back(picture_svg(verdict), "print(root.find(S + 'desc').text)\n");
  EXPECT_EQ(answer.text, "<y> & \"z\" ??]]>: 6 of 28 elements wrong; tile (1,1) of 2x4. Case: </desc>&amp;\n");
}

TEST_F(PictureSvg, ThePicturesOfEqualVerdictsAreEqualAndOfNoneSaySo) {
  EXPECT_EQ(picture_svg(tile()), picture_svg(tile()));
  const Answer answer = read_back(picture_svg({}), "print(root.find(S + 'text').text)\n");
  EXPECT_EQ(answer.text, "nothing to show: there is no tensor with wrong elements\n");
}

// What the parser is there for.
TEST_F(PictureSvg, TheParserRefusesWhatIsNotXml) {
  EXPECT_NE(read_back("<svg><a></svg>", "").code, 0);
  EXPECT_NE(read_back("<svg>&</svg>", "").code, 0);
}

}  // namespace
}  // namespace faultline
