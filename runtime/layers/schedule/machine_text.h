// The machine artefact as text, in front of the text of the operations (kernel_text.h).
//
//   machine clone cores 2 scratch 1625344:
//     buffer x {0,64,2}{0,1,64} x2B undefined
//     buffer y {0,64,2}{0,1,64} x2B undefined
//     place x segment 0 at 128 bytes 256 live -1 to 0
//     place y segment 0 at 512 bytes 256 live 0 to 1
//     launch k0_clone of kernel 0 tokens 10:
//       copy 0: 128 bytes from device x at 0 to scratch at 0
//       copy 1: 128 bytes from scratch at 128 to device y at 0
//       compute 0: move 0 over [0] to [64] valid [65] lanes 0 first last
//         load 0 at 0 + c0 / 64 * 128 + c0 % 64 * 2
//         store 0 at 128 + c0 / 64 * 128 + c0 % 64 * 2
//       core 0 load:
//         0: copy 0
//         1: signal 0
//       core 0 compute:
//         2: wait 0 x 1
//         3: compute 0
//   kernels clone:
//     ...
//
// A copy of several pieces ends in its nest, outermost first: "nest 5 x 1000 to 320, 3 x 128 to 64" are counts with the
// strides of source and target. "move 0" is the unit and the kernel whose operations it carries out. An operand's
// address adds up device coordinates, "(c1 / 64 % 3 - 2) * 128" of the access's host coordinates c0, c1; "load 0 by 64"
// takes 64 lanes from consecutive places, where the first of them says. The number in
// front of an instruction is its sequence; "send 0 to 3" and "receive 0 from 2" name the compute instruction whose
// partial results hop.
#pragma once

#include <string>
#include <string_view>

#include "runtime/layers/schedule/machine_program.h"

namespace faultline {

std::string to_text(const MachineProgram& program);
// Reads what to_text writes, back to an equal structure (but for NaN literals, which equal nothing). Every index is one
// that executors can follow; whether the program is right is the verifier's affair. Throws UserError.
MachineProgram parse_machine_program(std::string_view text);

}  // namespace faultline
