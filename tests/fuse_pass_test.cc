// What layer 3 decides: which values get a buffer and which kernels they share, merging, dropping and folding.
#include <algorithm>

#include "runtime/layers/fuse/fuse_graph.h"
#include "tests/fuse_kernels.h"

namespace faultline {
namespace {

using fuse_test::classes;
using fuse_test::functions;
using fuse_test::kernels_of;
using fuse_test::loads;
using fuse_test::Texts;
using enum KernelClass;

const std::string kSoftmax = R"((x: f32[4,10]):
  %0: f32[4,10] = input(0)
  %1: f32[4,10] = refresh(%0)
  %2: f32[4] = max(%1, axes=[1])
  %3: f32[4,10] = broadcast(%2, axes=[0])
  %4: f32[4,10] = sub(%1, %3)
  %5: f32[4,10] = exp(%4)
  %6: f32[4] = sum(%5, axes=[1])
  %7: f32[4,10] = broadcast(%6, axes=[0])
  %8: f32[4,10] = div(%5, %7)
  return y %8 f32[4,10]
)";

// The exponentials have two users and are dear: computed once. The cheap `refresh` is computed in both kernels that
// need it.
TEST(FusePass, SoftmaxIsFourKernels) {
  const KernelProgram program = kernels_of(kSoftmax);
  EXPECT_EQ(classes(program), (std::vector<KernelClass>{reduction, pointwise, reduction, pointwise}));
  EXPECT_EQ(functions(program, Function::exp), 1);
  EXPECT_EQ(functions(program, Function::refresh), 2);
}

TEST(FusePass, WithoutFusionEveryPrimIsAKernel) {
  FuseOptions options;
  options.fusion = false;
  const KernelProgram program = kernels_of(kSoftmax, options);
  EXPECT_EQ(classes(program), (std::vector<KernelClass>{pointwise, reduction, movement, pointwise, pointwise, reduction,
                                                        movement, pointwise}));
}

// x and its negative exponential meet again at the end: all of it is one epilogue of the contraction, evaluated once.
const std::string kLinearSilu = R"((x: f16[8,16], w: f16[32,16], b: f16[32]):
  %0: f16[8,16] = input(0)
  %1: f16[32,16] = input(1)
  %2: f16[32] = input(2)
  %3: f16[1,8,16] = reshape(%0)
  %4: f16[16,32] = permute(%1, axes=[1,0])
  %5: f16[1,16,32] = reshape(%4)
  %6: f16[1,8,32] = dot(%3, %5)
  %7: f16[8,32] = reshape(%6)
  %8: f16[8,32] = broadcast(%2, axes=[1])
  %9: f16[8,32] = add(%7, %8)
  %10: f16[8,32] = neg(%9)
  %11: f16[8,32] = exp(%10)
  %12: f16[8,32] = literal(1:f16)
  %13: f16[8,32] = add(%11, %12)
  %14: f16[8,32] = div(%9, %13)
  return y %14 f16[8,32]
)";

TEST(FusePass, ADiamondBehindAContractionIsOneEpilogue) {
  const KernelProgram program = kernels_of(kLinearSilu);
  EXPECT_EQ(classes(program), std::vector<KernelClass>{contraction});
  EXPECT_EQ(loads(program), (Texts{"x[i0, r2]", "w[i1, r2]", "b[i1]"}));
  EXPECT_EQ(program.kernels[0].extents, (std::vector<int64_t>{8, 32, 16}));
}

TEST(FusePass, WithoutEpiloguesTheContractionStandsAlone) {
  FuseOptions options;
  options.epilogue = false;
  EXPECT_EQ(classes(kernels_of(kLinearSilu, options)), (std::vector<KernelClass>{contraction, pointwise}));
}

// The mean is used twice, but as the epilogue of its sum it costs nothing.
TEST(FusePass, AMeanIsTheEpilogueOfItsSum) {
  const KernelProgram program = kernels_of(R"((x: f32[6,20]):
  %0: f32[6,20] = input(0)
  %1: f32[6] = sum(%0, axes=[1])
  %2: f32[6] = literal(0.05:f32)
  %3: f32[6] = mul(%1, %2)
  %4: f32[6,20] = broadcast(%3, axes=[0])
  %5: f32[6,20] = sub(%0, %4)
  return y %5 f32[6,20]
)");
  EXPECT_EQ(classes(program), (std::vector<KernelClass>{reduction, pointwise}));
  EXPECT_EQ(program.kernels[0].nodes.size(), 4u);
  EXPECT_EQ(functions(program, Function::mul), 1);
}

