// The style of docs/STYLE.md, enforced on the project's own text. Each rule is a row with a small tree that breaks it
// and one that keeps it, so that no rule can be a check that never fails.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/tidy_functions.h"
#include "tests/tidy_rules.h"
#include "tests/tidy_structure.h"
#include "tests/tidy_tree.h"

namespace faultline::tidy {
namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

struct Rule {
  std::string name;
  Complaints (*check)(const Tree&);
  std::vector<Files> bad;   // each alone draws a complaint
  std::vector<Files> good;  // these draw none
};

std::string repeated(const std::string& line, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += line;
  return text;
}

std::string function_of(int body_lines) { return "int f(int a) {\n" + repeated("  ++a;\n", body_lines) + "}\n"; }

Files one(std::string text) { return {{"runtime/base/x.cc", std::move(text)}}; }

std::vector<Files> each(const std::vector<std::string>& texts) {
  std::vector<Files> trees;
  for (const std::string& text : texts) trees.push_back(one(text));
  return trees;
}

std::vector<Rule> size_rules() {
  return {
      {"file_length",
       file_length,
       {one(repeated("//\n", 401)), {{"cmake/x.sh", repeated("#\n", 401)}}},
       {one(repeated("//\n", 400)), {{"runtime/base/x.def", repeated("ROW(a)\n", 401)}}}},
      {"function_length",
       function_length,
       {one(function_of(69)), one("namespace a {\nstruct B {\n" + function_of(69) + "};\n}\n"),
        one("namespace {\nint g(int a,\n" + function_of(69).substr(6) + "}\n"),
        one("X::X(int a) : a_{a} {\n" + repeated("  for (;;) { f(); }\n", 70) + "}\n"),
        one("constinit const Row row{.a = 1, .f = [](int a) {\n" + repeated("  ++a;\n", 70) + "}};\n")},
       {one(function_of(68)), one(function_of(60) + function_of(60)),
        one("static constexpr int kRows[] = {\n" + repeated("  1,\n", 100) + "};\n"),
        one("class A {\n" + repeated("  void f(int) {}\n", 100) + "};\n"), one("/*\n" + function_of(90) + "*/\n")}},
      {"columns",
       columns,
       {one(std::string(121, '/')), {{"faultline", std::string(121, '#')}}},
       {one(std::string(120, '/')), one(repeated("\xc3\xa9", 120)), {{"docs/x.md", std::string(500, 'x')}}}},
      {"head_comment",
       head_comment,
       {one("#include <map>\n"), one("// short\n"), one(""), {{"check", "#!/bin/sh\nset -e\n"}}},
       {one("// What this file is for.\n"), {{"check", "#!/bin/sh\n# Builds and tests everything.\n"}}}},
  };
}

std::vector<Rule> text_rules() {
  return {
      {"banned_calls",
       banned_calls,
       each({"std::uniform_int_distribution<int> d;\n", "std::shuffle(a, b, c);\n", "std::random_device r;\n",
             "x = rand();\n", "std::mt19937 g;\n", "now = std::chrono::system_clock::now();\n", "t = time(nullptr);\n",
             "t = std::time(0);\n", "std::chrono::steady_clock::now();\n", "clock_gettime(a, b);\n",
             "puts(__DATE__);\n", "std::hash<int>{}(1);\n", "std::regex r;\n", "std::format(\"\");\n", "  assert(a);\n",
             "using namespace std;\n"}),
       {one("size_t operator()(T a) const { return std::hash<T>()(a); }\n"),
        one("static_assert(a); row.time(3); fmt::format(s); first_time(2); operand(1); // std::regex rand()\n"),
        one("say(\"std::regex and assert(x)\");\n#include <regex>\n"),
        {{"bench/x.cc", "std::chrono::steady_clock::now();\n"}},
        {{"tests/x.cc", "std::regex r;\n"}}}},
      {"hash_order",
       hash_order,
       each({"std::unordered_map<int, A<B>> pages_;\nvoid f() { for (auto& [k, v] : pages_) use(k); }\n",
             "std::unordered_set<int> seen;\nauto v = A(seen.begin(), seen.end());\n",
             "void f(const std::unordered_map<int, int>& m) { for (auto x : m) use(x); }\n"}),
       {one("std::unordered_map<int, int> pages_;\nint f() { return pages_.find(1)->second; }\n"),
        one("std::unordered_set<int> s;\nvoid f() { for (int x : s) ++n; }  // order does not matter: a count\n")}},
      {"target_names",
       target_names,
       each({"if (target.id == \"gpu\") f();\n", "if (\"tpu\" != name) f();\n",
             "b = id == std::string_view(\"spyre\");\n"}),
       {one("std::string id = \"spyre\"; // id == \"gpu\"\n"), {{"runtime/targets/x.cc", "return id == \"gpu\";\n"}}}},
      {"left_overs",
       left_overs,
       {one("// TO"
            "DO: later\n"),
        one("// FIX"
            "ME\n"),
        one("open(\"/ho"
            "me/me/x\");\n"),
        {{"docs/x.md",
          "see /ro"
          "ot/x\n"}}},
       {one("// to do this, call that; MAXXXL\n"), {{"docs/x.md", "<https://example.org/home/>\n"}}}},
  };
}

std::vector<Rule> include_rules() {
  return {
      {"include_ranks",
       include_ranks,
       {{{"runtime/ir/a.h", "#include \"runtime/layers/b.h\"\n"}, {"runtime/layers/b.h", ""}},
        {{"runtime/run/a.h", "#include \"cli/b.h\"\n"}, {"cli/b.h", ""}},
        {{"taxonomy/a.h", "#include \"checkers/b.h\"\n"}, {"checkers/b.h", ""}},
        {{"runtime/ir/a.cc", "#include \"a.h\"\n"}, {"runtime/ir/a.h", ""}},
        {{"novelty/a.cc", ""}}},
       {{{"runtime/layers/b.h", "#include \"runtime/ir/a.h\"\n"},
         {"runtime/ir/a.h", "// #include \"cli/b.h\"\n"},
         {"cli/b.h", ""}},
        {{"runtime/layers/b.h", "#include \"runtime/device/a.h\"\n"}, {"runtime/device/a.h", ""}}}},
      {"blindness",
       blindness,
       {{{"checkers/a.cc", "#include \"faults/b.h\"\n"}},
        {{"faults/a.cc", "#include \"checkers/b.h\"\n"}},
        {{"checkers/a.cc", "#include \"runtime/core/case.h\"\n"}},
        {{"taxonomy/a.cc", "#include \"runtime/core/b.h\"\n"}, {"runtime/core/b.h", "#include \"faults/c.h\"\n"}}},
       {{{"checkers/a.cc", "#include \"runtime/core/evidence.h\"\n"}, {"runtime/core/evidence.h", "#include <map>\n"}},
        {{"runtime/run/a.cc", "#include \"faults/b.h\"\n#include \"checkers/c.h\"\n"}}}},
      {"kinds_behind_the_wall",
       kinds_behind_the_wall,
       {{{"runtime/run/a.cc", "#include \"taxonomy/mechanism.h\"\n"}}},
       {{{"runtime/run/a.cc", "#include \"checkers/hypotheses.h\"\n"}},
        {{"checkers/a.cc", "#include \"taxonomy/mechanism.h\"\n"}}}},
      {"torch_includes",
       torch_includes,
       {one("#include <torch/torch.h>\n"),
        one("#include \"ATen/ATen.h\"\n"),
        {{"tests/x.cc", "#include <c10/core/Device.h>\n"}}},
       {one("#include \"runtime/eager/torch.h\"\n"), {{"runtime/eager/x.cc", "#include <ATen/ATen.h>\n"}}}},
      {"header_guard",
       header_guard,
       {{{"cli/a.h", "// What it is for.\n"}}},
       {{{"cli/a.h", "// What.\n#pragma once\n"}}}},
  };
}

std::vector<Rule> file_rules() {
  const Files table = {{"faults/faults.def", "FAULT(layout, pad)\nFAULT(tile, trip)\n"},
                       {"faults/rows/layout/pad.cc", ""}};
  Files whole = table, orphan = table;
  whole.emplace_back("faults/rows/tile/trip.cc", "");
  orphan = whole;
  orphan.emplace_back("faults/rows/tile/lost.cc", "");
  return {
      {"dead_files",
       dead_files,
       {{{"cli/a.cc", ""}},
        {{"cli/a.h", ""}},
        {{"tests/a_test.cc", ""}, {"tests/CMakeLists.txt", "find_package(GTest)\n"}}},
       {{{"bench/a.cc", "#include \"bench/a.h\"\n"},
         {"bench/a.h", ""},
         {"bench/CMakeLists.txt", "find_package(benchmark)\n"}}}},
      {"table_rows", table_rows, {table, orphan, {{"a/a.def", "ROW(x)\n"}, {"a/rows/y.cc", ""}}}, {whole}},
      {"cited_pages",
       cited_pages,
       {{{"cli/a.h", "int a;  // oracle.md section 2\n"}}, {{"a/a.def", "// As docs/x.md says.\n"}}},
       {{{"cli/a.h", "// docs/x.md, https://example.org/y.md\n"}, {"docs/x.md", "See [y](y.md).\n"}, {"docs/y.md", ""}},
        {{"cli/a.cc", "f(\"z.md\");\n"}}}},
      {"empty_tests",
       empty_tests,
       {{{"tests/a_test.cc", "// TEST(A, B) {}\n"}}},
       {{{"tests/a_test.cc", "TEST(A, B) {}\n"}}}},
  };
}

std::vector<Rule> rules() {
  std::vector<Rule> all;
  for (const auto& some : {size_rules(), text_rules(), include_rules(), file_rules()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

std::string joined(const Complaints& complaints) {
  std::string text;
  for (const std::string& complaint : complaints) text += "\n  " + complaint;
  return text;
}

TEST(Tidy, EveryRuleComplainsAboutItsBadExamples) {
  for (const Rule& rule : rules()) {
    ASSERT_FALSE(rule.bad.empty()) << rule.name;
    for (const Files& files : rule.bad)
      EXPECT_FALSE(rule.check(make_tree(files)).empty()) << rule.name << ": " << files[0].second;
  }
}

TEST(Tidy, EveryRuleAcceptsItsGoodExamples) {
  for (const Rule& rule : rules()) {
    ASSERT_FALSE(rule.good.empty()) << rule.name;
    for (const Files& files : rule.good) {
      const Complaints complaints = rule.check(make_tree(files));
      EXPECT_TRUE(complaints.empty()) << rule.name << joined(complaints);
    }
  }
}

TEST(Tidy, EveryBanHasItsOwnBadExample) {
  const std::vector<Rule> all = text_rules();
  for (const Ban& ban : bans()) {
    int caught = 0;
    for (const Files& files : all[0].bad)
      caught += std::regex_search(make_tree(files).files.begin()->second.code, std::regex(ban.pattern));
    EXPECT_GT(caught, 0) << ban.pattern;
  }
}

TEST(Tidy, TheRanksAreThoseOfTheStyleGuide) {
  const std::string guide = read_text(std::string(FAULTLINE_SOURCE_DIR) + "/docs/STYLE.md");
  std::vector<std::pair<std::string, int>> written;
  const std::regex row("\\n  \\| (\\d+) \\| ([^|]*)\\|"), folder("`([a-z/]+)`");
  for (std::sregex_iterator line(guide.begin(), guide.end(), row), end; line != end; ++line) {
    const std::string folders = (*line)[2];
    for (std::sregex_iterator it(folders.begin(), folders.end(), folder); it != end; ++it)
      written.emplace_back((*it)[1], std::stoi((*line)[1]));
  }
  EXPECT_EQ(written, (std::vector<std::pair<std::string, int>>(kRanks.begin(), kRanks.end())));
}

TEST(Tidy, BlankingKeepsPlaces) {
  const File file =
      make_file("cli/a.cc", "a = \"x{\"; // {\nb = R\"y({\"})y\"; c = '{'; d = 1'000;\n#define E {\\\n  {\nf\n");
  EXPECT_EQ(file.code.size(), file.text.size());
  EXPECT_EQ(file.code.find('{'), std::string::npos);
  EXPECT_EQ(lines_of(file.code).back(), "f");
  EXPECT_NE(file.code.find("1'000"), std::string::npos);
  EXPECT_NE(file.literals.find("\"x{\""), std::string::npos);
}

TEST(Tidy, TheTree) {
  const Tree tree = read_tree(FAULTLINE_SOURCE_DIR, FAULTLINE_BINARY_DIR);
  // A scan that finds nothing to look at must not pass.
  ASSERT_TRUE(tree.files.contains("tests/tidy_test.cc"));
  ASSERT_TRUE(tree.compiled.contains("tests/tidy_test.cc"));
  ASSERT_FALSE(FunctionScanner(tree.files.at("tests/tidy_test.cc").code).scan().empty());
  for (const Rule& rule : rules()) {
    const Complaints complaints = rule.check(tree);
    EXPECT_TRUE(complaints.empty()) << rule.name << ": " << complaints.size() << joined(complaints);
  }
}

}  // namespace
}  // namespace faultline::tidy
