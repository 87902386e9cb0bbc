// Layer 8's verifier: each step of a native run against its bound on its own operands. Broken arithmetics are written
// here, and which elements they spoil is counted apart from the check.
#include "runtime/backends/model/arithmetic_check.h"

#include <gtest/gtest.h>

#include <cmath>

#include "runtime/base/philox.h"
#include "runtime/numerics/rounding.h"

namespace faultline {
namespace {

// Formats of the host, one rounding an operation.
class Plain : public Arithmetic {
 public:
  std::string_view id() const override { return "plain"; }
  Format storage_format(DType dtype) const override { return host_format(dtype); }
  Format compute_format(DType dtype) const override { return host_format(dtype); }
  Format accumulator_format(DType dtype) const override { return is_float(dtype) ? Format::f32 : Format::i64; }
};

// tanh a quarter off between 0.5 and 0.75.
class BentTanh final : public Plain {
 public:
  double function(Function function, DType dtype, double a, double b) const override {
    const double right = Plain::function(function, dtype, a, b);
    return function == Function::tanh && is_bent(a) ? round(dtype, right * 1.25) : right;
  }
  static bool is_bent(double a) { return a >= 0.5 && a < 0.75; }
};

// Sums kept in 8 bits of fraction.
class NarrowSums final : public Plain {
 public:
  double add_partial(DType dtype, double accumulator, double addend) const override {
    return round_to(Format::bf16, Plain::add_partial(dtype, accumulator, addend));
  }
};

class CutsOnItsWayBack final : public Plain {
 public:
  Format storage_format(DType) const override { return Format::f32; }
  Format compute_format(DType) const override { return Format::f32; }
  uint64_t device_to_host(DType dtype, uint64_t bits) const override {
    return encode(host_format(dtype), decode(Format::f32, bits), Rounding::toward_zero);
  }
};
class RoundsOnItsWayBack final : public Plain {
 public:
  Format storage_format(DType) const override { return Format::f32; }
  Format compute_format(DType) const override { return Format::f32; }
};

PrimNode node_of(Prim prim, DType dtype, Sizes sizes, std::vector<int> operands = {}) {
  PrimNode node;
  node.prim = prim;
  node.dtype = dtype;
  node.sizes = std::move(sizes);
  node.operands = std::move(operands);
  return node;
}

// The sums of the rows of tanh(x).
PrimGraph tanh_and_sum(int64_t rows, int64_t columns) {
  PrimGraph graph;
  graph.inputs.push_back({"x", contiguous_type(DType::f32, {rows, columns}), -1});
  graph.nodes.push_back(node_of(Prim::input, DType::f32, {rows, columns}));
  graph.nodes.push_back(node_of(Prim::pointwise, DType::f32, {rows, columns}, {0}));
  graph.nodes.back().function = Function::tanh;
  graph.nodes.back().origin = 0;
  graph.nodes.push_back(node_of(Prim::reduce, DType::f32, {rows}, {1}));
  graph.nodes.back().axes = {1};
  graph.nodes.back().origin = 1;
  graph.origins = {"aten.tanh.default", "aten.sum.dim_IntList"};
  graph.outputs.resize(1);
  graph.outputs[0].node = 2;
  return graph;
}

ArithmeticCheck::Values numbers(int64_t count) {
  PhiloxStream stream(7, "numbers");
  ArithmeticCheck::Values values(static_cast<size_t>(count));
  for (auto& value : values) value.real = round_to(Format::f32, stream.normal());
  return values;
}

std::vector<ArithmeticDeparture> departures_of(const Arithmetic& broken, const Arithmetic& declared,
                                               const PrimGraph& graph, const ArithmeticCheck::Values& x) {
  NativeDomain domain(broken);
  ArithmeticCheck check(declared);
  PrimRunOptions<NativeDomain> options;
  options.after = [&](int node, const PrimValues<NativeDomain>& values) { check.node(graph, node, values); };
  run_prims(graph, domain, {x}, options);
  return check.departures();
}

TEST(ArithmeticCheck, ASoundMachineDepartsNowhere) {
  const PrimGraph graph = tanh_and_sum(9, 500);
  EXPECT_TRUE(departures_of(Plain(), Plain(), graph, numbers(4500)).empty());
}

// The sum of wrong numbers is right: its operands are taken as they are.
TEST(ArithmeticCheck, NamesTheStepAndNoLaterOne) {
  const PrimGraph graph = tanh_and_sum(9, 500);
  const ArithmeticCheck::Values x = numbers(4500);
  int64_t bent = 0;
  for (const auto& value : x) bent += BentTanh::is_bent(value.real);
  ASSERT_GT(bent, 100);
  const auto departures = departures_of(BentTanh(), Plain(), graph, x);
  ASSERT_EQ(departures.size(), 1U);
  EXPECT_EQ(departures[0].step, "tanh");
  EXPECT_EQ(departures[0].operation, "aten.tanh.default");
  EXPECT_EQ(departures[0].wrong, bent);
  EXPECT_TRUE(departures[0].approximates);
  EXPECT_FALSE(departures[0].sums);
  for (size_t i = 0; i < x.size(); ++i) {
    const bool far = std::fabs(departures[0].got[i] - std::tanh(x[i].real)) > 0.05;
    EXPECT_EQ(far, BentTanh::is_bent(x[i].real)) << i;
    EXPECT_NEAR(departures[0].exact[i], std::tanh(x[i].real), 1e-15) << i;
  }
}

TEST(ArithmeticCheck, HoldsSumsToTheDeclaredAccumulator) {
  const PrimGraph graph = tanh_and_sum(9, 500);
  const ArithmeticCheck::Values x = numbers(4500);
  const auto departures = departures_of(NarrowSums(), Plain(), graph, x);
  ASSERT_EQ(departures.size(), 1U);
  EXPECT_EQ(departures[0].step, "sum");
  EXPECT_TRUE(departures[0].sums);
  EXPECT_GE(departures[0].wrong, 1);
}

// f32 on the machine, f16 on the host: the number goes back as the nearest f16. Cut off, half of them are others.
TEST(ArithmeticCheck, HoldsCopiesToTheStorageMap) {
  const RoundsOnItsWayBack declared;
  const CutsOnItsWayBack broken;
  const TensorType type = contiguous_type(DType::f16, {1000});
  const ArithmeticCheck::Values device = numbers(1000);
  for (const Arithmetic* machine :
       {static_cast<const Arithmetic*>(&declared), static_cast<const Arithmetic*>(&broken)}) {
    const NativeDomain domain(*machine);
    ArithmeticCheck::Values host(device.size());
    int64_t cut = 0;
    for (size_t i = 0; i < device.size(); ++i) {
      host[i].real = decode(Format::f16, domain.to_host(DType::f16, device[i]));
      cut += round_to(Format::f16, device[i].real) != host[i].real;
    }
    ArithmeticCheck check(declared);
    check.copy_out("y", type, device, host);
    if (machine == &declared) {
      EXPECT_TRUE(check.departures().empty());
      continue;
    }
    ASSERT_EQ(check.departures().size(), 1U);
    EXPECT_EQ(check.departures()[0].step, "copy of y to the host");
    EXPECT_EQ(check.departures()[0].wrong, cut);
    EXPECT_GT(cut, 300);
  }
}

}  // namespace
}  // namespace faultline
