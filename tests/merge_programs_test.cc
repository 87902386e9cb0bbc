// Independent programs as one program: names apart, nothing shared, what cannot be a part is refused.
#include "runtime/ir/merge_programs.h"

#include <gtest/gtest.h>

#include <array>

#include "runtime/ir/program_text.h"

namespace faultline {
namespace {

TEST(MergePrograms, NamesAreToldApart) {
  const std::array parts = {
      parse_program("def f(x: f16[4], y: f16[2]{offset=2 of=x}): z = aten.cat([x, y]); return z\ncall f(x=ones())",
                    "a"),
      parse_program("def f(x: i32[3], n: int = 2): m = n + 1; y = aten.mul.Scalar(x, m); aten.neg_(x); return y, x",
                    "b"),
  };
  const std::optional<Program> whole = merge_programs(parts);
  ASSERT_TRUE(whole);
  EXPECT_EQ(*whole,
            parse_program("def merged(p0_x: f16[4], p0_y: f16[2]{offset=2 of=p0_x}, p1_x: i32[3], p1_n: int = 2):\n"
                          "p0_z = aten.cat([p0_x, p0_y]); p1_m = p1_n + 1; p1_y = aten.mul.Scalar(p1_x, p1_m)\n"
                          "aten.neg_(p1_x); return p0_z, p1_y, p1_x\ncall merged(p0_x=ones())",
                          "merged"));
}

TEST(MergePrograms, WhatKeepsStateOrReadsDataIsNoPart) {
  for (const char* text :
       {"self.a = 1; def f(x: f32[2]): y = aten.neg(x); return y", "def f(x: f32[1]): v = x.item(); return v",
        "def f(x: f32[2], c: bool): if c { y = aten.neg(x) } else { y = aten.abs(x) }; return y",
        "def f(x: f32[2]): y = aten.neg(x); return y\ncall f(); call f()"}) {
    const std::array parts = {parse_program(text, "part")};
    EXPECT_FALSE(merge_programs(parts)) << text;
  }
}

}  // namespace
}  // namespace faultline