TEST(FusePass, ContractionOperandsAreComputedBefore) {
  const KernelProgram program = kernels_of(R"((x: f16[1,4,4]):
  %0: f16[1,4,4] = input(0)
  %1: f16[1,4,4] = neg(%0)
  %2: f16[1,4,4] = permute(%1, axes=[0,2,1])
  %3: f16[1,4,4] = dot(%0, %2)
  return y %3 f16[1,4,4]
)");
  EXPECT_EQ(classes(program), (std::vector<KernelClass>{pointwise, contraction}));
  EXPECT_EQ(loads(program, 1), (Texts{"x[0, i1, r3]", "t1[0, i2, r3]"}));
}

TEST(FusePass, TwoReductionsDoNotShareAKernel) {
  const KernelProgram program = kernels_of(R"((x: f16[4,4]):
  %0: f16[4,4] = input(0)
  %1: f16[4] = sum(%0, axes=[0])
  %2: f16[4] = sum(%0, axes=[1])
  %3: f16[4] = add(%1, %2)
  return y %3 f16[4]
)");
  EXPECT_EQ(classes(program), (std::vector<KernelClass>{reduction, reduction}));
}

TEST(FusePass, AReductionThatAnOutputNeedsHasItsBuffer) {
  const KernelProgram program = kernels_of(R"((x: f16[4,4]):
  %0: f16[4,4] = input(0)
  %1: f16[4] = sum(%0, axes=[0])
  %2: f16[4] = neg(%1)
  return y %2 f16[4], s %1 f16[4]
)");
  EXPECT_EQ(classes(program), (std::vector<KernelClass>{reduction, pointwise}));
  EXPECT_EQ(program.outputs, (std::vector<int>{2, 1}));
}

TEST(FusePass, TheNodeBudgetCutsAChain) {
  std::string body = "(x: f16[4]):\n  %0: f16[4] = input(0)\n";
  for (int n = 1; n <= 20; ++n) body += "  %" + std::to_string(n) + ": f16[4] = tanh(%" + std::to_string(n - 1) + ")\n";
  FuseOptions options;
  options.node_budget = 7;
  const KernelProgram program = kernels_of(body + "  return y %20 f16[4]\n", options);
  EXPECT_EQ(program.kernels.size(), 3u);
  EXPECT_EQ(functions(program, Function::tanh), 20);
}

TEST(FusePass, AnInputLeavesThroughACopyOnce) {
  const KernelProgram program = kernels_of(R"((x: f16[65], w: f16[2]):
  %0: f16[65] = input(0)
  %1: f16[2] = input(1)
  write 1 f16[2] %1
  return y %0 f16[65], z %0 f16[65]
)");
  EXPECT_EQ(classes(program), (std::vector<KernelClass>{movement, movement}));
  EXPECT_EQ(program.outputs[0], program.outputs[1]);
  EXPECT_EQ(program.buffers[program.outputs[0]].role, BufferRole::output);
  EXPECT_EQ(program.buffers[program.write_backs[0]].name, "w_new");
}

TEST(FusePass, AViewOfAnInputIsNotComputed) {
  const KernelProgram program = kernels_of(R"((x: f16[65]):
  %0: f16[65] = input(0)
  %1: f16[65] = neg(%0)
  write 0 f16[65] %1
  return y %1 f16[65] of input 0
)");
  EXPECT_EQ(program.outputs, std::vector<int>{-1});
  EXPECT_EQ(program.kernels.size(), 1u);
}

