// Every promise of the kernel artefact, broken by hand once: the verifier names it, and says nothing of a sound
// artefact.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "runtime/layers/fuse/fuse.h"
#include "runtime/layers/fuse/kernel_text.h"

namespace faultline {
namespace {

// Two kernels: %5 is a bias and a maximum behind a contraction; %8 reads it shifted by one with a fill.
constexpr std::string_view kPrims = R"(
prims p(a: f16[4,6], b: f16[6,5], c: f16[5]):
  calls aten.mm.default, aten.add.Tensor, aten.constant_pad_nd.default, aten.clone.default
  %0: f16[4,6] = input(0)
  %1: f16[6,5] = input(1)
  %2: f16[5] = input(2)
  %3: f16[1,4,6] = reshape(%0) at 0
  %4: f16[1,6,5] = reshape(%1) at 0
  %5: f16[1,4,5] = dot(%3, %4) at 0
  %6: f16[4,5] = reshape(%5) at 0
  %7: f16[4,5] = broadcast(%2, axes=[1]) at 1
  %8: f16[4,5] = add(%6, %7) at 1
  %9: f16[] = literal(0.5:f16) at 2
  %10: f16[5,5] = pad(%8, %9, low=[1,0]) at 2
  %11: f16[5,5] = exp(%10) at 3
  write 0 f16[4,6] %0
  return y %8 f16[4,5], z %11 f16[5,5]
)";

struct Damage {
  std::string promise;
  std::function<void(KernelProgram&)> apply;
};

constexpr std::string_view kSound = R"(kernels p:
  calls aten.mm.default, aten.add.Tensor, aten.constant_pad_nd.default, aten.clone.default
  input a: f16[4,6] = %0
  input b: f16[6,5] = %1
  input c: f16[5] = %2
  output y: f16[4,5] = %8
  output z: f16[5,5] = %11
  output a_new: f16[4,6] = %0
  takes a, b, c
  k0_add contraction (i0 < 4, i1 < 5, r2 < 6) of 0, 1:
    %0: f16 = load a[i0, r2]
    %1: f16 = load b[r2, i1]
    %2: f16 = mul(%0, %1)
    reduce sum(%2)
    %3: f16 = reduced
    %4: f16 = load c[i1]
    %5: f16 = add(%3, %4)
    y = %5
  k1_clone pointwise (i0 < 5, i1 < 5) of 2, 3:
    %0: f16 = literal 0.5:f16
    %1: f16 = load y[i0 - 1, i1] else %0
    %2: f16 = exp(%1)
    z = %2
  k2_copy movement (i0 < 4, i1 < 6):
    %0: f16 = load a[i0, i1]
    a_new = %0
  writes a_new
  return y, z
)";

std::set<std::string> promises(const KernelProgram& program) {
  std::set<std::string> names;
  for (const Finding& finding : verify_fuse(parse_prim_graph(kPrims), program)) {
    EXPECT_EQ(finding.layer, "fuse");
    EXPECT_FALSE(finding.place.empty());
    EXPECT_FALSE(finding.text.empty());
    names.insert(finding.promise);
  }
  return names;
}

TEST(FuseVerify, TheSoundArtefactIsWhatThePassMakes) {
  EXPECT_EQ(to_text(fuse(parse_prim_graph(kPrims))), kSound);
  EXPECT_TRUE(promises(parse_kernel_program(kSound)).empty());
}

class FuseVerifyDamage : public ::testing::TestWithParam<Damage> {};

TEST_P(FuseVerifyDamage, IsFound) {
  KernelProgram program = parse_kernel_program(kSound);
  GetParam().apply(program);
  EXPECT_EQ(promises(program), std::set<std::string>{GetParam().promise}) << to_text(program);
}

