// Two comparisons a rung: numbers within bounds, and operands in the field.
#include "checkers/rung_judgement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "checkers/checker.h"
#include "checkers/compare.h"

namespace faultline {

namespace {

struct Count {
  int64_t wrong = 0, total = 0;
  std::string first;  // of the first wrong tensor: "y: 1 of 65"
};

// Rungs that run eager's own operators must give eager's own numbers; any NaN is a NaN.
int64_t bit_differences(const TensorEvidence& tensor, const ElementBits& values) {
  int64_t differences = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == tensor.eager[i]) continue;
    const DType dtype = tensor.eager_type.dtype;
    const bool both_nan = std::isnan(number_of(dtype, values[i])) && std::isnan(number_of(dtype, tensor.eager[i]));
    differences += !both_nan;
  }
  return differences;
}

Count native_count(const Evidence& evidence, const RungEvidence& rung) {
  Count count;
  for (size_t t = 0; t < rung.values.size() && t < evidence.tensors.size(); ++t) {
    const TensorEvidence& tensor = evidence.tensors[t];
    const auto total = static_cast<int64_t>(tensor.eager.size());
    int64_t wrong = total;
    if (rung.values[t].size() == tensor.eager.size()) {
      wrong =
          rung.layer == Layer::capture
              ? bit_differences(tensor, rung.values[t])
              : compare_elements(tensor, rung.layer == Layer::numerics ? tensor.target : tensor.ideal, rung.values[t])
                    .wrong;
    }
    count.total += total;
    count.wrong += wrong;
    if (wrong > 0 && count.first.empty()) count.first = fmt::format("{}: {} of {}", tensor.name, wrong, total);
  }
  return count;
}

Count field_count(const RungEvidence& rung) {
  Count count;
  for (const std::vector<uint8_t>& differs : rung.field_differs) {
    count.total += static_cast<int64_t>(differs.size());
    for (const uint8_t differ : differs) count.wrong += differ;
  }
  return count;
}

}  // namespace

std::string class_of_error(const std::string& raised) { return raised.substr(0, raised.find(':')); }

// What the host language keeps that is not as in eager.
static std::string state_change(const Evidence& evidence, const RungEvidence& rung) {
  for (size_t s = 0; s < rung.state.size() && s < evidence.state.size(); ++s)
    if (rung.state[s] != evidence.state[s].eager)
      return fmt::format("{} is {}, eager leaves {}", evidence.state[s].name, rung.state[s], evidence.state[s].eager);
  return {};
}

RungJudgement judge_rung(const Evidence& evidence, const RungEvidence& rung) {
  if (rung.rung != "eager" && class_of_error(rung.raised) != class_of_error(evidence.eager_raised))
    return {false, rung.raised.empty() && rung.ended.empty() ? "returns where eager raises" : rung.ended};
  if (rung.rung != "eager" && !rung.raised.empty()) return {true, "raises as eager does"};
  if (!rung.ended.empty()) return {false, rung.ended};
  if (!rung.ran) return {std::nullopt, rung.why_not};
  const Count native = native_count(evidence, rung), field = field_count(rung);
  if (native.wrong > 0) return {false, native.first + " wrong"};
  if (field.wrong > 0)
    return {false, fmt::format("within bounds, but {} of {} come from other operands", field.wrong, field.total)};
  if (!rung.structure.empty()) return {false, rung.structure};
  if (const std::string state = state_change(evidence, rung); !state.empty()) return {false, state};
  if (rung.layer == Layer::capture) return {true, rung.rung == "eager" ? "the reference" : "bit-equal"};
  if (field.total == 0) return {true, "within bounds"};
  return {true, fmt::format("within bounds, equal in the field ({})", counted(rung.field_seeds, "seed"))};
}

int first_departure(const Evidence& evidence) {
  bool good_above = false;
  for (size_t r = 0; r < evidence.rungs.size(); ++r) {
    const RungJudgement judgement = judge_rung(evidence, evidence.rungs[r]);
    if (!judgement.agrees) continue;
    if (!*judgement.agrees) return good_above ? static_cast<int>(r) : -1;
    good_above = true;
  }
  return -1;
}

bool only_later_calls(const Evidence& evidence, const RungEvidence* rung) {
  bool later = false;
  for (size_t t = 0; t < evidence.tensors.size(); ++t) {
    const TensorEvidence& tensor = evidence.tensors[t];
    if (rung != nullptr && t >= rung->values.size()) break;
    const ElementBits& values = rung != nullptr ? rung->values[t] : tensor.actual;
    if (values.size() == tensor.eager.size() && compare_elements(tensor, values).wrong == 0) continue;
    if (tensor.call == 0) return false;
    later = true;
  }
  return later;
}

std::optional<Layer> exposed_layer(const Evidence& evidence, int departure) {
  if (departure < 0) return std::nullopt;
  const RungEvidence& rung = evidence.rungs[departure];
  if (!evidence.by_stages) return rung.layer;
  if (only_later_calls(evidence, &rung)) return Layer::capture;
  if (rung.layer == Layer::tile && evidence.right_on_ordinary_data == true) return Layer::numerics;
  if (!rung.also) return rung.layer;
  const bool differs = std::any_of(evidence.tensors.begin(), evidence.tensors.end(), [](const TensorEvidence& tensor) {
    return !tensor.actual_repeat.empty() && tensor.actual_repeat != tensor.actual;
  });
  const bool does_not_run =
      rung.ended.starts_with("crashed") || rung.ended.find("CppCompileError") != std::string::npos;
  const bool only_together = evidence.operator_alone_departs == false;
  return does_not_run || differs || only_together ? *rung.also : rung.layer;
}

std::vector<Layer> untried_layers(const Evidence& evidence, int departure) {
  if (evidence.by_stages) return {};
  int good = 0;  // eager's
  for (int r = 0; r < departure; ++r)
    if (evidence.rungs[r].rung != "eager" && judge_rung(evidence, evidence.rungs[r]).agrees.value_or(false))
      good = number(evidence.rungs[r].layer);
  std::vector<Layer> untried;
  for (const Layer layer : kLayers)
    if (number(layer) > good && layer < evidence.rungs[departure].layer) untried.push_back(layer);
  return untried;
}

}  // namespace faultline
