// What is wrong with each tensor: positions, values, samples.
#include "checkers/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "checkers/compare.h"

namespace faultline {

namespace {

ObservedCase observed(const TensorEvidence& tensor) {
  ObservedCase seen;
  seen.sizes = tensor.actual_type.sizes;
  seen.dtype = tensor.actual_type.dtype;
  seen.got = tensor.actual;
  seen.reference = tensor.eager;
  seen.failing = compare_elements(tensor, tensor.actual).failing;
  // A storage map that loses bits, or rounding, makes right elements differ from eager by no more than this.
  // A wrong element is nearer to no rule that leaves it as eager has it, however far eager is from the exact value.
  if (!tensor.target.exact.empty() && is_float(seen.dtype)) {
    seen.tolerance.resize(tensor.eager.size());
    for (size_t i = 0; i < tensor.eager.size(); ++i) {
      const double right = number_of(seen.dtype, tensor.eager[i]);
      double& tolerance = seen.tolerance[i];
      tolerance = tensor.target.bound[i] + std::abs(right - tensor.target.exact[i]);
      const double off = std::abs(number_of(seen.dtype, tensor.actual[i]) - right);
      if (seen.failing[i] != 0 && off <= tolerance) tolerance = std::nextafter(off, 0.0);
    }
  }
  if (tensor.poison && tensor.second_poison) {
    seen.got_poison2 = tensor.actual_second_poison;
    seen.poison1 = tensor.poison;
    seen.poison2 = tensor.second_poison;
  }
  seen.previous_output = tensor.previous_call;
  if (!is_contiguous(tensor.actual_type)) {
    seen.strides = tensor.actual_type.strides;
    seen.offset = tensor.actual_type.offset;
  }
  if (tensor.actual_repeat.size() == tensor.actual.size() && tensor.actual_repeat != tensor.actual)
    seen.repeats = {tensor.actual_repeat};
  return seen;
}

bool is_right(const TensorEvidence& tensor) {
  return tensor.actual.size() == tensor.eager.size() && compare_elements(tensor, tensor.actual).wrong == 0;
}

// What the other tensors of the call say: right values that may stand in the wrong place, and whether the values that
// come with an index are right. Bytes of an input that the program does not write are no output.
void add_surroundings(const Evidence& evidence, size_t t, ObservedCase& seen) {
  const TensorEvidence& tensor = evidence.tensors[t];
  const auto operation = [&](size_t at) {
    return at < evidence.tensor_operation.size() ? evidence.tensor_operation[at] : -1;
  };
  for (size_t other = 0; other < evidence.tensors.size(); ++other) {
    const TensorEvidence& known = evidence.tensors[other];
    if (other == t || known.call != tensor.call || known.eager.empty()) continue;
    if (known.role == TensorRole::output && tensor.role == TensorRole::output && is_integer(seen.dtype) &&
        is_float(known.eager_type.dtype) && operation(other) >= 0 && operation(other) == operation(t) &&
        known.eager_type.sizes == tensor.eager_type.sizes)
      seen.partner_right = is_right(known);
    NamedBuffer buffer{fmt::format("{} {}", known.role == TensorRole::output ? "output" : "input", known.name),
                       known.eager, known.eager_type.sizes};
    if (!is_contiguous(known.eager_type)) buffer.strides = known.eager_type.strides;
    buffer.dtype = known.eager_type.dtype;
    seen.buffers.push_back(std::move(buffer));
  }
  if (tensor.role != TensorRole::output && !evidence.writes)
    seen.place = fmt::format("{} {}", tensor.role == TensorRole::input_after ? "input" : "attribute", tensor.name);
}

bool has_values(const TensorEvidence& tensor) {
  return !tensor.actual.empty() && tensor.actual.size() == tensor.eager.size() &&
         tensor.actual_type.sizes == tensor.eager_type.sizes && tensor.actual_type.dtype == tensor.eager_type.dtype;
}

std::string value_text(DType dtype, uint64_t bits) {
  return fmt::format("0x{:0{}X} ({:.7g})", bits, 2 * byte_size(dtype), number_of(dtype, bits));
}

// Units and periods that a set of positions speaks of, by dim. In a vector the flat position is that of its dim.
void add_units(const PositionSet& set, std::vector<int64_t>& units) {
  using Kind = PositionSet::Kind;
  const size_t rank = units.size();
  if (set.kind == Kind::tail || set.kind == Kind::residue) {
    const int dim = set.dim < 0 && rank == 1 ? 0 : set.dim;
    if (dim >= 0 && dim < static_cast<int>(rank)) units[static_cast<size_t>(dim)] = set.modulus;
  }
  if ((set.kind == Kind::tile || set.kind == Kind::tile_cycle) && set.extents.size() <= rank)
    std::copy(set.extents.begin(), set.extents.end(), units.end() - static_cast<std::ptrdiff_t>(set.extents.size()));
  for (const PositionSet& part : set.parts) add_units(part, units);
}

std::optional<WrongMap> map_of(const TensorEvidence& tensor, const ElementVerdicts& verdicts,
                               const PatternReport& pattern) {
  if (!has_values(tensor) || verdicts.failing.size() != tensor.eager.size()) return std::nullopt;
  WrongMap map{to_text(tensor.eager_type), tensor.eager_type.sizes, verdicts.failing, {}, tensor.placement};
  map.units.assign(map.sizes.size(), 0);
  for (const Explanation& explanation : pattern.explanations) add_units(explanation.set, map.units);
  return map;
}

}  // namespace

PatternReport name_tensor(const Evidence& evidence, size_t t) {
  const TensorEvidence& tensor = evidence.tensors[t];
  std::vector<ObservedCase> cases;
  for (const SweepPoint& point : evidence.sweep)
    if (point.tensor.name == tensor.name && point.tensor.call == tensor.call && has_values(point.tensor))
      cases.push_back(observed(point.tensor));
  if (cases.empty() && has_values(tensor)) {
    cases.push_back(observed(tensor));
    add_surroundings(evidence, t, cases[0]);
  }
  if (cases.empty()) return {};
  std::vector<UnitHint> hints;
  for (const auto& [name, elements] : evidence.units)
    if (elements > 1) hints.push_back({elements, name, std::nullopt, {}});
  return name_pattern(cases, hints);
}

// Explanations of one status read together: parts of a composite hold side by side, rivals agree or nothing is known.
Claim claim_of(const PatternReport& pattern) {
  if (pattern.explanations.empty()) return {};
  const Explanation& best = pattern.explanations[0];
  Claim claim{best.where, best.what, best.unit};
  if (pattern.status == PatternStatus::composite) {
    claim = {};
    for (const Explanation& part : pattern.explanations) {
      claim.where += (claim.where.empty() ? "" : " and ") + part.where;
      claim.what += (claim.what.empty() ? "" : "; ") + part.what + " at " + part.where;
    }
  }
  const bool open = pattern.status == PatternStatus::ambiguous;
  const auto agree = [&](auto member) {
    return pattern.explanations.size() > 1 &&
           std::all_of(pattern.explanations.begin(), pattern.explanations.end(),
                       [&](const Explanation& rival) { return rival.*member == best.*member; });
  };
  if (open && !agree(&Explanation::unit)) claim.unit.clear();
  if (open && !agree(&Explanation::where)) claim.where = "perhaps " + claim.where;
  if (open && !agree(&Explanation::what)) claim.what = "perhaps " + claim.what;
  if (best.exceptions == 0) return claim;
  // What is wrong and no exception is explained; some exceptions may be right elements that the rule calls wrong.
  const int64_t explained = pattern.wrong - best.exceptions;
  if (2 * explained <= pattern.wrong) return {};
  const std::string share =
      fmt::format("for {} of {}{}: ", explained, pattern.wrong, pattern.positions.size() > 1 ? " at all sizes" : "");
  return {share + claim.where, share + claim.what, ""};
}

WrongTensor describe_tensor(const Evidence& evidence, size_t t, const PatternReport& pattern) {
  constexpr std::array<std::string_view, 3> kRoles = {"output", "input_after", "attribute_after"};
  constexpr size_t kSamples = 3;
  const TensorEvidence& tensor = evidence.tensors[t];
  const ElementVerdicts verdicts = compare_elements(tensor, tensor.actual);
  WrongTensor wrong;
  wrong.name = tensor.name;
  wrong.call = tensor.call;
  wrong.role = kRoles[static_cast<size_t>(tensor.role)];
  wrong.total = verdicts.total;
  wrong.wrong = verdicts.wrong;
  wrong.worst_ratio = verdicts.worst_ratio;
  wrong.worst_difference = verdicts.worst_difference;
  wrong.where = describe_positions(verdicts.failing, tensor.eager_type.sizes);
  const Claim claim = claim_of(pattern);
  wrong.what = claim.what;
  wrong.unit = claim.unit;
  wrong.pattern = claim.where;
  if (!(tensor.actual_type == tensor.eager_type))
    wrong.metadata = to_text(tensor.actual_type) + ", eager has " + to_text(tensor.eager_type);
  for (size_t i = 0; i < verdicts.failing.size() && wrong.samples.size() < kSamples; ++i)
    if (verdicts.failing[i] != 0)
      wrong.samples.push_back(fmt::format("[{}]: {}, eager {}", i,
                                          value_text(tensor.actual_type.dtype, tensor.actual[i]),
                                          value_text(tensor.eager_type.dtype, tensor.eager[i])));
  wrong.map = map_of(tensor, verdicts, pattern);
  return wrong;
}

std::string sweep_row(const SweepPoint& point) {
  if (!point.ended.empty()) return fmt::format("{}: {}", point.size, point.ended);
  const ElementVerdicts verdicts = compare_elements(point.tensor, point.tensor.actual);
  if (verdicts.wrong == 0) return fmt::format("{}: passes", point.size);
  return fmt::format("{}: {} wrong", point.size, describe_positions(verdicts.failing, point.tensor.eager_type.sizes));
}

}  // namespace faultline
