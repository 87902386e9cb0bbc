// Damaged .pt2 files: cut short, with flipped bytes, and with changed JSON behind a right CRC. Each is refused with
// one line or read as a Program that its text form reads back; nothing else may happen, under the sanitizers as well.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "runtime/base/error.h"
#include "runtime/base/philox.h"
#include "runtime/ir/program_text.h"
#include "runtime/ir/pt2/reader.h"
#include "tests/zip_writer.h"

namespace faultline {
namespace {

using nlohmann::json;

std::string model_bytes(const std::string& name) {
  std::ifstream file(std::string(FAULTLINE_SOURCE_DIR) + "/corpora/pt2/" + name + ".pt2", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Counts {
  int refused = 0, accepted = 0;
};

void check(std::string_view bytes, Counts& counts) {
  try {
    const Program program = read_pt2(as_bytes(bytes), "f.pt2");
    ASSERT_EQ(parse_program(to_text(program), "text"), program) << to_text(program);
    ++counts.accepted;
  } catch (const UserError& error) {
    const std::string line = error.what();
    ASSERT_EQ(line.rfind("f.pt2: ", 0), 0u) << line;
    ASSERT_TRUE(std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; })) << line;
    ++counts.refused;
  }
}

TEST(Pt2Damage, CutShort) {
  Counts counts;
  for (const char* name : {"mlp_f32.aten", "state_f32.export", "dynamic_f32.aten"}) {
    const std::string bytes = model_bytes(name);
    for (size_t percent = 0; percent < 100; ++percent)
      check(std::string_view(bytes).substr(0, bytes.size() * percent / 100), counts);
  }
  EXPECT_EQ(counts.refused, 300);  // the directory stands at the end
}

TEST(Pt2Damage, FlippedBytes) {
  Counts counts;
  PhiloxStream draws(1, "flipped");
  const std::string original = model_bytes("state_f32.aten");
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = original;
    // The last bytes hold the directory, which no CRC guards: every second flip falls there.
    const auto size = static_cast<uint32_t>(bytes.size());
    const uint32_t at = i % 2 ? draws.below(size) : size - 1 - draws.below(2500);
    bytes[at] = static_cast<char>(bytes[at] ^ (1 + draws.below(255)));
    check(bytes, counts);
  }
  EXPECT_GT(counts.refused, 1000);
  EXPECT_GT(counts.accepted, 20);  // dates, attributes and other fields that do not matter
}

TEST(Pt2Damage, FlippedBytesOfTheJson) {
  Counts counts;
  PhiloxStream draws(2, "json");
  const std::string original = model_bytes("state_f32.export");
  const std::string model = "models/model.json", weights = "data/weights/model_weights_config.json";
  for (int i = 0; i < 800; ++i) {
    const std::string& member = i % 4 ? model : weights;
    std::string text(Archive(as_bytes(original), "original").read_text(member));
    const uint32_t at = draws.below(static_cast<uint32_t>(text.size()));
    if (draws.below(2))
      text[at] = static_cast<char>('0' + draws.below(10));
    else
      text[at] = static_cast<char>(draws.below(256));
    check(with_member(original, member, &text), counts);
  }
  EXPECT_GT(counts.refused, 100);
  EXPECT_GT(counts.accepted, 100);
}

// Every value of a document, in document order.
void collect(json& value, std::vector<json*>& all) {
  all.push_back(&value);
  if (value.is_structured())
    for (json& element : value) collect(element, all);
}

TEST(Pt2Damage, ChangedValuesOfTheJson) {
  Counts counts;
  PhiloxStream draws(3, "values");
  const std::vector<json> strange = {nullptr,
                                     true,
                                     0,
                                     -1,
                                     1,
                                     7,
                                     1099511627777,
                                     INT64_MAX,
                                     INT64_MIN,
                                     UINT64_MAX,
                                     0.5,
                                     "",
                                     "x",
                                     "Infinity",
                                     "a\nb\"\\",
                                     json::array(),
                                     json::object(),
                                     json::parse(R"({"as_none": true})"),
                                     json::parse(R"({"as_int": 2})"),
                                     json::parse(R"({"name": "x"})"),
                                     "self",
                                     "f32"};
  for (const char* name : {"state_f32.aten", "dynamic_f32.aten", "reads_f32.export"}) {
    const std::string original = model_bytes(name);
    const json document = json::parse(Archive(as_bytes(original), name).read_text("models/model.json"));
    for (int i = 0; i < 250; ++i) {
      json changed = document;
      std::vector<json*> all;
      collect(changed, all);
      const auto any = [&] { return all[draws.below(static_cast<uint32_t>(all.size()))]; };
      json* place = any();
      if (draws.below(2))
        *place = strange[draws.below(static_cast<uint32_t>(strange.size()))];
      else
        *place = json(*any());
      const std::string text = changed.dump();
      check(with_member(original, "models/model.json", &text), counts);
    }
  }
  EXPECT_GT(counts.refused, 150);
  EXPECT_GT(counts.accepted, 150);
}

}  // namespace
}  // namespace faultline
