// The kernel artefact as text.
//
//   kernels linear:
//     calls aten.mm.default, aten.relu.default
//     input a: f16[100,67] = %0
//     input b: f16[67,150] = %1
//     output out0: f16[100,150] = %5
//     takes a, b
//     k0_relu contraction (i0 < 100, i1 < 150, r2 < 67) of 0, 1:
//       %0: f16 = load a[i0, r2]
//       %1: f16 = load b[r2, i1]
//       %2: f16 = mul(%0, %1)
//       reduce sum(%2)
//       %3: f16 = reduced
//       %4: f16 = literal 0:f16
//       %5: f16 = maximum(%3, %4)
//       out0 = %5
//     return out0
//
// `= %5` behind a buffer is the prim node it holds. A load may have a fill, "load x[i0 - 1] else %1", and coordinates
// that add the value of a node, "w[%3 + 1, (i1 / 64) % 4 * 3]". "-" in `return` is an output that is a view of an
// input.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/ir/text_lexer.h"
#include "runtime/layers/fuse/kernel.h"

namespace faultline {

std::string to_text(const KernelProgram& program);
// One kernel, with the buffer names of its program.
std::string to_text(const KernelProgram& program, const Kernel& kernel);
// "(i1 / 64) % 4 * 3 + i0 - 1"; dims from `parallel` on are called r<dim>.
std::string to_text(const Affine& affine, int parallel);
// "x[i0, r1]".
std::string to_text(const KernelProgram& program, const Kernel& kernel, const Access& access);

// Reads what to_text(KernelProgram) writes, back to an equal structure (but for NaN literals, which equal nothing).
// Throws UserError.
KernelProgram parse_kernel_program(std::string_view text);
// The number of the buffer whose name is next.
int take_buffer(TextLexer& lexer, const std::vector<Buffer>& buffers);

}  // namespace faultline
