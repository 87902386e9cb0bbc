// The kernel artefact's text: it reads as intended and reads back to an equal structure.
#include <gtest/gtest.h>

#include "runtime/base/error.h"
#include "runtime/layers/fuse/fuse.h"
#include "runtime/layers/fuse/kernel_text.h"

namespace faultline {

static KernelProgram fused(std::string_view prims, const FuseOptions& options = {}) {
  return fuse(parse_prim_graph(prims), options);
}

TEST(FuseText, LinearWithReluIsOneContraction) {
  const KernelProgram program = fused(R"(
prims linear(a: f16[100,67], b: f16[67,150]):
  calls aten.mm.default, aten.relu.default
  %0: f16[100,67] = input(0)
  %1: f16[67,150] = input(1)
  %2: f16[1,100,67] = reshape(%0) at 0
  %3: f16[1,67,150] = reshape(%1) at 0
  %4: f16[1,100,150] = dot(%2, %3) at 0
  %5: f16[100,150] = reshape(%4) at 0
  %6: f16[100,150] = literal(0:f16) at 1
  %7: f16[100,150] = maximum(%5, %6) at 1
  return y %7 f16[100,150]
)");
  EXPECT_EQ(to_text(program), R"(kernels linear:
  calls aten.mm.default, aten.relu.default
  input a: f16[100,67] = %0
  input b: f16[67,150] = %1
  output y: f16[100,150] = %7
  takes a, b
  k0_relu contraction (i0 < 100, i1 < 150, r2 < 67) of 0, 1:
    %0: f16 = load a[i0, r2]
    %1: f16 = load b[r2, i1]
    %2: f16 = mul(%0, %1)
    reduce sum(%2)
    %3: f16 = reduced
    %4: f16 = literal 0:f16
    %5: f16 = maximum(%3, %4)
    y = %5
  return y
)");
  EXPECT_EQ(parse_kernel_program(to_text(program)), program);
}

TEST(FuseText, CloneIsACopyKernel) {
  const KernelProgram program = fused(R"(
prims clone65(x: f16[65]):
  calls aten.clone.default
  %0: f16[65] = input(0)
  return y %0 f16[65]
)");
  EXPECT_EQ(to_text(program), R"(kernels clone65:
  calls aten.clone.default
  input x: f16[65] = %0
  output y: f16[65] = %0
  takes x
  k0_copy movement (i0 < 65):
    %0: f16 = load x[i0]
    y = %0
  return y
)");
}

}  // namespace faultline
