// One way to compute a graph of prims: what a compiler might have made of it. By default a conforming one; its fields
// are the freedoms that the declared arithmetic leaves (the order of sums, roundings elided between operations,
// functions off by the ulps that they may be off) and, for a mutant, the mistakes.
//
// The declared arithmetic is host_arithmetic() on a graph with_opmath(): storage in the types of the program, f32
// inside operations, sums in f32.
#pragma once

#include <functional>
#include <vector>

#include "checkers/score/sum_order.h"
#include "runtime/ir/prim.h"
#include "runtime/layers/decompose/run_prims.h"
#include "runtime/numerics/format.h"
#include "runtime/numerics/native_domain.h"

namespace faultline {

using Numbers = std::vector<NativeDomain::Value>;  // of one tensor, row-major

struct Implementation {
  PrimGraph graph;
  SumOrder order;
  bool rounds_products = false;  // before they are added; else fused multiply-add
  int keeps_wide = 0;            // of 8 casts between operations so many are elided
  bool functions_err = false;    // by as many ulps as a function may
  uint64_t seed = 0;             // of the last two

  // Mistakes.
  Format accumulator = Format::f32;
  Format multiplicand = Format::f32;  // what factors of a contraction and terms of a sum are cut to
  Format compute = Format::f32;       // what every result inside an operation is cut to
  Rounding narrowing = Rounding::nearest_even;
  std::function<void(std::vector<Numbers>& inputs)> before;
  std::function<void(Numbers& result)> after;
};

// The first output. `inputs` are the graph's.
Numbers compute(const Implementation& implementation, std::vector<Numbers> inputs);

// A conforming implementation, drawn.
Implementation legal_implementation(const PrimGraph& graph, uint64_t seed);

}  // namespace faultline
