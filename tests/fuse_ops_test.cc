// Layer 3 on every sample of the op table: sound by its verifier, and equal to the prims. Fingerprints are equal in the
// field; native values in bits, since no rewrite here changes an operation or the order of a sum.
#include <gtest/gtest.h>

#include <bit>

#include "runtime/layers/decompose/decompose.h"
#include "runtime/layers/decompose/op.h"
#include "runtime/layers/decompose/verify_decompose.h"
#include "runtime/layers/fuse/execute.h"
#include "runtime/layers/fuse/fuse.h"
#include "runtime/layers/fuse/kernel_text.h"
#include "tests/decompose_samples.h"

namespace faultline {
namespace {

bool same_bits(DType dtype, const NativeDomain::Value& a, const NativeDomain::Value& b) {
  if (!is_float(dtype)) return a.integer == b.integer;
  return std::bit_cast<uint64_t>(a.real) == std::bit_cast<uint64_t>(b.real) || (a.real != a.real && b.real != b.real);
}

struct Prepared {
  PrimGraph graph;
  PrimValues<NativeDomain> inputs;
};

Prepared prepared(const std::string& text) {
  Prepared result{decompose(testing::segment_of(text)), {}};
  const NativeDomain domain(host_arithmetic());
  for (const Tensor& input : testing::inputs_of(parse_program(text, "sample"), 1))
    result.inputs.push_back(testing::values_of(domain, input));
  return result;
}

// Outputs and write-backs against their prims; the name of the first buffer that differs.
template <class D, class Same>
std::string difference(const PrimGraph& graph, const KernelProgram& program, const PrimResult<D>& expected,
                       const DenseBuffers<D>& actual, Same same) {
  const auto differs = [&](int buffer, const std::vector<typename D::Value>& values) {
    for (size_t i = 0; i < values.size(); ++i)
      if (!same(program.buffers[buffer].dtype, values[i], actual[buffer][i])) return true;
    return false;
  };
  for (size_t o = 0; o < graph.outputs.size(); ++o)
    if (program.outputs[o] >= 0 && differs(program.outputs[o], expected.outputs[o])) return graph.outputs[o].name;
  for (size_t w = 0; w < graph.write_backs.size(); ++w)
    if (differs(program.write_backs[w], expected.write_backs[w])) return program.buffers[program.write_backs[w]].name;
  return "";
}

void check(const std::string& text, const FuseOptions& options) {
  const Prepared sample = prepared(text);
  const KernelProgram program = fuse(sample.graph, options);
  const std::string shown = text + "\n" + to_text(sample.graph) + to_text(program);
  for (const Finding& finding : verify_fuse(sample.graph, program))
    ADD_FAILURE() << finding.promise << ": " << finding.place << ": " << finding.text << "\n" << shown;
  EXPECT_EQ(to_text(parse_kernel_program(to_text(program))), to_text(program));

  NativeDomain native(host_arithmetic());
  PrimRunOptions<NativeDomain> keep;
  keep.keep_nodes = true;
  const auto prims = run_prims(sample.graph, native, sample.inputs, keep);
  const auto kernels = run_kernels(program, native, sample.inputs);
  EXPECT_EQ(difference(sample.graph, program, prims, kernels, same_bits), "") << shown;

  FingerprintDomain field(host_arithmetic());
  const auto leaves = testing::fingerprint_inputs(field, sample.graph, sample.inputs);
  const auto field_prims = run_prims_in_lockstep(sample.graph, field, leaves, prims);
  const auto field_kernels = run_kernels(program, field, leaves);
  EXPECT_EQ(difference(sample.graph, program, field_prims, field_kernels, FingerprintDomain::equal), "") << shown;
}

class FuseOps : public ::testing::TestWithParam<const OpRow*> {};

TEST_P(FuseOps, FusedKernelsEqualThePrims) {
  for (const std::string_view sample : GetParam()->samples) check(testing::with_id(sample, GetParam()->id), {});
}

TEST_P(FuseOps, KernelsOfSinglePrimsEqualThePrims) {
  FuseOptions options;
  options.fusion = false;
  for (const std::string_view sample : GetParam()->samples) check(testing::with_id(sample, GetParam()->id), options);
}

INSTANTIATE_TEST_SUITE_P(All, FuseOps, ::testing::ValuesIn(ops.rows.begin(), ops.rows.end()),
                         [](const auto& info) { return std::string(info.param->id); });

}  // namespace
}  // namespace faultline
