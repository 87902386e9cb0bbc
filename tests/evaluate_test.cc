// The lane evaluator: masks, split reductions, lane dims, order, and what it asks of memory.
#include <gtest/gtest.h>

#include "runtime/exact/fingerprint_domain.h"
#include "runtime/layers/fuse/kernel_text.h"
#include "runtime/layers/lanes/dense_memory.h"
#include "runtime/numerics/native_domain.h"

namespace faultline {

namespace {

using Native = NativeDomain;

// One kernel over dense arrays; remembers what was asked.
class LoggedMemory : public DenseMemory<Native> {
 public:
  using DenseMemory<Native>::DenseMemory;
  struct Entry {
    int node, lanes;
    std::vector<int64_t> index;
    bool operator==(const Entry&) const = default;
  };

  LoggedMemory(const KernelProgram& program, Native& domain, DenseBuffers<Native>& buffers)
      : DenseMemory<Native>(program, program.kernels[0], domain, buffers), rank_(program.kernels[0].extents.size()) {}

  void load(int node, const int64_t* index, int lane_dim, int lanes, const Value* const* indirect, const Value* fill,
            Value* out) override {
    loads.push_back({node, lanes, {index, index + rank_}});
    DenseMemory<Native>::load(node, index, lane_dim, lanes, indirect, fill, out);
  }
  void store(int store, const int64_t* index, int lane_dim, int lanes, const Value* values) override {
    stores.push_back({store, lanes, {index, index + rank_}});
    DenseMemory<Native>::store(store, index, lane_dim, lanes, values);
  }

  std::vector<Entry> loads, stores;

 private:
  size_t rank_;
};

struct Bench {
  explicit Bench(std::string_view text) : program(parse_kernel_program(text)), domain(host_arithmetic()) {
    for (const Buffer& buffer : program.buffers) buffers.emplace_back(element_count(buffer.sizes), real(-77));
  }
  static Native::Value real(double x) {
    Native::Value value;
    value.real = x;
    return value;
  }
  void fill(int buffer, double (*number)(int64_t)) {
    for (size_t i = 0; i < buffers[buffer].size(); ++i) buffers[buffer][i] = real(number(static_cast<int64_t>(i)));
  }
  void set(int buffer, const std::vector<double>& numbers) {
    for (size_t i = 0; i < numbers.size(); ++i) buffers[buffer][i] = real(numbers[i]);
  }
  LoggedMemory memory() { return LoggedMemory(program, domain, buffers); }
  void run(const Box& box, const EvaluationOptions& options, LoggedMemory& memory,
           AccumulatorState<Native>* state = nullptr) {
    evaluate(program.kernels[0], box, options, domain, static_cast<LaneMemory<Native>&>(memory), state);
  }
  double at(int buffer, size_t i) const { return buffers[buffer][i].real; }

  KernelProgram program;
  Native domain;
  DenseBuffers<Native> buffers;
};

constexpr std::string_view kAddOne = R"(
kernels p:
  input x: f32[65]
  output y: f32[65]
  k0_add pointwise (i0 < 65):
    %0: f32 = load x[i0]
    %1: f32 = literal 1:f32
    %2: f32 = add(%0, %1)
    y = %2
)";

TEST(Evaluate, PointsBeyondValidAreNeitherReadNorWritten) {
  Bench bench(kAddOne);
  bench.fill(0, [](int64_t i) { return static_cast<double>(i); });
  LoggedMemory memory = bench.memory();
  EvaluationOptions options;
  options.valid = {64};
  bench.run(Box{{0}, {128}}, options, memory);
  ASSERT_EQ(memory.stores.size(), 1u);
  EXPECT_EQ(memory.loads[0].lanes, 64);
  EXPECT_EQ(memory.stores[0].lanes, 64);
  EXPECT_EQ(bench.at(1, 63), 64);
  EXPECT_EQ(bench.at(1, 64), -77);
}

TEST(Evaluate, ExtentsAreTheMaskByDefaultAndBoxesMayStartAnywhere) {
  Bench bench(kAddOne);
  bench.fill(0, [](int64_t i) { return static_cast<double>(i); });
  LoggedMemory memory = bench.memory();
  bench.run(Box{{64}, {128}}, {}, memory);
  EXPECT_EQ(bench.at(1, 64), 65);
  EXPECT_EQ(bench.at(1, 63), -77);
  bench.run(Box{{80}, {128}}, {}, memory);
  EXPECT_EQ(memory.stores.size(), 1u);
}

constexpr std::string_view kProduct = R"(
kernels p:
  input a: f32[3,300]
  input b: f32[300,5]
  output c: f32[3,5]
  k0_mm contraction (i0 < 3, i1 < 5, r2 < 300):
    %0: f32 = load a[i0, r2]
    %1: f32 = load b[r2, i1]
    %2: f32 = mul(%0, %1)
    reduce sum(%2)
    %3: f32 = reduced
    c = %3
)";

