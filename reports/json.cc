// The fields of a verdict, in the order in which the record is documented.
#include "reports/json.h"

#include <cmath>
#include <optional>

namespace faultline {

namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json layer_or_null(const std::optional<Layer>& layer) { return layer ? Json(name(*layer)) : Json(); }
Json number_or_null(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? Json(*number) : Json();
}
// To what a confidence is good for.
std::optional<double> rounded(const std::optional<double>& confidence) {
  return confidence ? std::round(100 * *confidence) / 100 : confidence;
}
Json truth_or_null(const std::optional<bool>& truth) { return truth ? Json(*truth) : Json(); }

Json tensor_json(const WrongTensor& tensor) {
  Json json;
  json["name"] = tensor.name;
  json["call"] = tensor.call;
  json["role"] = text_or_null(tensor.role);
  json["total"] = tensor.total;
  json["wrong"] = tensor.wrong;
  json["where"] = text_or_null(tensor.where);
  json["pattern"] = text_or_null(tensor.pattern);
  json["what"] = text_or_null(tensor.what);
  json["unit"] = text_or_null(tensor.unit);
  json["worst_ratio"] = number_or_null(tensor.worst_ratio);
  json["worst_difference"] = number_or_null(tensor.worst_difference);
  json["metadata"] = text_or_null(tensor.metadata);
  json["samples"] = tensor.samples;
  return json;
}

Json rung_json(const RungLine& line) {
  return {{"rung", line.rung}, {"agrees", truth_or_null(line.agrees)}, {"how", text_or_null(line.how)}};
}

Json verifier_json(const VerifierLine& line) {
  return {{"layer", name(line.layer)}, {"ok", truth_or_null(line.ok)}, {"findings", line.findings}};
}

template <class Item, class Make>
Json list_json(const std::vector<Item>& items, Make make) {
  Json list = Json::array();
  for (const Item& item : items) list.push_back(make(item));
  return list;
}

Json origin_json(const Origin& origin) {
  return {{"layer", layer_or_null(origin.layer)},
          {"mechanism", text_or_null(origin.mechanism)},
          {"family", text_or_null(origin.family)},
          {"confidence", number_or_null(rounded(origin.confidence))}};
}

Json coverage_json(const Coverage& coverage) {
  return {{"tensors", coverage.tensors}, {"elements", coverage.elements}, {"unjudged", coverage.unjudged}};
}

Json operation_json(const Verdict& verdict) {
  return {{"index", verdict.operation_index < 0 ? Json() : Json(verdict.operation_index)},
          {"name", text_or_null(verdict.operation)}};
}

Json planted_json(const std::optional<Planted>& planted) {
  if (!planted) return {};
  return {{"fault", planted->fault}, {"fired", planted->fired}, {"localised", text_or_null(planted->localised)}};
}

}  // namespace

Json to_json(const Verdict& verdict) {
  Json json;
  json["schema"] = kVerdictSchema;
  json["case"] = verdict.case_line;
  json["outcome"] = name(verdict.outcome);
  json["symptom_outcome"] = name(verdict.symptom_outcome);
  json["exit"] = exit_code(verdict.outcome);
  json["origin"] = origin_json(verdict.origin);
  json["exposed"] = {{"layer", layer_or_null(verdict.exposed)}};
  json["symptom"] = {{"layer", layer_or_null(verdict.symptom)}};
  json["op"] = operation_json(verdict);
  json["tensors"] = list_json(verdict.tensors, tensor_json);
  json["coverage"] = coverage_json(verdict.coverage);
  json["checks"] = list_json(verdict.checks, [](const CheckLine& line) {
    return Json{{"checker", line.checker}, {"looked_at", text_or_null(line.looked_at)}, {"found", line.found}};
  });
  json["weak"] = verdict.weak;
  json["rungs"] = list_json(verdict.rungs, rung_json);
  json["verifiers"] = list_json(verdict.verifiers, verifier_json);
  json["evidence"] = verdict.evidence;
  json["ruled_out"] = list_json(
      verdict.ruled_out, [](const RuledOut& line) { return Json{{"layer", name(line.layer)}, {"by", line.by}}; });
  json["next"] = verdict.next;
  json["sweep"] = verdict.sweep;
  json["replay"] = text_or_null(verdict.replay);
  json["ticks"] = Json::object();
  for (const auto& [what, ticks] : verdict.ticks) json["ticks"][what] = ticks;
  json["skipped"] = verdict.skipped;
  json["explanation"] = text_or_null(verdict.explanation);
  json["planted"] = planted_json(verdict.planted);
  return json;
}

std::string json_line(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace faultline
