// One node at a time through the exact domain.
#include "runtime/backends/model/arithmetic_check.h"

#include <algorithm>
#include <cstring>

#include "runtime/layers/decompose/node_alone.h"
#include "runtime/numerics/rounding.h"

namespace faultline {

namespace {

constexpr double kRounded = 0.5;  // ulps of what is correctly rounded

bool computes(const PrimNode& node) {
  if (node.prim == Prim::reduce || node.prim == Prim::dot) return true;
  if (node.prim == Prim::iota) return is_float(node.dtype);
  return node.prim == Prim::pointwise && node.function != Function::select && node.function != Function::refresh;
}

std::string step_of(const PrimNode& node) {
  switch (node.prim) {
    case Prim::reduce: return std::string(name(node.reduction));
    case Prim::pointwise: return std::string(name(node.function));
    default: return std::string(name(node.prim));
  }
}

std::vector<Bounded> without_error(const ExactDomain& domain, DType dtype, const ArithmeticCheck::Values& values) {
  std::vector<Bounded> exact(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (is_float(dtype))
      exact[i] = domain.held(dtype, values[i].real);
    else
      exact[i].integer = values[i].integer;
  }
  return exact;
}

// Bit for bit.
bool is_same(const NativeDomain::Value& x, const NativeDomain::Value& y) { return std::memcmp(&x, &y, sizeof x) == 0; }

bool are_same(const ArithmeticCheck::Values& x, const ArithmeticCheck::Values& y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), is_same);
}

// Partial sums or products are kept.
bool accumulates(const PrimNode& node) {
  const bool total = node.reduction == Reduction::sum || node.reduction == Reduction::prod;
  return node.prim == Prim::dot || (node.prim == Prim::reduce && total);
}

double number(DType dtype, const NativeDomain::Value& value) {
  return is_float(dtype) ? value.real : static_cast<double>(value.integer);
}

double number(DType dtype, const Bounded& value) {
  return is_float(dtype) ? value.value : static_cast<double>(value.integer);
}

Agreement agreement_of(DType dtype, const Bounded& due, const NativeDomain::Value& got, double largest) {
  if (due.reasons != 0) return Agreement::undecided;
  if (!is_float(dtype)) return due.integer == got.integer ? Agreement::within : Agreement::beyond;
  return agreement(due.value, due.bound, got.real, largest);
}

}  // namespace

// `declared`: what the declared arithmetic gives; `due`: the exact values with their bounds.
void ArithmeticCheck::compare(ArithmeticDeparture step, const Values& got, const Values& declared,
                              const std::vector<Bounded>& due) {
  const DType dtype = step.type.dtype;
  const double largest = is_float(dtype) ? limits(exact_.arithmetic().compute_format(dtype)).largest : 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const bool beyond =
        !is_same(got[i], declared[i]) && agreement_of(dtype, due[i], got[i], largest) == Agreement::beyond;
    if (beyond && step.wrong++ == 0) step.first = i;
  }
  if (step.wrong == 0) return;
  for (size_t i = 0; i < got.size(); ++i) {
    step.got.push_back(number(dtype, got[i]));
    step.exact.push_back(number(dtype, due[i]));
    step.bound.push_back(is_float(dtype) ? due[i].bound : 0);
    step.untrusted.push_back(due[i].reasons);
  }
  departures_.push_back(std::move(step));
}

// What the declared arithmetic itself gives, in the order of the prims, is within its bounds. Only where the machine
// has other numbers are the bounds worked out.
void ArithmeticCheck::node(const PrimGraph& graph, int index, const PrimValues<NativeDomain>& values) {
  const PrimNode& node = graph.nodes[index];
  if (is_full() || !computes(node)) return;
  const PrimGraph alone = node_alone(graph, node);
  PrimValues<NativeDomain> native;
  for (const int operand : node.operands) native.push_back(values[operand]);
  const Values declared = run_prims(alone, native_, native).outputs[0];
  if (are_same(declared, values[index])) return;
  PrimValues<ExactDomain> operands;
  for (const int operand : node.operands)
    operands.push_back(without_error(exact_, graph.nodes[operand].dtype, values[operand]));
  const PrimResult<ExactDomain> due = run_prims(alone, exact_, operands);
  ArithmeticDeparture step;
  step.step = step_of(node);
  if (node.origin >= 0) step.operation = graph.origins[node.origin];
  step.type = contiguous_type(node.dtype, node.sizes);
  step.sums = accumulates(node);
  step.approximates = node.prim == Prim::pointwise && exact_.profile().ulps_of(node.function) > kRounded;
  compare(std::move(step), values[index], declared, due.outputs[0]);
}

void ArithmeticCheck::copy(std::string step, const TensorType& type, const Values& got, const Values& due) {
  if (is_full() || are_same(got, due)) return;
  std::vector<Bounded> exact(due.size());
  for (size_t i = 0; i < due.size(); ++i) exact[i].value = due[i].real;
  ArithmeticDeparture departure;
  departure.step = std::move(step);
  departure.type = contiguous_type(type.dtype, type.sizes);
  compare(std::move(departure), got, due, exact);
}

void ArithmeticCheck::copy_in(const std::string& name, const TensorType& type, const Values& host,
                              const Values& device) {
  Values due(host.size());
  for (size_t i = 0; i < host.size(); ++i)
    due[i] = native_.from_host(type.dtype, encode_quick(host_format(type.dtype), host[i].real));
  copy("copy of " + name + " to the device", type, device, due);
}

void ArithmeticCheck::copy_out(const std::string& name, const TensorType& type, const Values& device,
                               const Values& host) {
  Values due(host.size());
  for (size_t i = 0; i < host.size(); ++i)
    due[i].real = decode_quick(host_format(type.dtype), native_.to_host(type.dtype, device[i]));
  copy("copy of " + name + " to the host", type, host, due);
}

}  // namespace faultline
