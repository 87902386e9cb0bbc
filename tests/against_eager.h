// A sample held against eager torch: decomposed, verified, run, and compared element by element within the exact
// domain's bound, together with what is more than values: dtype, sizes, strides, offset, aliases and mutated inputs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "runtime/eager/eager.h"
#include "runtime/eager/interpreter.h"
#include "runtime/layers/decompose/decompose.h"
#include "runtime/layers/decompose/op.h"
#include "runtime/layers/decompose/verify_decompose.h"
#include "tests/decompose_samples.h"

namespace faultline::testing {

struct Sample {
  std::string id, text;
};
inline void PrintTo(const Sample& sample, std::ostream* stream) { *stream << sample.text; }

inline std::vector<Sample> all_samples() {
  std::vector<Sample> samples;
  for (const OpRow* row : ops.rows)
    for (const std::string_view sample : row->samples)
      samples.push_back({std::string(row->id), with_id(sample, row->id)});
  return samples;
}

struct AgainstEagerOptions {
  ErrorProfile profile;
  double slack = 1;                                     // above 1, what cannot be decided is no breach either
  std::function<void(size_t, const Tensor&)> change{};  // of each input, before anything runs
};

inline std::string breach(DType dtype, const Tensor& tensor, int64_t storage_element, const ExactDomain& domain,
                          const Bounded& exact, double slack, int* untrusted) {
  const uint64_t bits = testing::host_bits(tensor, storage_element);
  const Format format = host_format(dtype);
  if (!is_float(dtype)) {
    const int64_t number = NativeDomain(host_arithmetic()).from_host(dtype, bits).integer;
    if (number == exact.integer) return "";
    if (const IndexChoice* choice = domain.choice_of(exact))
      return std::binary_search(choice->among->begin(), choice->among->end(), number)
                 ? ""
                 : fmt::format("{} when it should be as good as {}", number, exact.integer);
    if (exact.reasons != 0 && slack > 1) {
      ++*untrusted;
      return "";
    }
    return fmt::format("{} when it should be {}", number, exact.integer);
  }
  if (exact.reasons != 0) {
    ++*untrusted;
    return "";
  }
  const double value = decode(format, bits);
  const Agreement found = agreement(exact.value, exact.bound * slack, value, limits(format).largest);
  if (found == Agreement::within || (found == Agreement::undecided && slack > 1)) return "";
  return fmt::format("{} when it should be {} within {}", value, exact.value, exact.bound);
}

// The first element of `tensor` that is not what the exact run says.
inline std::string first_breach(const Tensor& tensor, const ExactDomain& domain, const std::vector<Bounded>& exact,
                                double slack, int* untrusted) {
  for (int64_t i = 0; i < element_count(tensor.type.sizes); ++i) {
    const std::string text =
        breach(tensor.type.dtype, tensor, storage_index(tensor.type, i), domain, exact[i], slack, untrusted);
    if (!text.empty()) return fmt::format("element {}: {}", i, text);
  }
  return "";
}

// What eager reports of an output's storage.
inline std::string alias_text(const PrimGraph& graph, const GraphOutput& output) {
  if (output.alias_input >= 0) {
    int owner = output.alias_input;
    while (graph.inputs[owner].alias_of >= 0) owner = graph.inputs[owner].alias_of;
    return "input " + graph.inputs[owner].name;
  }
  return output.alias_output >= 0 ? "output " + graph.outputs[output.alias_output].name : "";
}

class AgainstEager {
 public:
  AgainstEager(const std::string& text, uint64_t seed, AgainstEagerOptions options = {})
      : program_(parse_program(text, "sample")),
        segment_(segment_of(text)),
        seed_(seed),
        options_(std::move(options)) {}

  void check() {
    inputs_ = inputs_of(program_, seed_);
    const std::vector<Tensor> eager_inputs = inputs_of(program_, seed_);
    if (options_.change)
      for (size_t k = 0; k < inputs_.size(); ++k) options_.change(k, inputs_[k]), options_.change(k, eager_inputs[k]);
    ValueList arguments;
    for (const Tensor& input : eager_inputs) arguments.push_back({input});
    EagerExecutor executor;
    const CallOutcome outcome = EagerInterpreter(program_, executor, {}).run(arguments);
    ASSERT_FALSE(outcome.error) << to_text(*outcome.error);
    graph_ = decompose(segment_);
    for (const Finding& finding : verify_decompose(segment_, graph_))
      ADD_FAILURE() << finding.promise << ", " << finding.place << ": " << finding.text << "\n" << to_text(graph_);
    if (::testing::Test::HasFailure()) return;
    run();
    check_outputs(outcome);
    check_inputs(outcome);
  }

  int untrusted() const { return untrusted_; }
  int elements() const { return elements_; }
  const PrimGraph& graph() const { return graph_; }