// Small integers: every order of summing them is exact.
double whole(int64_t i) { return static_cast<double>(i % 7 - 3); }

double product_at(int64_t row, int64_t column) {
  double total = 0;
  for (int64_t k = 0; k < 300; ++k) total += whole(row * 300 + k) * whole(k * 5 + column);
  return total;
}

TEST(Evaluate, AnyLaneDimGivesTheSameProduct) {
  for (int lane_dim = 0; lane_dim < 3; ++lane_dim) {
    Bench bench(kProduct);
    bench.fill(0, whole);
    bench.fill(1, whole);
    LoggedMemory memory = bench.memory();
    EvaluationOptions options;
    options.lane_dim = lane_dim;
    bench.run(whole_box(bench.program.kernels[0]), options, memory);
    for (int64_t i = 0; i < 15; ++i) EXPECT_EQ(bench.at(2, i), product_at(i / 5, i % 5)) << lane_dim << " " << i;
  }
}

TEST(Evaluate, AReductionMayBeSplitOverBoxes) {
  for (int lane_dim = 0; lane_dim < 3; ++lane_dim) {
    Bench bench(kProduct);
    bench.fill(0, whole);
    bench.fill(1, whole);
    LoggedMemory memory = bench.memory();
    AccumulatorState<Native> state;
    for (int64_t begin = 0; begin < 300; begin += 100) {
      EvaluationOptions options;
      options.lane_dim = lane_dim;
      options.first = begin == 0;
      options.last = begin == 200;
      bench.run(Box{{1, 2, begin}, {3, 5, begin + 100}}, options, memory, &state);
      EXPECT_EQ(memory.stores.empty(), !options.last);
    }
    for (int64_t row = 1; row < 3; ++row)
      for (int64_t column = 2; column < 5; ++column)
        EXPECT_EQ(bench.at(2, row * 5 + column), product_at(row, column)) << lane_dim;
    EXPECT_EQ(bench.at(2, 0), -77);
  }
}

TEST(Evaluate, ALoadThatDoesNotChangeAlongTheLanesIsAskedOnce) {
  Bench bench(kProduct);
  LoggedMemory memory = bench.memory();
  EvaluationOptions options;
  options.lane_dim = 1;
  bench.run(Box{{0, 0, 0}, {1, 5, 2}}, options, memory);
  const std::vector<LoggedMemory::Entry> expected = {
      {0, 1, {0, 0, 0}}, {1, 5, {0, 0, 0}}, {0, 1, {0, 0, 1}}, {1, 5, {0, 0, 1}}};
  EXPECT_TRUE(memory.loads == expected);
}

TEST(Evaluate, LongDimsGoByVectorsInTheirPlace) {
  Bench bench(kProduct);
  LoggedMemory memory = bench.memory();
  EvaluationOptions options;
  options.lane_dim = 2;
  bench.run(Box{{0, 0, 0}, {1, 1, 300}}, options, memory);
  const std::vector<LoggedMemory::Entry> expected = {{0, 128, {0, 0, 0}},   {1, 128, {0, 0, 0}},  {0, 128, {0, 0, 128}},
                                                     {1, 128, {0, 0, 128}}, {0, 44, {0, 0, 256}}, {1, 44, {0, 0, 256}}};
  EXPECT_TRUE(memory.loads == expected);
}

// (1 + 3/1024)^2 - 1 * (1 + 6/1024) is 9/2^20; in f16 the first product rounds to the second.
constexpr std::string_view kCancel = R"(
kernels p:
  input a: f16[2]
  input b: f16[2]
  output c: f16[1]
  k0_dot contraction (i0 < 1, r1 < 2):
    %0: f16 = load a[r1]
    %1: f16 = load b[r1]
    %2: f16 = mul(%0, %1)
    reduce sum(%2)
    %3: f16 = reduced
    c = %3
)";

TEST(Evaluate, AContractionDoesNotRoundItsProductsAReductionDoes) {
  for (const bool contraction : {true, false}) {
    Bench bench(kCancel);
    if (!contraction) bench.program.kernels[0].kernel_class = KernelClass::reduction;
    bench.set(0, {1 + 3.0 / 1024, -1});
    bench.set(1, {1 + 3.0 / 1024, 1 + 6.0 / 1024});
    LoggedMemory memory = bench.memory();
    bench.run(whole_box(bench.program.kernels[0]), {}, memory);
    EXPECT_EQ(bench.at(2, 0), contraction ? 9.0 / (1 << 20) : 0.0);
  }
}

