// Calls of the segment one after another: the row's results, writes in place, then write-backs and outputs with their
// aliases.
#include "runtime/layers/decompose/decompose.h"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/base/error.h"
#include "runtime/layers/decompose/core_aten.h"
#include "runtime/layers/decompose/op.h"
#include "runtime/layers/decompose/promotion.h"
#include "runtime/layers/decompose/strided_path.h"

namespace faultline {
namespace {

class Decomposer {
 public:
  explicit Decomposer(const Segment& segment) : segment_(segment) {}

  PrimGraph run() {
    builder_.graph().name = segment_.name;
    builder_.graph().inputs = segment_.inputs;
    add_inputs();
    for (size_t i = 0; i < segment_.calls.size(); ++i) {
      builder_.graph().origins.push_back(segment_.calls[i].target);
      builder_.set_origin(static_cast<int>(i));
      add_call(segment_.calls[i]);
    }
    builder_.set_origin(-1);
    add_write_backs();
    add_outputs();
    return std::move(builder_.graph());
  }

 private:
  int root_of(int input) const {
    while (segment_.inputs[input].alias_of >= 0) input = segment_.inputs[input].alias_of;
    return input;
  }

  // Inputs on one storage are one value and views of it, if one of them shows every other; else each has its own, and
  // none may be written.
  void add_inputs() {
    const int count = static_cast<int>(segment_.inputs.size());
    values_.resize(count);
    for (int i = 0; i < count; ++i) {
      const TensorType& type = segment_.inputs[i].type;
      values_[i] = builder_.input_tensor(i, builder_.input(i, type.dtype, type.sizes), type);
    }
    for (int root = 0; root < count; ++root) {
      std::vector<int> group;
      for (int i = 0; i < count; ++i)
        if (root_of(i) == root) group.push_back(i);
      if (group.size() > 1) join_group(group);
    }
  }

  void join_group(const std::vector<int>& group) {
    for (const int owner : group) {
      std::vector<TensorValue> joined;
      for (const int member : group) {
        const auto path = strided_path(segment_.inputs[owner].type, segment_.inputs[member].type);
        if (!path) break;
        joined.push_back(builder_.view(values_[owner], *path, segment_.inputs[member].type));
      }
      if (joined.size() != group.size()) continue;
      for (size_t k = 0; k < group.size(); ++k) values_[group[k]] = joined[k];
      return;
    }
    for (const int member : group) tangled_.push_back(values_[member].storage);
  }

  void add_call(const SegmentCall& call) {
    const OpSchema* schema = find_schema(call.target);
    bool in_place = false;
    const OpRow* row = find_op(call.target, &in_place);
    if (!row || !schema) {
      const std::string_view known = refusal_of(call.target);
      throw Rejected(call.target, std::string(known.empty() ? "no decomposition" : known));
    }
    const BoundCall bound(call, *schema, values_);
    // detach_ is marked like an op that changes sizes, but leaves the tensor as it is.
    const bool detaches = schema->name == "detach_";
    if (schema->has_tag("inplace_view") && !detaches) bound.reject("changes the sizes or strides of a tensor in place");
    const std::vector<int> written = detaches ? std::vector<int>{} : schema->written_arguments();
    if (!in_place && !row->writes && !written.empty()) bound.reject("writes to an argument");
    if (in_place && (written != std::vector<int>{0} || schema->arguments[0].name != "self"))
      bound.reject("writes to other arguments than self");
    Lowered results = row->lower(builder_, bound);
    if (in_place) results = write_result(bound, results);
    if (results.size() < call.results.size())
      bound.reject(fmt::format("has {} results, not {}", results.size(), call.results.size()));
    results.resize(call.results.size());
    std::move(results.begin(), results.end(), std::back_inserter(values_));
  }

  Lowered write_result(const BoundCall& call, const Lowered& results) {
    const TensorValue self = call.tensor("self");
    const TensorType& type = results.at(0).type;
    if (type.sizes != self.type.sizes) call.reject("the result has other sizes than the tensor it is written to");
    if (!can_cast(type.dtype, self.type.dtype))
      call.reject(fmt::format("a result of {} cannot be cast to {}", name(type.dtype), name(self.type.dtype)));
    builder_.write(self, builder_.cast(builder_.read(results[0]), self.type.dtype));
    return {self};
  }

  void add_write_backs() {
    for (size_t s = 0; s < builder_.storages().size(); ++s) {
      const Storage& storage = builder_.storages()[s];
      if (storage.input < 0 || !storage.written) continue;
      if (std::find(tangled_.begin(), tangled_.end(), static_cast<int>(s)) != tangled_.end())
        throw Rejected("aliased inputs",
                       fmt::format("input '{}' is written, and no input shows the whole of its storage",
                                   segment_.inputs[storage.input].name));
      if (!has_no_overlap(storage.base))
        throw Rejected("write to an expanded tensor", "one element in memory would be written more than once");
      builder_.graph().write_backs.push_back({storage.input, storage.node, storage.base});
    }
  }

  static bool has_no_overlap(const TensorType& type) {
    for (size_t d = 0; d < type.sizes.size(); ++d)
      if (type.sizes[d] > 1 && type.strides[d] == 0) return false;
    return true;
  }

  void add_outputs() {
    for (const SegmentOutput& output : segment_.outputs) {
      const TensorValue& value = values_.at(output.value);
      GraphOutput result;
      result.name = output.name;
      result.node = builder_.read(value);
      result.type = value.type;
      result.alias_input = builder_.storages()[value.storage].input;
      const auto earlier = std::find(output_storages_.begin(), output_storages_.end(), value.storage);
      if (earlier != output_storages_.end() && result.alias_input < 0)
        result.alias_output = static_cast<int>(earlier - output_storages_.begin());
      output_storages_.push_back(value.storage);
      builder_.graph().outputs.push_back(std::move(result));
    }
  }

  const Segment& segment_;
  Builder builder_;
  std::vector<TensorValue> values_;
  std::vector<int> tangled_;  // storages of inputs that overlap in a way no path describes
  std::vector<int> output_storages_;
};

}  // namespace

PrimGraph decompose(const Segment& segment) { return Decomposer(segment).run(); }

}  // namespace faultline
