// A straight-line program as a segment with its inputs, for the tests of layer 2.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/ir/program_text.h"
#include "runtime/ir/schema/schema.h"
#include "runtime/ir/segment.h"
#include "runtime/layers/decompose/run_prims.h"
#include "runtime/numerics/data_source.h"

namespace faultline::testing {

class SegmentMaker {
 public:
  explicit SegmentMaker(const Program& program) : program_(program) {}

  Segment make() {
    segment_.name = program_.name;
    for (const Parameter& parameter : program_.parameters) {
      const int owner = parameter.alias_of.empty() ? -1 : names_.at(parameter.alias_of);
      segment_.inputs.push_back({parameter.name, *parameter.tensor, owner});
      define(parameter.name);
    }
    int statement = 0;
    for (const Statement& body : program_.body) add(std::get<CallStatement>(body.value), statement++);
    for (const std::string& name : program_.returns) segment_.outputs.push_back({name, names_.at(name)});
    return std::move(segment_);
  }

 private:
  int define(const std::string& name) { return names_[name] = count_++; }

  SegmentArgument argument(const Argument& source) const {
    if (const auto* name = std::get_if<ValueName>(&source.value)) return {ValueId{names_.at(name->text)}};
    if (const auto* list = std::get_if<ArgumentList>(&source.value)) {
      SegmentArguments elements;
      for (const Argument& element : *list) elements.push_back(argument(element));
      return {std::move(elements)};
    }
    return std::visit(
        [](const auto& value) -> SegmentArgument {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, ValueName> || std::is_same_v<T, ArgumentList>)
            return {};
          else
            return {value};
        },
        source.value);
  }

  void add(const CallStatement& call, int statement) {
    SegmentCall result;
    result.target = call.target;
    result.statement = statement;
    const ArgumentList bound = bind_arguments(schema_at(call.target), call.arguments, call.keywords);
    for (const Argument& value : bound) result.arguments.push_back(argument(value));
    for (const std::string& name : call.results) result.results.push_back(define(name));
    segment_.calls.push_back(std::move(result));
  }

  const Program& program_;
  Segment segment_;
  std::map<std::string, int> names_;
  int count_ = 0;
};

inline Segment segment_of(const std::string& text) { return SegmentMaker(parse_program(text, "sample")).make(); }

// The inputs of a program's first call, or of its default call; aliased parameters share a storage.
inline std::vector<Tensor> inputs_of(const Program& program, uint64_t seed) {
  std::vector<TensorType> types;
  for (const Parameter& parameter : program.parameters) types.push_back(*parameter.tensor);
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < types.size(); ++i) {
    const Parameter& parameter = program.parameters[i];
    if (!parameter.alias_of.empty()) {
      size_t owner = 0;
      while (program.parameters[owner].name != parameter.alias_of) ++owner;
      inputs.push_back({types[i], inputs[owner].storage});
      continue;
    }
    DataSource source;
    if (!program.calls.empty() && program.calls[0].inputs.contains(parameter.name))
      source = program.calls[0].inputs.at(parameter.name).data;
    inputs.push_back(
        materialise(types[i], source, seed, parameter.name, shared_storage_elements(program.parameters, types, i)));
  }
  return inputs;
}

inline uint64_t host_bits(const Tensor& tensor, int64_t storage_element) {
  uint64_t bits = 0;
  const int64_t size = byte_size(tensor.type.dtype);
  std::memcpy(&bits, tensor.data() + storage_element * size, static_cast<size_t>(size));
  return bits;
}

template <class D>
std::vector<typename D::Value> values_of(const D& domain, const Tensor& tensor) {
  std::vector<typename D::Value> values;
  for (int64_t i = 0; i < element_count(tensor.type.sizes); ++i)
    values.push_back(domain.from_host(tensor.type.dtype, host_bits(tensor, storage_index(tensor.type, i))));
  return values;
}

// Leaves of the fingerprint domain; integers stay numbers.
inline PrimValues<FingerprintDomain> fingerprint_inputs(FingerprintDomain& domain, const PrimGraph& graph,
                                                        const PrimValues<NativeDomain>& native) {
  PrimValues<FingerprintDomain> inputs(native.size());
  for (size_t k = 0; k < native.size(); ++k)
    for (size_t i = 0; i < native[k].size(); ++i) {
      const DType dtype = graph.inputs[k].type.dtype;
      const uint64_t element = static_cast<uint64_t>(storage_index(graph.inputs[k].type, static_cast<int64_t>(i)));
      int owner = static_cast<int>(k);
      while (graph.inputs[owner].alias_of >= 0) owner = graph.inputs[owner].alias_of;
      inputs[k].push_back(is_float(dtype) ? domain.leaf(graph.inputs[owner].name, element)
                                          : domain.integer(native[k][i].integer, dtype));
    }
  return inputs;
}

inline std::string with_id(std::string_view sample, std::string_view id) {
  std::string text;
  for (const char c : sample) text += c == '$' ? std::string(id) : std::string(1, c);
  return text;
}

}  // namespace faultline::testing
