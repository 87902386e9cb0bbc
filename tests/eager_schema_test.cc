// The operator table without torch: look-up, parsing, binding of arguments. eager_table_test compares it with an
// installed torch.
#include <gtest/gtest.h>

#include "runtime/base/error.h"
#include "runtime/ir/schema/schema.h"

namespace faultline {
namespace {

Argument list(std::vector<int64_t> values) {
  ArgumentList elements;
  for (const int64_t value : values) elements.push_back({value});
  return {elements};
}
Argument value(const char* name) { return {ValueName{name}}; }

template <class Call>
std::string user_error(Call call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Schema, EveryLineParsesAndIsFoundUnderItsName) {
  EXPECT_GT(schema_targets().size(), 1300u);
  for (const std::string& target : schema_targets()) {
    const OpSchema* schema = find_schema(target);
    ASSERT_NE(schema, nullptr) << target;
    EXPECT_EQ(schema->target, target);
  }
}

TEST(Schema, DefaultOverloadMayBeLeftOut) {
  EXPECT_EQ(find_schema("aten.clone"), find_schema("aten.clone.default"));
  EXPECT_EQ(find_schema("aten.add"), nullptr) << "add has no default overload";
  EXPECT_EQ(find_schema("clone"), nullptr);
  EXPECT_EQ(find_schema("aten."), nullptr);
}

TEST(Schema, ReadsTypesDefaultsAndAliases) {
  const OpSchema& convolution = schema_at("aten.conv2d.default");
  ASSERT_EQ(convolution.arguments.size(), 7u);
  EXPECT_EQ(convolution.arguments[2].type, (SchemaType{.kind = SchemaKind::tensor, .optional = true}));
  EXPECT_EQ(convolution.arguments[3].type, (SchemaType{.kind = SchemaKind::integer, .list = true, .list_size = 2}));
  EXPECT_EQ(convolution.arguments[3].default_value, list({1, 1}));

  const OpSchema& index = schema_at("aten.index.Tensor");
  EXPECT_EQ(index.arguments[1].type, (SchemaType{.kind = SchemaKind::tensor, .list = true, .optional_elements = true}));

  const OpSchema& split = schema_at("aten.split.Tensor");
  EXPECT_TRUE(split.is_view());
  EXPECT_EQ(split.arguments[0].alias, "a");
  EXPECT_TRUE(split.returns[0].type.list);

  const OpSchema& add = schema_at("aten.add_.Tensor");
  EXPECT_TRUE(add.mutates());
  EXPECT_FALSE(add.is_view());
  EXPECT_EQ(add.written_arguments(), std::vector<int>{0});
  EXPECT_TRUE(add.arguments[2].keyword_only);

  EXPECT_EQ(schema_at("aten.nll_loss_forward.default").returns[1].name, "total_weight");
  EXPECT_EQ(schema_at("aten.contiguous.default").arguments[1].default_value, Argument{Keyword{"contiguous_format"}});
  EXPECT_EQ(schema_at("aten.tril_indices.default").arguments[3].default_value, Argument{DType::i64});
  EXPECT_EQ(schema_at("aten.pairwise_distance.default").arguments[3].default_value, Argument{1e-6});
  EXPECT_EQ(schema_at("aten.gelu.default").arguments[1].default_value, Argument{Keyword{"none"}});
  EXPECT_TRUE(schema_at("aten.gelu.default").has_tag("core"));
}

TEST(Schema, UnknownOpNamesTheNearest) {
  EXPECT_EQ(user_error([] { schema_at("aten.addd.Tensor"); }),
            "unknown op aten.addd.Tensor, did you mean 'aten.add.Tensor'?");
  EXPECT_EQ(user_error([] { schema_at("torchvision.nms.default"); }).find("did you mean"), std::string::npos);
}

TEST(Schema, OverloadsOfAPacket) {
  std::vector<std::string> names;
  for (const OpSchema* schema : schema_overloads("aten.div")) names.push_back(schema->overload);
  EXPECT_EQ(names, (std::vector<std::string>{"Scalar", "Scalar_mode", "Tensor", "Tensor_mode"}));
  EXPECT_TRUE(schema_overloads("aten.no_such").empty());
}

TEST(Schema, BindsByPositionKeywordAndDefault) {
  const std::vector<Argument> arguments = {value("x"), value("y")};
  EXPECT_EQ(bind_arguments(schema_at("aten.add.Tensor"), arguments),
            (ArgumentList{value("x"), value("y"), {int64_t{1}}}));
  const std::vector<std::pair<std::string, Argument>> keywords = {{"alpha", {2.5}}};
  EXPECT_EQ(bind_arguments(schema_at("aten.add.Tensor"), arguments, keywords),
            (ArgumentList{value("x"), value("y"), {2.5}}));
}

TEST(Schema, ConvertsAsTorchDoes) {
  const ArgumentList pool =
      bind_arguments(schema_at("aten.max_pool2d.default"), std::vector<Argument>{value("x"), {int64_t{3}}});
  EXPECT_EQ(pool[1], list({3, 3}));
  EXPECT_EQ(pool[2], list({})) << "the stride's default is an empty list";
  const ArgumentList sum =
      bind_arguments(schema_at("aten.sum.dim_IntList"), std::vector<Argument>{value("x"), {int64_t{1}}},
                     std::vector<std::pair<std::string, Argument>>{{"dtype", {Keyword{"torch.float16"}}}});
  EXPECT_EQ(sum, (ArgumentList{value("x"), list({1}), {false}, {DType::f16}}));
  const ArgumentList norm =
      bind_arguments(schema_at("aten.native_layer_norm.default"),
                     std::vector<Argument>{value("x"), list({8}), {NoneArgument{}}, {NoneArgument{}}, {int64_t{1}}});
  EXPECT_EQ(norm[4], Argument{1.0});
  EXPECT_EQ(bind_arguments(schema_at("aten.mul.Tensor"), std::vector<Argument>{value("x"), {2.0}})[1], Argument{2.0});
}

TEST(Schema, RefusesWhatTorchRefuses) {
  const auto bind = [](const char* target, std::vector<Argument> arguments,
                       std::vector<std::pair<std::string, Argument>> keywords = {}) {
    return user_error([&] { bind_arguments(schema_at(target), arguments, keywords); });
  };
  EXPECT_EQ(bind("aten.add.Tensor", {value("x")}), "aten.add.Tensor: argument 'other' (Tensor) is missing");
  EXPECT_EQ(bind("aten.add.Tensor", {value("x"), value("y"), value("z")}),
            "aten.add.Tensor takes 2 positional arguments, got 3");
  EXPECT_EQ(bind("aten.add.Tensor", {value("x"), value("y")}, {{"alhpa", {1.0}}}),
            "aten.add.Tensor has no argument 'alhpa', did you mean 'alpha'?");
  EXPECT_EQ(bind("aten.add.Tensor", {value("x"), value("y")}, {{"other", value("z")}}),
            "aten.add.Tensor: argument 'other' is given twice");
  EXPECT_EQ(bind("aten.softmax.int", {value("x"), {0.5}}), "aten.softmax.int: argument 'dim' takes int, got a float");
  EXPECT_EQ(bind("aten.view.default", {value("x"), {int64_t{3}}}),
            "aten.view.default: argument 'size' takes int[], got an int");
  EXPECT_EQ(bind("aten.clone.default", {value("x")}, {{"memory_format", {Keyword{"torch.channel_last"}}}}),
            "aten.clone.default: argument 'memory_format' takes MemoryFormat?, got a word");
}

TEST(Schema, DamagedTextIsOneLine) {
  EXPECT_EQ(user_error([] { parse_schema("aten::f(Tensor self"); }),
            "schema text column 20: expected ',' in 'aten::f(Tensor self'");
  EXPECT_EQ(user_error([] { parse_schema("aten::f(Storage s) -> Tensor"); }),
            "schema text column 9: expected a known type in 'aten::f(Storage s) -> Tensor'");
  for (const char* text :
       {"", "aten::", "f(", "f()", "f() -> ", "f(int a=) -> Tensor", "f(int[2 a) -> Tensor", "f() -> Tensor x y"})
    EXPECT_NE(user_error([&] { parse_schema(text); }), "no error") << text;
}

}  // namespace
}  // namespace faultline
