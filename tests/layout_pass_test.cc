// The layout pass and its executor: packed bytes give what dense arrays give, bit for bit; which layouts and relayouts the rules of
// spyre.md section 3 ask for; every promise of the artefact broken by hand, with the finding and the elements that go wrong.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/layers/fuse/execute.h"
#include "runtime/layers/layout/assign_layouts.h"
#include "runtime/layers/layout/run_layout.h"
#include "runtime/numerics/native_domain.h"
#include "runtime/targets/spyre/layout_policy.h"
#include "tests/layout_samples.h"

namespace faultline {
namespace {

const spyre::SpyreLayoutPolicy& policy() {
  static const spyre::SpyreLayoutPolicy policy(stick_storage());
  return policy;
}

std::vector<std::pair<std::string, KernelProgram>> samples() {
  std::vector<std::pair<std::string, KernelProgram>> samples;
  for (const int64_t n : {1, 5, 63, 64, 65, 127, 128, 129}) {
    samples.emplace_back(fmt::format("clone {}", n), clone_sample(n));
    samples.emplace_back(fmt::format("pointwise 3 x {}", n), pointwise_sample(3, n));
    samples.emplace_back(fmt::format("pointwise {} x 1", n), pointwise_sample(n, 1));
    samples.emplace_back(fmt::format("reductions 3 x {}", n), reduction_sample(3, n));
    samples.emplace_back(fmt::format("reductions {} x 5", n), reduction_sample(n, 5));
    samples.emplace_back(fmt::format("movement 4 x {}", n), movement_sample(4, n));
    samples.emplace_back(fmt::format("matmul 3 x {} x 65", n), matmul_sample(3, n, 65, false));
    samples.emplace_back(fmt::format("matmul {} x 65 x 1", n), matmul_sample(n, 65, 1, true));
  }
  samples.emplace_back("movement 72 x 91", movement_sample(72, 91));
  samples.emplace_back("matmul 7 x 67 x 150", matmul_sample(7, 67, 150, true));
  samples.emplace_back("bmm 3 x 5 x 67 x 9", batched_matmul_sample(3, 5, 67, 9));
  return samples;
}

std::string text_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += finding.promise + " | " + finding.place + " | " + finding.text + "\n";
  return text;
}

// Elements of a buffer that differ, by flat index.
std::vector<int64_t> wrong_elements(const std::vector<NativeDomain::Value>& want, const std::vector<NativeDomain::Value>& have) {
  std::vector<int64_t> wrong;
  for (size_t i = 0; i < want.size(); ++i) {
    if (want[i].integer != have[i].integer) wrong.push_back(static_cast<int64_t>(i));
  }
  return wrong;
}

struct Outcome {
  std::vector<std::vector<int64_t>> wrong;  // by buffer of the kernel program
  std::vector<std::string> events;
};
Outcome compare(const KernelProgram& kernels, const LayoutProgram& layout) {
  NativeDomain domain(stick_arithmetic());
  const DenseBuffers<NativeDomain> inputs = sample_inputs(kernels, domain, 3);
  const DenseBuffers<NativeDomain> want = run_kernels(kernels, domain, inputs);
  MemoryRun<NativeDomain> run = run_layout(layout, domain, inputs, 1);
  Outcome outcome;
  for (size_t b = 0; b < want.size(); ++b) outcome.wrong.push_back(wrong_elements(want[b], run.buffers[b]));
  outcome.events = run.events;
  return outcome;
}

TEST(LayoutPass, PackedBytesEqualDenseArrays) {
  for (const auto& [name, kernels] : samples()) {
    SCOPED_TRACE(name);
    const LayoutProgram layout = assign_layouts(kernels, policy());
    EXPECT_EQ(text_of(verify_layout(layout, policy())), "");
    const Outcome outcome = compare(kernels, layout);
    for (size_t b = 0; b < outcome.wrong.size(); ++b) {
      EXPECT_EQ(outcome.wrong[b], std::vector<int64_t>()) << kernels.buffers[b].name << "\n" << to_text(layout);
    }
    EXPECT_EQ(outcome.events, std::vector<std::string>());
  }
}

TEST(LayoutPass, TextReadsBack) {
  for (const auto& [name, kernels] : samples()) {
    SCOPED_TRACE(name);
    const LayoutProgram layout = assign_layouts(kernels, policy());
    const std::string text = to_text(layout);
    const LayoutProgram read = parse_layout_program(text);
    EXPECT_EQ(read, layout);
    EXPECT_EQ(to_text(read), text);
  }
}

}  // namespace
}  // namespace faultline
