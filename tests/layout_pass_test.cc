// The layout pass and its executor: packed bytes give what dense arrays give, bit for bit; every promise of the
// artefact broken by hand, with the finding and the elements that go wrong.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/layers/layout/assign_layouts.h"
#include "runtime/layers/layout/run_layout.h"
#include "runtime/targets/spyre/layout_policy.h"
#include "tests/layout_random.h"
#include "tests/layout_samples.h"

namespace faultline {
namespace {

const spyre::SpyreLayoutPolicy& policy() {
  static const spyre::SpyreLayoutPolicy policy(stick_storage());
  return policy;
}

struct Outcome {
  std::vector<std::vector<int64_t>> wrong;  // by buffer of the kernel program
  std::vector<std::string> events;
};
template <class D>
Outcome compare(const KernelProgram& kernels, const LayoutProgram& layout) {
  D domain(stick_arithmetic());
  const DenseBuffers<D> inputs = sample_inputs(kernels, domain, 3);
  const MemoryRun<D> run = run_layout(layout, domain, inputs, 1);
  return {wrong_elements(kernels, domain, inputs, run.buffers), run.events};
}

template <class D>
void expect_equal(const KernelProgram& kernels, const LayoutProgram& layout) {
  const Outcome outcome = compare<D>(kernels, layout);
  for (size_t b = 0; b < outcome.wrong.size(); ++b) {
    EXPECT_EQ(outcome.wrong[b], std::vector<int64_t>()) << kernels.buffers[b].name << "\n" << to_text(layout);
  }
  EXPECT_EQ(outcome.events, std::vector<std::string>());
}

TEST(LayoutPass, PackedBytesEqualDenseArrays) {
  for (const auto& [name, kernels] : named_samples()) {
    SCOPED_TRACE(name);
    const LayoutProgram layout = assign_layouts(kernels, policy());
    EXPECT_EQ(text_of(verify_layout(layout, policy())), "");
    expect_equal<NativeDomain>(kernels, layout);
    expect_equal<FingerprintDomain>(kernels, layout);
  }
}

TEST(LayoutPass, RandomKernels) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const KernelProgram kernels = RandomKernels(seed).take();
    const LayoutProgram layout = assign_layouts(kernels, policy());
    EXPECT_EQ(text_of(verify_layout(layout, policy())), "");
    expect_equal<FingerprintDomain>(kernels, layout);
    EXPECT_EQ(parse_layout_program(to_text(layout)), layout);
    if (HasFailure()) break;
  }
}

TEST(LayoutPass, TextReadsBack) {
  for (const auto& [name, kernels] : named_samples()) {
    SCOPED_TRACE(name);
    const LayoutProgram layout = assign_layouts(kernels, policy());
    const std::string text = to_text(layout);
    const LayoutProgram read = parse_layout_program(text);
    EXPECT_EQ(read, layout);
    EXPECT_EQ(to_text(read), text);
  }
}

TEST(LayoutPass, DamagedTextIsRefused) {
  const std::string text = to_text(assign_layouts(clone_sample(65), policy()));
  const auto replaced = [&text](std::string_view from, std::string_view to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return changed;
  };
  for (const std::string& bad :
       {std::string(), replaced("buffer x", "buffer z"), replaced("{0,64,2}", "{3,64,2}"),
        replaced("{0,64,2}", "{0,0,2}"), replaced("along 0", "along 1"), replaced("[65]", "[65,1]"),
        replaced("  kernel k0_clone", "  kernel k1_clone"), replaced("kernels clone", "kernel clone"),
        replaced("valid [65]", "valid [65] more")}) {
    EXPECT_THROW(parse_layout_program(bad), UserError) << bad;
  }
}

// Promise held, and what follows: the extent of y's sticks rounded down.
TEST(LayoutBroken, FlooredExtentLosesTheLastElement) {
  const KernelProgram kernels = clone_sample(65);
  LayoutProgram layout = assign_layouts(kernels, policy());
  const int y = buffer_named(kernels, "y");
  layout.layouts[y].dims[0].extent = 1;
  layout.kernels[0].padded = padded_extents(layout, 0);
  EXPECT_EQ(text_of(verify_layout(layout, policy())),
            "held | buffer 1 y | index 64 of dim 0 has no position: the layout holds 64 of 65\n"
            "padded | kernel 0 k0_clone, dim 0 | runs over [0,64) of 65\n");
  for (const Outcome& outcome : {compare<NativeDomain>(kernels, layout), compare<FingerprintDomain>(kernels, layout)}) {
    EXPECT_EQ(outcome.wrong[y], std::vector<int64_t>{64});
    // Unpacking looks for it behind the allocation.
    ASSERT_FALSE(outcome.events.empty());
    EXPECT_EQ(outcome.events[0], "read_guard of 2 bytes at byte 128 of y (128 bytes) by 1");
  }
}

TEST(LayoutBroken, FlooredExtentOfAnInputIsWrittenIntoTheGuard) {
  const KernelProgram kernels = clone_sample(65);
  LayoutProgram layout = assign_layouts(kernels, policy());
  layout.layouts[buffer_named(kernels, "x")].dims[0].extent = 1;
  EXPECT_EQ(promises_of(verify_layout(layout, policy())), std::vector<std::string>{"held"});
  const Outcome outcome = compare<NativeDomain>(kernels, layout);
  ASSERT_FALSE(outcome.events.empty());
  EXPECT_EQ(outcome.events[0], "write_guard of 2 bytes at byte 128 of x (128 bytes) by 1");
}