const Damage kDamages[] = {
    {"produced", [](auto& p) { p.outputs[0] = 4; }},
    {"produced", [](auto& p) { p.buffers[4].role = BufferRole::intermediate; }},
    {"produced", [](auto& p) { p.outputs[1] = -1; }},
    {"produced", [](auto& p) { p.write_backs[0] = 0; }},
    {"produced", [](auto& p) { p.kernels.push_back(p.kernels[1]), p.kernels[3].name = "again"; }},
    {"order", [](auto& p) { std::swap(p.kernels[0], p.kernels[1]); }},
    {"bounds", [](auto& p) { p.kernels[0].nodes[0].access.coordinates[1].affine.constant = 1; }},
    {"bounds", [](auto& p) { p.kernels[1].nodes[1].operands.clear(); }},
    {"bounds", [](auto& p) { p.kernels[0].nodes[4].access.coordinates[0].affine.terms[0].coefficient = -1; }},
    {"bounds", [](auto& p) { p.kernels[0].extents[2] = 7; }},
    {"dtype", [](auto& p) { p.kernels[1].nodes[2].dtype = DType::f32; }},
    {"dtype", [](auto& p) { p.kernels[1].nodes[2].function = Function::is_nan; }},
    {"dtype", [](auto& p) { p.kernels[0].nodes[3].dtype = DType::boolean; }},
    {"sizes", [](auto& p) { p.kernels[1].extents[0] = 4; }},
    {"sizes", [](auto& p) { p.buffers[5].sizes[0] = p.kernels[2].extents[0] = 3; }},
    {"shape", [](auto& p) { p.kernels[1].nodes[2].operands[0] = 2; }},
    {"shape", [](auto& p) { p.kernels[1].nodes[2].operands.push_back(0); }},
    {"shape", [](auto& p) { p.kernels[1].nodes[1].access.buffer = 99; }},
    {"shape", [](auto& p) { p.kernels[1].nodes[1].access.coordinates.pop_back(); }},
    {"shape", [](auto& p) { p.kernels[1].nodes[1].access.coordinates[0].affine.terms[0].dim = 2; }},
    {"shape", [](auto& p) { p.kernels[1].nodes[1].access.coordinates[0].affine.terms[0].divisor = 0; }},
    {"shape", [](auto& p) { p.kernels[0].reduction.reset(); }},
    {"shape", [](auto& p) { p.kernels[0].reduction->reduction = Reduction::max; }},
    {"shape", [](auto& p) { p.kernels[0].reduction->node = 5; }},
    {"shape", [](auto& p) { p.kernels[0].stores[0].node = 0; }},
    {"shape", [](auto& p) { p.kernels[0].parallel = 3; }},
    {"shape", [](auto& p) { p.kernels[1].kernel_class = KernelClass::movement; }},
    {"shape", [](auto& p) { p.kernels[1].name = p.kernels[0].name; }},
    {"shape", [](auto& p) { p.kernels[1].stores.clear(); }},
    {"shape", [](auto& p) { p.outputs.pop_back(); }},
    {"shape", [](auto& p) { p.kernels[1].origins.push_back(4); }},
    {"operands", [](auto& p) { p.kernels[0].nodes[1].access.buffer = 0, p.kernels[0].extents = {4, 5, 4}; }},
    {"operands",
     [](auto& p) {
       p.kernels[2].nodes[0].access.buffer = 1, p.kernels[2].nodes[0].access.coordinates[0].affine =
                                                    p.kernels[2].nodes[0].access.coordinates[1].affine = Affine{};
     }},
    {"origins", [](auto& p) { p.kernels[1].origins = {3}; }},
};

INSTANTIATE_TEST_SUITE_P(All, FuseVerifyDamage, ::testing::ValuesIn(kDamages),
                         [](const auto& info) { return info.param.promise + "_" + std::to_string(info.index); });

TEST(FuseVerify, RangesAreExactWhereOneDimComesTwice) {
  // i/4*4 + i%4 is i: its terms' ranges alone would reach 11 + 3.
  KernelProgram program = parse_kernel_program(kSound);
  Affine& row = program.kernels[2].nodes[0].access.coordinates[1].affine;
  row.terms = {{1, 4, 4, 0}, {1, 1, 1, 4}};
  EXPECT_TRUE(promises(program).empty());
  row.terms[1].modulus = 5;
  EXPECT_EQ(promises(program), std::set<std::string>{"bounds"});
}

TEST(FuseVerify, AFindingTellsThePlaceAndBothNumbers) {
  KernelProgram program = parse_kernel_program(kSound);
  program.kernels[0].extents[2] = 7;
  const std::vector<Finding> findings = verify_fuse(parse_prim_graph(kPrims), program);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].place, "kernel 0 k0_add, %0");
  EXPECT_EQ(findings[0].text, "a[i0, r2] reaches [0,6] of dim 1, which has 6 elements, without a fill");
}

}  // namespace
}  // namespace faultline
