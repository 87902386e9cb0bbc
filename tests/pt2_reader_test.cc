// The .pt2 reader against torch's own account of the same exports (corpora/pt2/*.json, written by
// python/export_models.py), and against archives that are wrong in one place.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "runtime/base/error.h"
#include "runtime/ir/program_text.h"
#include "runtime/ir/pt2/reader.h"
#include "runtime/ir/pt2/schema.h"
#include "tests/zip_writer.h"

namespace faultline {
namespace {

const std::string kFolder = std::string(FAULTLINE_SOURCE_DIR) + "/corpora/pt2/";

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> models() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    if (entry.path().extension() == ".pt2") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

DType torch_dtype(const std::string& name) {
  static const std::map<std::string, DType> names = {{"float32", DType::f32},
                                                     {"float16", DType::f16},
                                                     {"bfloat16", DType::bf16},
                                                     {"int64", DType::i64},
                                                     {"bool", DType::boolean}};
  return names.at(name);
}

// One line per operator: what torch lists and what the Program lists must read the same.
std::vector<std::string> expected_calls(const nlohmann::json& account) {
  std::vector<std::string> lines;
  for (const auto& call : account.at("calls")) {
    const std::string op = call.at("op");
    const bool is_operator = op.rfind("aten.", 0) == 0;
    if (op.find("_assert_") != std::string::npos || (call.at("symbol") && (call.at("known") || !is_operator))) continue;
    if (op == "aten.item.default" || op == "aten._local_scalar_dense.default") {
      lines.push_back("item");
      continue;
    }
    std::string line =
        fmt::format("{} results={} arguments={}", op, call.at("results").get<int>(), call.at("arguments").get<int>());
    for (const auto& keyword : call.at("keywords")) line += " " + keyword.get<std::string>();
    lines.push_back(line);
  }
  for (size_t i = 0; i < account.at("input_mutations").size(); ++i)
    lines.push_back("aten.copy_.default results=0 arguments=2");
  return lines;
}

std::vector<std::string> program_calls(const Program& program) {
  std::vector<std::string> lines;
  for (const Statement& statement : program.body) {
    if (std::holds_alternative<ItemStatement>(statement.value)) lines.push_back("item");
    const auto* call = std::get_if<CallStatement>(&statement.value);
    if (!call) continue;
    std::string line =
        fmt::format("{} results={} arguments={}", call->target, call->results.size(), call->arguments.size());
    std::vector<std::string> keywords;
    for (const auto& [name, argument] : call->keywords) keywords.push_back(name);
    std::sort(keywords.begin(), keywords.end());
    for (const std::string& keyword : keywords) line += " " + keyword;
    lines.push_back(line);
  }
  return lines;
}

// The bytes of the elements in row-major order, as torch's contiguous() gives them.
std::vector<std::byte> dense_bytes(const Tensor& tensor) {
  std::vector<std::byte> bytes;
  const int64_t size = byte_size(tensor.type.dtype);
  for (int64_t flat = 0; flat < element_count(tensor.type.sizes); ++flat) {
    const std::byte* element = tensor.data() + storage_index(tensor.type, flat) * size;
    bytes.insert(bytes.end(), element, element + size);
  }
  return bytes;
}

class Exported : public testing::TestWithParam<std::string> {
 protected:
  const nlohmann::json account_ = nlohmann::json::parse(file_text(kFolder + GetParam() + ".json"));
  const Program program_ = read_pt2(kFolder + GetParam() + ".pt2");
};

TEST_P(Exported, CallsAreThoseOfTorch) { EXPECT_EQ(program_calls(program_), expected_calls(account_)); }

TEST_P(Exported, WeightsHaveTheBytesOfTorch) {
  std::map<std::string, nlohmann::json> expected = account_.at("attributes");
  EXPECT_EQ(program_.attributes.size(), expected.size());
  for (const auto& [name, record] : expected) {
    ASSERT_TRUE(program_.attributes.count(name)) << name;
    const Tensor& tensor = std::get<Tensor>(program_.attributes.at(name).value);
    EXPECT_EQ(tensor.type.dtype, torch_dtype(record.at("dtype"))) << name;
    EXPECT_EQ(tensor.type.sizes, record.at("sizes").get<Sizes>()) << name;
    EXPECT_EQ(tensor.type.strides, record.at("strides").get<Sizes>()) << name;
    EXPECT_EQ(crc32(dense_bytes(tensor)), record.at("crc").get<uint32_t>()) << name;
  }
}

TEST_P(Exported, InputsAndOutputsAreThoseOfTorch) {
  const auto& inputs = account_.at("inputs");
  ASSERT_EQ(program_.parameters.size(), inputs.size());
  for (const Parameter& parameter : program_.parameters) {
    const auto& record = inputs.at(parameter.name);
    EXPECT_EQ(parameter.tensor->dtype, torch_dtype(record.at("dtype")));
    EXPECT_EQ(parameter.tensor->sizes, record.at("sizes").get<Sizes>());
    EXPECT_EQ(parameter.tensor->strides, record.at("strides").get<Sizes>());
  }
  EXPECT_EQ(program_.returns.size(),
            account_.at("outputs").get<size_t>() - account_.at("constant_outputs").get<size_t>());
  std::vector<std::string> written;
  for (const Statement& statement : program_.body)
    if (const auto* write = std::get_if<WriteAttribute>(&statement.value)) written.push_back(write->attribute);
  std::sort(written.begin(), written.end());
  EXPECT_EQ(written, account_.at("buffer_mutations").get<std::vector<std::string>>());
}

TEST_P(Exported, TextFormReadsBack) {
  EXPECT_EQ(parse_program(to_text(program_), "text"), program_);
  EXPECT_EQ(parse_program(to_line(program_), "line"), program_);
}

INSTANTIATE_TEST_SUITE_P(Pt2, Exported, testing::ValuesIn(models()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

TEST(Pt2, TheCorpusHoldsBothKindsOfExport) {
  EXPECT_GE(models().size(), 20u);
  for (const std::string& name : models()) {
    const std::string bytes = file_text(kFolder + name + ".pt2");
    const Archive archive(as_bytes(bytes), name);
    const auto document = nlohmann::json::parse(archive.read_text("models/model.json"));
    const bool direct = name.find(".export") != std::string::npos;
    EXPECT_EQ(document.at("verifiers").at(0), direct ? "TRAINING" : "ATEN") << name;
  }
}

std::string body_text(const std::string& name) {
  const std::string text = to_text(read_pt2(kFolder + name + ".pt2"));
  return text.substr(text.find("def "));
}

TEST(Pt2, SymbolsBecomeTheNumbersOfTheExample) {
  EXPECT_EQ(body_text("dynamic_f32.export"),
            "def dynamic_f32_export(x: f32[2,13,8]):\n"
            "  p_linear_weight = self.linear.weight\n"
            "  p_linear_bias = self.linear.bias\n"
            "  linear = aten.linear.default(x, p_linear_weight, p_linear_bias)\n"
            "  arange = aten.arange.default(7, device = cpu, pin_memory = False)\n"
            "  reshape = aten.reshape.default(linear, [26, -1])\n"
            "  mul_1 = aten.mul.Tensor(reshape, 0.07692307692307693)\n"
            "  zeros = aten.zeros.default([2, 16], device = cpu, pin_memory = False)\n"
            "  return mul_1, arange, zeros\n");
}

TEST(Pt2, NumbersReadFromDataStayScalars) {
  const std::string text = body_text("reads_f32.export");
  EXPECT_NE(text.find("  item = amax.item()\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" = item * 2.0\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" = item_1 + 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("aten.full.default([3], item_1, "), std::string::npos) << text;
  EXPECT_EQ(text.find(">="), std::string::npos) << text;  // only assertions used the comparisons
}

TEST(Pt2, MutationsFollowTheSignature) {
  const std::string functional = body_text("state_f32.aten"), direct = body_text("state_f32.export");
  EXPECT_NE(functional.find("  self.mean = add\n  self.count = add_1\n  aten.copy_.default(cache, where)\n  return"),
            std::string::npos)
      << functional;
  EXPECT_NE(direct.find("mul_ = aten.mul_.Tensor(b_mean, 0.9)"), std::string::npos) << direct;
  EXPECT_NE(direct.find("aten.clamp.default(c_table, None, inf)"), std::string::npos) << direct;
  const Program program = read_pt2(kFolder + "state_f32.aten.pt2");
  EXPECT_EQ(program.attributes.at("right.weight").alias_of, "left.weight");
  EXPECT_EQ(to_text(program.attributes.at("view").type), "f32[3,3]{stride=6,2 offset=6}");
}

TEST(Pt2, IndicesOfAnEmbeddingStayInItsTable) {
  const Program program = read_pt2(kFolder + "encoder_f32.aten.pt2");
  ASSERT_EQ(program.calls.size(), 1u);
  EXPECT_EQ(program.calls[0].inputs.at("ids").data, (DataSource{"integers", {0, 61}}));
}

// Every number of torch's own table, and those around it.
TEST(Pt2, SchemaNumbersAreThoseOfTorch) {
  const auto torch = nlohmann::json::parse(file_text(kFolder + "schema.json"));
  const std::map<std::string, DType> held = {{"BYTE", DType::u8},
                                             {"CHAR", DType::i8},
                                             {"SHORT", DType::i16},
                                             {"INT", DType::i32},
                                             {"LONG", DType::i64},
                                             {"HALF", DType::f16},
                                             {"FLOAT", DType::f32},
                                             {"DOUBLE", DType::f64},
                                             {"BOOL", DType::boolean},
                                             {"BFLOAT16", DType::bf16},
                                             {"FLOAT8E4M3FN", DType::f8e4m3},
                                             {"FLOAT8E5M2", DType::f8e5m2}};
  std::map<int, std::string> names;
  for (const auto& [name, number] : torch.at("ScalarType").items()) names[number] = name;
  size_t found = 0;
  for (int number = -1; number < 50; ++number) {
    const JsonDocument document(std::to_string(number), "f", "m");
    if (names.count(number) && held.count(names[number])) {
      EXPECT_EQ(read_dtype(document.root()), held.at(names[number])) << number;
      ++found;
    } else {
      EXPECT_THROW(read_dtype(document.root()), UserError) << number;
    }
  }
  EXPECT_EQ(found, held.size());
  const std::map<std::string, std::string> formats = {{"ContiguousFormat", "contiguous_format"},
                                                      {"ChannelsLast", "channels_last"},
                                                      {"ChannelsLast3d", "channels_last_3d"},
                                                      {"PreserveFormat", "preserve_format"}};
  for (const auto& [name, number] : torch.at("MemoryFormat").items()) {
    const JsonDocument document(number.dump(), "f", "m");
    if (formats.count(name))
      EXPECT_EQ(read_memory_format(document.root()), formats.at(name));
    else
      EXPECT_THROW(read_memory_format(document.root()), UserError);
  }
  for (const auto& [name, number] : torch.at("Layout").items()) {
    const JsonDocument document(number.dump(), "f", "m");
    if (name == "Strided")
      EXPECT_EQ(read_layout(document.root()), "strided");
    else
      EXPECT_THROW(read_layout(document.root()), UserError);
  }
}

std::string message_of(std::string_view bytes) {
  try {
    read_pt2(as_bytes(bytes), "f.pt2");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Pt2, CrcIsTheOneOfZip) { EXPECT_EQ(crc32(as_bytes("123456789")), 0xCBF43926u); }

TEST(Pt2, ArchivesThatAreNone) {
  EXPECT_EQ(message_of(""), "f.pt2: expected a .pt2 archive (ZIP), found no end record in 0 bytes");
  EXPECT_EQ(message_of(ZipWriter().finish()),
            "f.pt2: expected a member models/<name>.json, found none: no archive of torch.export.save");
  ZipWriter compiled;
  compiled.add({"a/archive_format", "pt2"});
  compiled.add({"a/data/aotinductor/model/x.so", "ELF"});
  EXPECT_EQ(message_of(compiled.finish()),
            "f.pt2: expected an exported program, found an AOTInductor package (compiled code without a graph)");
  ZipWriter old;
  old.add({"a/serialized_exported_program.json", "{}"});
  EXPECT_EQ(message_of(old.finish()),
            "f.pt2: expected the archive of torch 2.8 or newer, found one of an older torch; export it again");
  EXPECT_THROW(read_pt2(std::string("/nonexistent.pt2")), UserError);
  EXPECT_THROW(read_pt2(kFolder), UserError);
}

TEST(Pt2, MembersThatCannotBeRead) {
  const auto of = [](ZipMember first, ZipMember second, bool wide = false) {
    ZipWriter writer;
    writer.add(first);
    writer.add(second);
    return message_of(writer.finish(wide));
  };
  const ZipMember plain{"a/models/m.json", "{}"};
  EXPECT_EQ(of(plain, {"a/x", "1", 8}).substr(0, 60), "f.pt2: at offset 142: member 'x' is compressed, when a .pt2 ");
  EXPECT_NE(of(plain, {"a/x", "1", 0, 9}).find("member 'x' is encrypted"), std::string::npos);
  EXPECT_NE(of(plain, plain).find("member 'models/m.json' stands twice"), std::string::npos);
  // Sizes in 64 bits are read, and then nothing is wrong but the missing mark.
  EXPECT_EQ(of({"a/models/m.json", "{}", 0, 8, true}, {"a/x", "1", 0, 8, true}, true), of(plain, {"a/x", "1"}));
  EXPECT_EQ(of(plain, {"a/x", "1"}), "f.pt2: expected a member 'archive_format'");
}

TEST(Pt2, OverlappingMembersAreRefused) {
  ZipWriter writer;
  writer.add({"a/models/m.json", "{}"});
  writer.add({"a/x", "1"});
  std::string bytes = writer.finish();
  const size_t entry = bytes.rfind("PK\x01\x02");
  ASSERT_NE(entry, std::string::npos);
  bytes.replace(entry + 42, 4, std::string(4, '\0'));  // the second member's header is now the first's
  EXPECT_EQ(message_of(bytes).substr(0, 64), "f.pt2: at offset 0: expected members apart, found two that overl");
}

// state_f32 with a change of its JSON.
std::string changed(const std::string& member, const std::string& pointer, const nlohmann::json& value) {
  const std::string bytes = file_text(kFolder + "state_f32.aten.pt2");
  const Archive archive(as_bytes(bytes), "original");
  auto document = nlohmann::json::parse(archive.read_text(member));
  document.at(nlohmann::json::json_pointer(pointer)) = value;
  const std::string text = document.dump();
  return message_of(with_member(bytes, member, &text));
}

TEST(Pt2, ModelsThatAreWrongInOnePlace) {
  const std::string model = "models/model.json", weights = "data/weights/model_weights_config.json";
  EXPECT_EQ(changed(model, "/torch_version", "9"), "accepted");
  EXPECT_EQ(changed(model, "/schema_version/minor", 99), "accepted");
  EXPECT_EQ(changed(model, "/schema_version/major", 9),
            "f.pt2: member 'models/model.json' at /schema_version/major: expected schema version 8, found 9");
  EXPECT_EQ(changed(model, "/graph_module/graph/nodes", 3),
            "f.pt2: member 'models/model.json' at /graph_module/graph/nodes: expected array, found number");
  EXPECT_EQ(changed(model, "/graph_module/graph/nodes/0/target", "torch.ops.higher_order.cond"),
            "f.pt2: member 'models/model.json' at /graph_module/graph/nodes/0/target: expected an operator such as "
            "torch.ops.aten.add.Tensor, found 'torch.ops.higher_order.cond'");
  EXPECT_EQ(changed(model, "/graph_module/graph/nodes/0/inputs/0/arg/as_tensor/name", "later"),
            "f.pt2: member 'models/model.json' at /graph_module/graph/nodes/0/inputs/0/arg/as_tensor/name: expected "
            "a value "
            "defined above, found 'later'");
  EXPECT_EQ(changed(model, "/graph_module/graph/tensor_values/x/sizes/0/as_int", int64_t{1} << 62),
            "f.pt2: member 'models/model.json' at /graph_module/graph/tensor_values/x: expected a tensor within "
            "bounds: the "
            "tensor has more than 2^40 elements");
  EXPECT_EQ(changed(weights, "/config/mean/use_pickle", true),
            "f.pt2: member 'data/weights/model_weights_config.json' at /config/mean: expected raw bytes, found a "
            "pickled object "
            "(use_pickle), which this reader does not execute");
  EXPECT_EQ(changed(weights, "/config/mean/tensor_meta/sizes/0/as_int", 10),
            "f.pt2: member 'data/weights/model_weights_config.json' at /config/mean: expected 40 bytes for f32[10], "
            "found 36 in "
            "'data/weights/weight_2'");
  EXPECT_EQ(changed(weights, "/config/mean/path_name", "weight_9").substr(0, 50),
            "f.pt2: expected a member 'data/weights/weight_9', ");
  EXPECT_EQ(changed(weights, "/config/right.weight/tensor_meta/dtype", 5),
            "f.pt2: member 'data/weights/model_weights_config.json' at /config/right.weight: expected the element "
            "type f32 of "
            "'left.weight' over the same bytes, found i64");
}

TEST(Pt2, TextThatIsNoJson) {
  const std::string bytes = file_text(kFolder + "mlp_f32.aten.pt2");
  std::string text = "{\"schema_version\": ]";
  EXPECT_EQ(message_of(with_member(bytes, "models/model.json", &text)),
            "f.pt2: member 'models/model.json' at offset 20: expected JSON, found something else here");
  text = std::string(300000, '[');
  EXPECT_NE(message_of(with_member(bytes, "models/model.json", &text)).find("at offset"), std::string::npos);
  text = std::string(1000, '[') + std::string(1000, ']');
  EXPECT_EQ(message_of(with_member(bytes, "models/model.json", &text)),
            "f.pt2: member 'models/model.json' at offset 0: expected JSON, found more than 200 levels");
  text = "1e999";
  EXPECT_EQ(message_of(with_member(bytes, "models/model.json", &text)),
            "f.pt2: member 'models/model.json' at offset 0: expected JSON, found a number that no double holds");
}

}  // namespace
}  // namespace faultline