constexpr std::string_view kArgmax = R"(
kernels p:
  input x: f32[2,6]
  output y: i64[2]
  k0_argmax reduction (i0 < 2, r1 < 6):
    %0: f32 = load x[i0, r1]
    reduce argmax(%0)
    %1: i64 = reduced
    y = %1
)";

TEST(Evaluate, ArgmaxKeepsTheFirstOfEqualsInAnyOrderOfBoxes) {
  for (int lane_dim = 0; lane_dim < 2; ++lane_dim) {
    for (const bool backwards : {false, true}) {
      Bench bench(kArgmax);
      bench.set(0, {1, 5, 2, 5, 5, 0, -1, -1, -1, -1, -1, -1});
      LoggedMemory memory = bench.memory();
      AccumulatorState<Native> state;
      for (int part = 0; part < 3; ++part) {
        EvaluationOptions options;
        options.lane_dim = lane_dim;
        options.first = part == 0;
        options.last = part == 2;
        const int64_t begin = 2 * (backwards ? 2 - part : part);
        bench.run(Box{{0, begin}, {2, begin + 2}}, options, memory, &state);
      }
      EXPECT_EQ(bench.buffers[1][0].integer, 1);
      EXPECT_EQ(bench.buffers[1][1].integer, 0);
    }
  }
}

// The epilogue reads its own operands once a point; `outer` values are read before the reduction.
constexpr std::string_view kLevels = R"(
kernels p:
  input x: f32[2,3]
  input m: f32[2]
  input s: f32[2]
  output y: f32[2]
  k0_sum reduction (i0 < 2, r1 < 3):
    %0: f32 = load x[i0, r1]
    %1: f32 = load m[i0]
    %2: f32 = sub(%0, %1)
    reduce sum(%2)
    %3: f32 = reduced
    %4: f32 = load s[i0]
    %5: f32 = mul(%3, %4)
    y = %5
)";

TEST(Evaluate, WhatDoesNotChangeAlongTheReductionIsReadOutsideIt) {
  for (int lane_dim = 0; lane_dim < 2; ++lane_dim) {
    Bench bench(kLevels);
    bench.set(0, {1, 2, 3, 4, 5, 6});
    bench.set(1, {1, 10});
    bench.set(2, {2, 3});
    LoggedMemory memory = bench.memory();
    EvaluationOptions options;
    options.lane_dim = lane_dim;
    bench.run(whole_box(bench.program.kernels[0]), options, memory);
    EXPECT_EQ(bench.at(3, 0), (0 + 1 + 2) * 2);
    EXPECT_EQ(bench.at(3, 1), (-6 - 5 - 4) * 3);
    std::vector<int> nodes;
    for (const LoggedMemory::Entry& entry : memory.loads) nodes.push_back(entry.node);
    EXPECT_EQ(nodes, lane_dim == 0 ? (std::vector<int>{1, 0, 0, 0, 4}) : (std::vector<int>{1, 0, 4, 1, 0, 4}));
  }
}

constexpr std::string_view kGather = R"(
kernels p:
  input x: f32[4,2]
  input n: i64[3]
  output y: f32[5,2]
  k0_index pointwise (i0 < 5, i1 < 2):
    %0: i64 = literal 3:i64
    %1: i64 = load n[i0 - 1] else %0
    %2: f32 = load x[%1, -i1 + 1]
    %3: f32 = index i0 * 10 + (i1 / 1) % 2
    %4: f32 = add(%2, %3)
    y = %4
)";

TEST(Evaluate, FillsIndirectCoordinatesAndIndices) {
  for (int lane_dim = 0; lane_dim < 2; ++lane_dim) {
    Bench bench(kGather);
    bench.fill(0, [](int64_t i) { return 100.0 * static_cast<double>(i); });
    for (int64_t i = 0; i < 3; ++i) bench.buffers[1][i].integer = 2 - i;
    LoggedMemory memory = bench.memory();
    EvaluationOptions options;
    options.lane_dim = lane_dim;
    bench.run(whole_box(bench.program.kernels[0]), options, memory);
    constexpr int kRows[] = {3, 2, 1, 0, 3};
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 2; ++j)
        EXPECT_EQ(bench.at(2, i * 2 + j), 100.0 * (kRows[i] * 2 + 1 - j) + i * 10 + j) << lane_dim;
  }
}

TEST(Evaluate, AnEmptyReductionLeavesTheNeutralElement) {
  Bench bench(kProduct);
  LoggedMemory memory = bench.memory();
  EvaluationOptions options;
  options.valid = {3, 5, 0};
  bench.run(whole_box(bench.program.kernels[0]), options, memory);
  EXPECT_EQ(bench.at(2, 7), 0);
  EXPECT_TRUE(memory.loads.empty());
}

}  // namespace

}  // namespace faultline
