// The access maps that layer 3 makes of movement: one load with affine coordinates where it will do, fills and selects
// where an element may lie outside its source, a flat buffer where no map exists.
#include "tests/fuse_kernels.h"

namespace faultline {
namespace {

using fuse_test::classes;
using fuse_test::kernels_of;
using fuse_test::loads;
using fuse_test::Texts;
using enum KernelClass;

std::string one_load(const std::string& body) {
  const KernelProgram program = kernels_of(body);
  EXPECT_EQ(program.kernels.size(), 1u) << to_text(program);
  EXPECT_EQ(program.kernels[0].kernel_class, movement);
  const Texts texts = loads(program);
  return texts.size() == 1 ? texts[0] : to_text(program);
}

TEST(FuseAccess, MovementComposesIntoOneLoad) {
  EXPECT_EQ(one_load(R"((x: f16[6,8]):
  %0: f16[6,8] = input(0)
  %1: f16[8,6] = permute(%0, axes=[1,0])
  %2: f16[8,6] = flip(%1, axes=[1])
  %3: f16[3,6] = slice(%2, low=[1,0], step=[2,1])
  %4: f16[2,3,6] = broadcast(%3, axes=[1,2])
  return y %4 f16[2,3,6]
)"),
            "x[-i2 + 5, i1 * 2 + 1]");
  EXPECT_EQ(one_load(R"((x: f16[256]):
  %0: f16[256] = input(0)
  %1: f16[4,64] = reshape(%0)
  %2: f16[64,4] = permute(%1, axes=[1,0])
  %3: f16[256] = reshape(%2)
  return y %3 f16[256]
)"),
            "x[i0 % 4 * 64 + i0 / 4]");
}

TEST(FuseAccess, AReshapeAndItsInverseAreNothing) {
  EXPECT_EQ(one_load(R"((x: f16[4,6]):
  %0: f16[4,6] = input(0)
  %1: f16[24] = reshape(%0)
  %2: f16[4,6] = reshape(%1)
  return y %2 f16[4,6]
)"),
            "x[i0, i1]");
}

// The digits of 3 by 2 cut across those of 2 by 3: through a flat buffer of its own.
TEST(FuseAccess, AReshapeWithoutAnAccessMapGoesThroughAFlatBuffer) {
  const KernelProgram program = kernels_of(R"((x: f16[2,3]):
  %0: f16[2,3] = input(0)
  %1: f16[3,2] = reshape(%0)
  return y %1 f16[3,2]
)");
  EXPECT_EQ(classes(program), (std::vector<KernelClass>{movement, movement}));
  EXPECT_EQ(loads(program, 0), Texts{"x[i0 / 3, i0 % 3]"});
  EXPECT_EQ(loads(program, 1), Texts{"t1[i0 * 2 + i1]"});
  EXPECT_EQ(program.buffers[1].prim_node, -1);
}

TEST(FuseAccess, PadOfABufferIsALoadWithAFill) {
  EXPECT_EQ(one_load(R"((x: f16[4]):
  %0: f16[4] = input(0)
  %1: f16[] = literal(0.5:f16)
  %2: f16[7] = pad(%0, %1, low=[2])
  return y %2 f16[7]
)"),
            "x[i0 - 2] else %0");
}

TEST(FuseAccess, ACropNeedsNoFill) {
  EXPECT_EQ(one_load(R"((x: f16[4]):
  %0: f16[4] = input(0)
  %1: f16[] = literal(0.5:f16)
  %2: f16[2] = pad(%0, %1, low=[-1])
  return y %2 f16[2]
)"),
            "x[i0 + 1]");
}

// A reshape between pad and buffer: a coordinate outside the pad's operand may be inside the buffer, so only a select
// will do. Both ends of the padded dim are tested; the load's own fill is a zero that the select never takes.
TEST(FuseAccess, PadOfAReshapeSelects) {
  const KernelProgram program = kernels_of(R"((x: f16[12]):
  %0: f16[12] = input(0)
  %1: f16[4,3] = reshape(%0)
  %2: f16[] = literal(0.5:f16)
  %3: f16[4,5] = pad(%1, %2, low=[0,1])
  return y %3 f16[4,5]
)");
  EXPECT_NE(to_text(program).find(R"(
    %0: f16 = literal 0.5:f16
    %1: i64 = index i1 - 1
    %2: i64 = literal 0:i64
    %3: bool = greater_equal(%1, %2)
    %4: i64 = literal 3:i64
    %5: bool = less(%1, %4)
    %6: bool = bitwise_and(%3, %5)
    %7: f16 = literal 0:f16
    %8: f16 = load x[i0 * 3 + i1 - 1] else %7
    %9: f16 = select(%6, %8, %0)
    y = %9
)"),
            std::string::npos)
      << to_text(program);
}

TEST(FuseAccess, ConcatOfBuffersIsAChainOfFills) {
  const KernelProgram program = kernels_of(R"((x: f16[4], w: f16[3]):
  %0: f16[4] = input(0)
  %1: f16[3] = input(1)
  %2: f16[7] = concat(%0, %1, axes=[0])
  return y %2 f16[7]
)");
  EXPECT_EQ(loads(program), (Texts{"w[i0 - 4] else %0", "x[i0] else %1"}));
}

TEST(FuseAccess, ASliceOfOnePieceReadsThatPieceAlone) {
  EXPECT_EQ(one_load(R"((x: f16[4], w: f16[3]):
  %0: f16[4] = input(0)
  %1: f16[3] = input(1)
  %2: f16[7] = concat(%0, %1, axes=[0])
  %3: f16[2] = slice(%2, low=[4], step=[1])
  return y %3 f16[2]
)"),
            "w[i0]");
}

TEST(FuseAccess, GatherReadsThroughAValue) {
  const KernelProgram program = kernels_of(R"((x: f16[9,4], w: i64[5]):
  %0: f16[9,4] = input(0)
  %1: i64[5] = input(1)
  %2: f16[8,4] = slice(%0, low=[1,0], step=[1,1])
  %3: f16[5,4] = gather(%2, %1, axes=[0])
  return y %3 f16[5,4]
)");
  EXPECT_EQ(loads(program), (Texts{"w[i0]", "x[%0 + 1, i1]"}));
}

}  // namespace
}  // namespace faultline
