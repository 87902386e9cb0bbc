// Random prim graphs through layer 3: the kernels compute what the prims say, fused or not.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>

#include "runtime/base/philox.h"
#include "runtime/exact/fingerprint_domain.h"
#include "runtime/layers/fuse/fuse.h"
#include "runtime/layers/fuse/kernel_text.h"
#include "runtime/numerics/native_domain.h"
#include "tests/fuse_graphs.h"
#include "tests/fuse_random.h"

namespace faultline::fuse_test {

static PrimGraph graph_from(const std::vector<uint32_t>& list) {
  RecordedChoices choices(list);
  return RandomGraph(choices).make();
}

// Numbers that f16 holds exactly, and some that collide, so that ties and rounding happen.
static DenseBuffers<NativeDomain> native_inputs(const PrimGraph& graph) {
  DenseBuffers<NativeDomain> inputs;
  for (const GraphInput& input : graph.inputs) {
    PhiloxStream stream(1, input.name);
    inputs.emplace_back();
    for (int64_t i = 0; i < element_count(input.type.sizes); ++i) {
      NativeDomain::Value value;
      value.real = (static_cast<double>(stream.below(64)) - 32) / 16;
      inputs.back().push_back(value);
    }
  }
  return inputs;
}

static bool same_bits(DType dtype, const NativeDomain::Value& a, const NativeDomain::Value& b) {
  if (!is_float(dtype)) return a.integer == b.integer;
  return std::bit_cast<uint64_t>(a.real) == std::bit_cast<uint64_t>(b.real) || (a.real != a.real && b.real != b.real);
}

static void check_native(const PrimGraph& graph, const FuseOptions& options) {
  const KernelProgram program = fuse(graph, options);
  NativeDomain domain(host_arithmetic());
  const std::string difference = first_difference(graph, program, domain, native_inputs(graph), same_bits);
  if (!difference.empty()) RC_FAIL(difference + "\n" + to_text(graph) + to_text(program));
}

static void check_fingerprints(const PrimGraph& graph, const FuseOptions& options) {
  const KernelProgram program = fuse(graph, options);
  FingerprintDomain domain(host_arithmetic());
  DenseBuffers<FingerprintDomain> inputs;
  for (const GraphInput& input : graph.inputs) {
    inputs.emplace_back();
    for (int64_t i = 0; i < element_count(input.type.sizes); ++i)
      inputs.back().push_back(domain.leaf(input.name, static_cast<uint64_t>(i)));
  }
  const std::string difference = first_difference(graph, program, domain, inputs, FingerprintDomain::equal);
  if (!difference.empty()) RC_FAIL(difference + "\n" + to_text(graph) + to_text(program));
}

static void check_verified(const PrimGraph& graph, const FuseOptions& options) {
  const KernelProgram program = fuse(graph, options);
  const std::vector<Finding> findings = verify_fuse(graph, program);
  if (findings.empty()) return;
  const Finding& first = findings[0];
  RC_FAIL(first.promise + ": " + first.place + ": " + first.text + "\n" + to_text(graph) + to_text(program));
}

static FuseOptions unfused() {
  FuseOptions options;
  options.fusion = false;
  return options;
}

static void for_random_graphs(void (*check)(const PrimGraph&)) {
  const bool held = rc::check([&] {
    const auto list = *rc::gen::container<std::vector<uint32_t>>(240, rc::gen::inRange<uint32_t>(0, 5040));
    check(graph_from(list));
  });
  EXPECT_TRUE(held);
}

TEST(FuseRandom, FusedKernelsEqualPrimsInBits) {
  for_random_graphs([](const PrimGraph& graph) { check_native(graph, {}); });
}

TEST(FuseRandom, UnfusedKernelsEqualPrimsInBits) {
  for_random_graphs([](const PrimGraph& graph) { check_native(graph, unfused()); });
}

TEST(FuseRandom, KernelsEqualPrimsInFingerprints) {
  for_random_graphs([](const PrimGraph& graph) {
    check_fingerprints(graph, {});
    check_fingerprints(graph, unfused());
  });
}

TEST(FuseRandom, VerifierAcceptsThePass) {
  for_random_graphs([](const PrimGraph& graph) {
    check_verified(graph, {});
    check_verified(graph, unfused());
    FuseOptions plain;
    plain.cse = plain.dce = plain.fold = plain.epilogue = false;
    check_verified(graph, plain);
  });
}

TEST(FuseRandom, TextReadsBack) {
  for_random_graphs([](const PrimGraph& graph) {
    const KernelProgram program = fuse(graph);
    RC_ASSERT(parse_kernel_program(to_text(program)) == program);
  });
}

}  // namespace faultline::fuse_test