TEST(FusePass, EqualNodesMergeAndKeepBothOrigins) {
  const std::string body = R"((x: f16[4]):
  calls aten.exp.default, aten.exp.default, aten.add.Tensor
  %0: f16[4] = input(0)
  %1: f16[4] = exp(%0) at 0
  %2: f16[4] = exp(%0) at 1
  %3: f16[4] = add(%1, %2) at 2
  return y %3 f16[4]
)";
  const KernelProgram program = kernels_of(body);
  EXPECT_EQ(functions(program, Function::exp), 1);
  EXPECT_EQ(program.kernels[0].origins, (std::vector<int>{0, 1, 2}));
  FuseOptions options;
  options.cse = false;
  EXPECT_EQ(functions(kernels_of(body, options), Function::exp), 2);
}

// 0.0 and -0.0 are equal numbers and different literals: x / 0.0 tells them apart.
TEST(FusePass, LiteralsMergeByBits) {
  const KernelProgram program = kernels_of(R"((x: f16[4]):
  %0: f16[4] = input(0)
  %1: f16[4] = literal(0.0:f16)
  %2: f16[4] = literal(-0.0:f16)
  %3: f16[4] = div(%0, %1)
  %4: f16[4] = div(%0, %2)
  %5: f16[4] = add(%3, %4)
  return y %5 f16[4]
)");
  EXPECT_EQ(functions(program, Function::div), 2);
  EXPECT_EQ(std::ranges::count(program.kernels[0].nodes, ScalarNode::Kind::literal, &ScalarNode::kind), 2);
}

TEST(FusePass, WhatNobodyUsesIsDropped) {
  const std::string body = R"((x: f16[4]):
  %0: f16[4] = input(0)
  %1: f16[4] = exp(%0)
  %2: f16[4] = neg(%0)
  return y %2 f16[4]
)";
  EXPECT_EQ(kernels_of(body).kernels.size(), 1u);
  FuseOptions options;
  options.dce = false;
  EXPECT_EQ(kernels_of(body, options).kernels.size(), 2u);
}

std::string folded_text(Function function, DType dtype, const std::vector<Literal>& operands) {
  PrimNode node;
  node.prim = Prim::pointwise;
  node.function = function;
  node.dtype = dtype;
  std::vector<PrimNode> sources;
  for (const Literal& literal : operands) {
    sources.emplace_back();
    sources.back().prim = Prim::literal;
    sources.back().dtype = literal.dtype;
    sources.back().literal = literal;
  }
  std::vector<const PrimNode*> pointers;
  for (const PrimNode& source : sources) pointers.push_back(&source);
  const auto result = folded(node, pointers);
  return result ? to_text(result->literal) : "left";
}

TEST(FusePass, FoldsWhatIsExactEverywhere) {
  const auto real = [](double value, DType dtype = DType::f16) { return real_literal(value, dtype); };
  const auto whole = [](int64_t value, DType dtype = DType::i64) { return integer_literal(value, dtype); };
  using enum Function;
  EXPECT_EQ(folded_text(add, DType::f16, {real(1), real(2)}), "3:f16");
  EXPECT_EQ(folded_text(div, DType::f16, {real(1), real(8)}), "0.125:f16");
  EXPECT_EQ(folded_text(cast, DType::f16, {whole(64)}), "64:f16");
  EXPECT_EQ(folded_text(less, DType::boolean, {whole(1), whole(2)}), "true:bool");
  EXPECT_EQ(folded_text(mul, DType::i64, {whole(6), whole(7)}), "42:i64");
  // 3/10 in the field, 0.30000000000000004 in fp64.
  EXPECT_EQ(folded_text(add, DType::f64, {real(0.1, DType::f64), real(0.2, DType::f64)}), "left");
  EXPECT_EQ(folded_text(div, DType::f16, {real(1), real(3)}), "left");
  EXPECT_EQ(folded_text(div, DType::f16, {real(1), real(0)}), "left");
  EXPECT_EQ(folded_text(add, DType::f16, {real(2048), real(1)}), "left");  // no f16
  EXPECT_EQ(folded_text(add, DType::i8, {whole(127, DType::i8), whole(1, DType::i8)}), "left");
  EXPECT_EQ(folded_text(exp, DType::f16, {real(0)}), "left");
  EXPECT_EQ(folded_text(neg, DType::f16, {real(0)}), "left");  // -0.0, which the field does not know
  EXPECT_EQ(folded_text(cast, DType::i64, {real(0.5)}), "left");
}

}  // namespace
}  // namespace faultline