TEST(LayoutBroken, PaddedAndValid) {
  const KernelProgram kernels = clone_sample(65);
  LayoutProgram layout = assign_layouts(kernels, policy());
  const int y = buffer_named(kernels, "y");
  layout.kernels[0].padded[0] = 64;
  EXPECT_EQ(text_of(verify_layout(layout, policy())), "padded | kernel 0 k0_clone, dim 0 | runs over [0,64) of 65\n");
  EXPECT_EQ(compare<FingerprintDomain>(kernels, layout).wrong[y], std::vector<int64_t>{64});
  layout.kernels[0].padded[0] = 192;
  EXPECT_EQ(text_of(verify_layout(layout, policy())),
            "padded | kernel 0 k0_clone, dim 0 | runs over [0,192) where the layouts hold 128\n");
  layout.kernels[0].padded[0] = 128;
  layout.kernels[0].valid[0] = 63;
  EXPECT_EQ(text_of(verify_layout(layout, policy())),
            "masked | kernel 0 k0_clone, dim 0 | masks from 63 on, where the kernel has 65 points\n");
  EXPECT_EQ(compare<FingerprintDomain>(kernels, layout).wrong[y], (std::vector<int64_t>{63, 64}));
}

// A mask that lets pad lanes of a reduction in: every row is wrong, its pad was never written.
TEST(LayoutBroken, MaskIgnoredInAReduction) {
  const KernelProgram kernels = reduction_sample(3, 65);
  LayoutProgram layout = assign_layouts(kernels, policy());
  layout.kernels[0].valid[1] = 128;
  EXPECT_EQ(promises_of(verify_layout(layout, policy())), std::vector<std::string>{"masked"});
  const Outcome outcome = compare<FingerprintDomain>(kernels, layout);
  EXPECT_EQ(outcome.wrong[buffer_named(kernels, "m")], (std::vector<int64_t>{0, 1, 2}));
  EXPECT_NE(outcome.events[0].find("read_undefined"), std::string::npos);
}

TEST(LayoutBroken, ElementBytes) {
  const KernelProgram kernels = movement_sample(4, 65);
  LayoutProgram layout = assign_layouts(kernels, policy());
  const int wide = buffer_named(kernels, "wide");
  layout.layouts[wide].element_bytes = 2;
  EXPECT_EQ(
      text_of(verify_layout(layout, policy())),
      fmt::format("element_bytes | buffer {} wide | an element of f32 has 2 bytes in the layout and 4 in memory\n",
                  wide));
  // Each element's upper bytes are overwritten by its neighbour: only the last one written of a run is whole.
  EXPECT_GT(compare<FingerprintDomain>(kernels, layout).wrong[wide].size(), 200u);
}

// The relayout of w left out: the lanes take w's neighbours along its own sticks. Right only where a group of lanes
// begins.
TEST(LayoutBroken, MissingRelayout) {
  const KernelProgram kernels = movement_sample(72, 91);
  LayoutProgram layout = assign_layouts(kernels, policy());
  ASSERT_EQ(layout.program.kernels[3].name, "k2_cross");
  layout.program.kernels[3] = kernels.kernels[2];
  EXPECT_EQ(text_of(verify_layout(layout, policy())),
            "aligned | kernel 3 k2_cross, load 1 of w | the lanes run along dim 1, the buffer lies as "
            "{1,64,2}{0,1,91}{1,1,64} x2B undefined\n");
  std::vector<int64_t> expected;
  for (int64_t i = 0; i < 72 * 91; ++i) {
    if (i % 91 % 64 != 0) expected.push_back(i);
  }
  EXPECT_EQ(compare<FingerprintDomain>(kernels, layout).wrong[buffer_named(kernels, "v")], expected);
}

// Two dims of one size exchanged in the layout of what a kernel stores: every lane goes elsewhere, and most are
// overwritten.
TEST(LayoutBroken, TransposedBySizes) {
  const KernelProgram kernels = pointwise_sample(64, 64);
  LayoutProgram layout = assign_layouts(kernels, policy());
  const int y = buffer_named(kernels, "y");
  ASSERT_EQ(to_text(layout.layouts[y]), "{1,64,1}{0,1,64}{1,1,64} x2B undefined");
  layout.layouts[y] = parse_device_layout("{0,64,1}{1,1,64}{0,1,64} x2B undefined");
  EXPECT_EQ(text_of(verify_layout(layout, policy())),
            "aligned | kernel 1 k1, store of y | the lanes run along dim 1, the buffer lies as "
            "{0,64,1}{1,1,64}{0,1,64} x2B undefined\n");
  const std::vector<int64_t> wrong = compare<FingerprintDomain>(kernels, layout).wrong[y];
  // Row r puts lane c at position r + c. The last writer of the first 64 positions, which are column 0, is the row of
  // that number with its lane 0: these are right. Positions from 64 on hold row 63's lanes, and beyond 126 nothing.
  EXPECT_EQ(wrong.size(), 64u * 64u - 64u);
  for (const int64_t i : wrong) EXPECT_NE(i % 64, 0);
}

TEST(LayoutBroken, RelayoutThatComputes) {
  const KernelProgram kernels = movement_sample(4, 65);
  LayoutProgram layout = assign_layouts(kernels, policy());
  Kernel& copy = layout.program.kernels[2];
  ASSERT_TRUE(layout.kernels[2].relayout);
  ScalarNode negated;
  negated.kind = ScalarNode::Kind::apply;
  negated.dtype = DType::f16;
  negated.function = Function::neg;
  negated.operands = {copy.stores[0].node};
  copy.nodes.push_back(negated);
  copy.stores[0].node = static_cast<int>(copy.nodes.size()) - 1;
  EXPECT_EQ(promises_of(verify_layout(layout, policy())), std::vector<std::string>{"relayout"});
  EXPECT_EQ(compare<FingerprintDomain>(kernels, layout).wrong[buffer_named(kernels, "v")].size(), 4u * 65u);
}

}  // namespace
}  // namespace faultline
