// One way to compute a graph of prims: what a compiler might have made of it. By default a conforming one; its fields
// are the freedoms that the declared arithmetic leaves (the order of sums, roundings elided between operations,
// functions off by the ulps that they may be off) and, for a mutant, the mistakes.
//
// The declared arithmetic is host_arithmetic() on a graph with_opmath(): storage in the types of the program, f32
// inside operations, sums in f32.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "checkers/score/freedoms.h"
#include "checkers/score/memory.h"
#include "checkers/score/sum_order.h"
#include "runtime/ir/prim.h"
#include "runtime/layers/decompose/run_prims.h"
#include "runtime/numerics/format.h"

namespace faultline {

struct Implementation {
  PrimGraph graph;
  SumOrder order;
  bool rounds_products = false;  // before they are added; else fused multiply-add
  int keeps_wide = 0;            // of 8 casts between operations so many are elided
  bool functions_err = false;    // by as many ulps as a function may
  uint64_t seed = 0;             // of the last two
  Freedoms freedoms = 0;         // where they conform
  int online_blocks = 2;
  std::vector<double>
      squares_bound;  // declared, of the sums of squares under a variance: what their freedoms must keep

  // Mistakes.
  Format accumulator = Format::f32;
  Format multiplicand = Format::f32;  // what factors of a contraction and terms of a sum are cut to
  Format compute = Format::f32;       // what every result inside an operation is cut to
  Rounding narrowing = Rounding::nearest_even;
  std::map<size_t, Passage> operands;        // by input: how it reaches the program
  std::optional<Passage> result;             // how the result leaves it
  std::vector<Numbers> scratch;              // numbers that nobody stored, read as inputs behind those of the graph
  std::function<void(Numbers& held)> upset;  // bits of the result that turn over where it is kept
};

// The first output. `inputs` are the graph's. `taken`: the freedoms that found a place.
Numbers compute(const Implementation& implementation, std::vector<Numbers> inputs, Freedoms* taken = nullptr);
// Of every node.
std::vector<Numbers> compute_values(const Implementation& implementation, std::vector<Numbers> inputs);

// A conforming implementation, drawn: the program's own steps.
Implementation legal_implementation(const PrimGraph& graph, uint64_t seed);
// The same with steps rewritten, out of those that are allowed.
Implementation rewritten_implementation(const PrimGraph& graph, Freedoms allowed, uint64_t seed);

}  // namespace faultline
