// The program and its data widened, and errors counted.
#include "runtime/run/wide_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "checkers/compare.h"
#include "runtime/base/error.h"
#include "runtime/exact/bounded.h"
#include "runtime/ir/tensor_bits.h"
#include "runtime/run/external_case.h"

namespace faultline {

namespace {

void widen(TensorType& type) {
  if (is_float(type.dtype)) type.dtype = DType::f64;
}

void widen(Argument& argument) {
  if (auto* dtype = std::get_if<DType>(&argument.value); dtype != nullptr && is_float(*dtype)) *dtype = DType::f64;
  if (auto* list = std::get_if<ArgumentList>(&argument.value))
    for (Argument& element : *list) widen(element);
}

void widen(std::vector<Statement>& block) {
  for (Statement& statement : block) {
    if (auto* call = std::get_if<CallStatement>(&statement.value)) {
      for (Argument& argument : call->arguments) widen(argument);
      for (auto& [name, argument] : call->keywords) widen(argument);
    } else if (auto* branch = std::get_if<IfStatement>(&statement.value)) {
      widen(branch->then_branch);
      widen(branch->else_branch);
    }
  }
}

Program widened(Program program) {
  for (Parameter& parameter : program.parameters)
    if (parameter.tensor) widen(*parameter.tensor);
  widen(program.body);
  return program;
}

// Storages that several tensors share are widened once.
class WideStorages {
 public:
  void widen_tensor(Tensor& tensor) {
    if (!tensor.storage || !is_float(tensor.type.dtype)) return;
    auto& wide = storages_[tensor.storage.get()];
    if (!wide) wide = widened(tensor);
    tensor.storage = wide;
    tensor.type.dtype = DType::f64;
  }

 private:
  static std::shared_ptr<std::vector<std::byte>> widened(const Tensor& tensor) {
    const size_t elements = tensor.storage->size() / static_cast<size_t>(byte_size(tensor.type.dtype));
    auto wide = std::make_shared<std::vector<std::byte>>(elements * sizeof(double));
    for (size_t i = 0; i < elements; ++i) {
      const double number = number_of(tensor.type.dtype, load_bits(tensor, static_cast<int64_t>(i)));
      std::memcpy(wide->data() + i * sizeof number, &number, sizeof number);
    }
    return wide;
  }

  std::map<const void*, std::shared_ptr<std::vector<std::byte>>> storages_;  // looked up only, never walked
};

CaseInputs widened(CaseInputs inputs) {
  WideStorages storages;
  for (CallInputs& call : inputs.calls)
    for (Tensor& tensor : call.tensors) storages.widen_tensor(tensor);
  for (auto& [name, tensor] : inputs.attributes) storages.widen_tensor(tensor);
  return inputs;
}

std::optional<Reference> wide_run(const Subject& subject) {
  try {
    if (!subject.test_case.python.text.empty()) return python_reference(subject, true);
    return eager_reference(widened(subject.test_case.program), widened(subject.inputs));
  } catch (const UserError&) {
    return std::nullopt;
  }
}

// The bound; the reference stays without evidence where the two runs have no elements in common.
double measure(const TensorEvidence* wide, TensorEvidence& tensor) {
  constexpr double kSlack = 4;
  const size_t elements = tensor.eager.size();
  ElementReference& reference = tensor.target;
  reference = {std::vector<double>(elements), std::vector<double>(elements),
               std::vector<uint32_t>(elements, Bounded::unbounded)};
  if (wide == nullptr || wide->eager.size() != elements || wide->eager_type.dtype != DType::f64) return 0;
  double largest = 0;
  for (size_t i = 0; i < elements; ++i) {
    const double exact = number_of(DType::f64, wide->eager[i]);
    const double mine = number_of(tensor.eager_type.dtype, tensor.eager[i]);
    const bool alike = std::isnan(exact) ? std::isnan(mine) : exact == mine;
    reference.exact[i] = exact;
    if (alike || (std::isfinite(exact) && std::isfinite(mine))) reference.untrusted[i] = 0;
    if (!alike && reference.untrusted[i] == 0) largest = std::max(largest, std::abs(mine - exact));
  }
  for (double& bound : reference.bound) bound = kSlack * largest;
  return kSlack * largest;
}

}  // namespace

std::vector<std::string> add_wide_references(const Subject& subject, std::vector<TensorEvidence>& tensors) {
  const std::optional<Reference> wide = wide_run(subject);
  std::vector<std::string> sentences;
  for (size_t t = 0; t < tensors.size(); ++t) {
    TensorEvidence& tensor = tensors[t];
    if (!is_float(tensor.eager_type.dtype) || !tensor.target.exact.empty() || tensor.eager.empty()) continue;
    const bool has_wide = wide && wide->tensors.size() == tensors.size();
    const double bound = measure(has_wide ? &wide->tensors[t] : nullptr, tensor);
    sentences.push_back(
        has_wide ? fmt::format("sound bounds of {}, which is not made of prims: held to eager in f64 within "
                               "{:.3g}, four times the largest error of eager",
                               tensor.name, bound)
                 : fmt::format("bounds of {}, which is not made of prims and has no run in f64", tensor.name));
  }
  return sentences;
}

}  // namespace faultline
