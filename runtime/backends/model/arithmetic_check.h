// The promise of layer 8, checked on the numbers of one run: every operation of a graph is within its bound on its own
// operands, and every element arrives on the other side of a transfer as the storage map makes it.
//
// The bounds of a whole program compose, and behind many operations they hide much. These do not: operands are taken as
// they are, whatever made them, so that a step that departs is itself wrong. What is moved only is not looked at; that
// is the affair of the layers above.
#pragma once

#include <string>
#include <vector>

#include "runtime/exact/exact_domain.h"
#include "runtime/ir/prim.h"
#include "runtime/layers/decompose/run_prims.h"
#include "runtime/numerics/native_domain.h"

namespace faultline {

// A step that departs: all its elements, in row-major order.
struct ArithmeticDeparture {
  std::string step;       // "tanh", "dot", "copy of x to the device"
  std::string operation;  // the ATen call that it belongs to; empty for copies
  TensorType type;
  bool sums = false, approximates = false;
  int64_t wrong = 0;
  size_t first = 0;                       // wrong element
  std::vector<double> got, exact, bound;  // exact +- bound
  std::vector<uint32_t> untrusted;        // reasons of Bounded
};

class ArithmeticCheck {
 public:
  using Values = std::vector<NativeDomain::Value>;

  // `declared` is the machine's arithmetic as its target states it, and must outlive the check.
  explicit ArithmeticCheck(const Arithmetic& declared) : native_(declared), exact_(declared) {}

  void node(const PrimGraph& graph, int node, const PrimValues<NativeDomain>& values);
  // An input's elements on the host and on the device; an output's on the device and on the host. Float types only.
  void copy_in(const std::string& name, const TensorType& type, const Values& host, const Values& device);
  void copy_out(const std::string& name, const TensorType& type, const Values& device, const Values& host);

  // The first few, in the order of the run.
  const std::vector<ArithmeticDeparture>& departures() const { return departures_; }

 private:
  static constexpr size_t kMost = 4;

  bool is_full() const { return departures_.size() >= kMost; }
  void copy(std::string step, const TensorType& type, const Values& got, const Values& due);
  void compare(ArithmeticDeparture step, const Values& got, const Values& declared, const std::vector<Bounded>& due);

  NativeDomain native_;
  ExactDomain exact_;
  std::vector<ArithmeticDeparture> departures_;
};

}  // namespace faultline