 private:
  void run() {
    ExactDomain& exact = domain_;
    PrimValues<ExactDomain> values;
    for (const Tensor& input : inputs_) values.push_back(values_of(exact, input));
    PrimRunOptions<ExactDomain> as_eager;
    as_eager.before = [&](int node, const auto&) { exact.sum_in_own_type(has_own_type_sums(graph_, node)); };
    exact_ = run_prims(graph_, exact, values, as_eager);
    NativeDomain native(host_arithmetic());
    PrimValues<NativeDomain> numbers;
    for (const Tensor& input : inputs_) numbers.push_back(values_of(native, input));
    PrimRunOptions<NativeDomain> options;
    options.keep_nodes = true;
    native_ = run_prims(graph_, native, numbers, options);
    FingerprintDomain fingerprints(host_arithmetic());
    const auto leaves = testing::fingerprint_inputs(fingerprints, graph_, numbers);
    run_prims_in_lockstep(graph_, fingerprints, leaves, native_);
    EXPECT_EQ(fingerprints.unrecorded_integers(), 0);
  }

  void check_outputs(const CallOutcome& outcome) {
    ASSERT_EQ(outcome.outputs.size(), graph_.outputs.size());
    for (size_t k = 0; k < graph_.outputs.size(); ++k) {
      const GraphOutput& output = graph_.outputs[k];
      const Tensor& eager = *outcome.outputs[k].value.tensor();
      EXPECT_EQ(to_text(output.type), to_text(eager.type)) << output.name;
      EXPECT_EQ(alias_text(graph_, output), outcome.outputs[k].alias) << output.name;
      if (output.type.sizes != eager.type.sizes || output.type.dtype != eager.type.dtype) continue;
      elements_ += static_cast<int>(exact_.outputs[k].size());
      EXPECT_EQ(first_breach(eager, domain_, exact_.outputs[k], options_.slack, &untrusted_), "")
          << "eager, " << output.name;
      EXPECT_EQ(first_breach(as_tensor(output.type, native_.outputs[k]), domain_, exact_.outputs[k], options_.slack,
                             &untrusted_),
                "")
          << "native, " << output.name;
    }
  }

  static Tensor as_tensor(const TensorType& type, const std::vector<NativeDomain::Value>& values) {
    const NativeDomain domain(host_arithmetic());
    Tensor tensor = make_tensor(contiguous_type(type.dtype, type.sizes));
    for (size_t i = 0; i < values.size(); ++i) {
      const uint64_t bits = domain.to_host(type.dtype, values[i]);
      std::memcpy(tensor.data() + static_cast<int64_t>(i) * byte_size(type.dtype), &bits,
                  static_cast<size_t>(byte_size(type.dtype)));
    }
    return tensor;
  }

  // Storages after the write-backs, element by element, so that aliased inputs see one another's writes.
  void check_inputs(const CallOutcome& outcome) {
    const ExactDomain exact(host_arithmetic());
    std::map<const void*, std::vector<Bounded>> storages;
    for (const Tensor& input : inputs_) {
      std::vector<Bounded>& storage = storages[input.storage.get()];
      const int64_t count = static_cast<int64_t>(input.storage->size()) / byte_size(input.type.dtype);
      if (storage.empty())
        for (int64_t i = 0; i < count; ++i)
          storage.push_back(exact.from_host(input.type.dtype, testing::host_bits(input, i)));
    }
    for (size_t k = 0; k < graph_.write_backs.size(); ++k) {
      const WriteBack& write = graph_.write_backs[k];
      std::vector<Bounded>& storage = storages[inputs_[write.input].storage.get()];
      for (size_t i = 0; i < exact_.write_backs[k].size(); ++i)
        storage[storage_index(write.type, static_cast<int64_t>(i))] = exact_.write_backs[k][i];
    }
    for (size_t k = 0; k < inputs_.size(); ++k) {
      const Tensor& eager = *outcome.inputs_after[k].value.tensor();
      std::vector<Bounded> expected;
      for (int64_t i = 0; i < element_count(eager.type.sizes); ++i)
        expected.push_back(storages[inputs_[k].storage.get()][storage_index(inputs_[k].type, i)]);
      EXPECT_EQ(first_breach(eager, domain_, expected, options_.slack, &untrusted_), "")
          << "input " << graph_.inputs[k].name << " after the call";
    }
  }

  Program program_;
  Segment segment_;
  uint64_t seed_;
  AgainstEagerOptions options_;
  ExactDomain domain_{host_arithmetic(), options_.profile};
  std::vector<Tensor> inputs_;
  PrimGraph graph_;
  PrimResult<ExactDomain> exact_;
  PrimResult<NativeDomain> native_;
  int untrusted_ = 0, elements_ = 0;
};

}  // namespace faultline::testing
