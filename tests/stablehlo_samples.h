// Prim graphs of one node for every prim, function and type, with operands in which every special value meets every
// other; and random graphs. For each the values that runs of it are held to.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "runtime/exact/exact_domain.h"
#include "runtime/ir/tensor_bits.h"
#include "runtime/layers/decompose/run_prims.h"
#include "runtime/layers/decompose/verify_decompose.h"
#include "runtime/numerics/data_source.h"
#include "runtime/numerics/format.h"
#include "tests/fuse_random.h"

namespace faultline::stablehlo_test {

struct Sample {
  std::string name;  // "div of i8"
  PrimGraph graph;
  std::vector<Tensor> inputs;  // dense
};

inline std::vector<double> special_numbers(DType dtype) {
  const Format format = host_format(dtype);
  if (dtype == DType::boolean) return {0, 1};
  if (is_float(dtype)) {
    const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    const FormatLimits& limit = limits(format);
    return {0,
            -0.0,
            1,
            -1,
            0.5,
            -0.5,
            1.5,
            2.5,
            -2.5,
            3,
            -7.75,
            0.75,
            0.1,
            -0.3,
            6.25,
            100.5,
            2,
            -4,
            inf,
            -inf,
            nan,
            limit.largest,
            -limit.largest,
            limit.smallest_normal,
            -limit.smallest_subnormal};
  }
  const auto least = static_cast<double>(least_integer(format)),
             greatest = static_cast<double>(greatest_integer(format));
  return {0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 63, 64, 100, greatest, least, least + 1, -1, -2, -3, -7, -8, -100};
}

inline uint64_t bits_of(DType dtype, double number) {
  const Format format = host_format(dtype);
  if (is_float(dtype)) return encode(format, number);
  if (number >= 0x1p63) return encode_integer(format, std::numeric_limits<int64_t>::max());
  return encode_integer(format, wrap_integer(format, static_cast<int64_t>(number)));
}

inline void set_element(Tensor& tensor, int64_t index, uint64_t bits) {
  const auto size = static_cast<size_t>(byte_size(tensor.type.dtype));
  std::memcpy(tensor.data() + index * static_cast<int64_t>(size), &bits, size);
}

// Elements from `numbers`, each repeated `each` times, again and again.
inline Tensor repeated(DType dtype, Sizes sizes, const std::vector<double>& numbers, int64_t each = 1) {
  Tensor tensor = make_tensor(contiguous_type(dtype, std::move(sizes)));
  const auto count = static_cast<int64_t>(numbers.size());
  for (int64_t i = 0; i < element_count(tensor.type.sizes); ++i)
    set_element(tensor, i, bits_of(dtype, numbers[static_cast<size_t>(i / each % count)]));
  return tensor;
}

// A graph of inputs and one node on them, which is its output.
inline Sample one_node(std::string name, PrimNode node, std::vector<Tensor> inputs) {
  Sample sample{std::move(name), {}, std::move(inputs)};
  sample.graph.name = "sample";
  for (const Tensor& tensor : sample.inputs) {
    const int index = static_cast<int>(sample.graph.inputs.size());
    PrimNode input;
    input.prim = Prim::input;
    input.dtype = tensor.type.dtype;
    input.sizes = tensor.type.sizes;
    input.index = index;
    sample.graph.nodes.push_back(input);
    sample.graph.inputs.push_back({"x" + std::to_string(index), tensor.type, -1});
    if (node.prim != Prim::literal && node.prim != Prim::iota) node.operands.push_back(index);
  }
  sample.graph.nodes.push_back(node);
  sample.graph.outputs.push_back(
      {static_cast<int>(sample.graph.nodes.size()) - 1, contiguous_type(node.dtype, node.sizes), -1, -1, "out"});
  return sample;
}

inline PrimNode node_of(Prim prim, DType dtype, Sizes sizes) {
  PrimNode node;
  node.prim = prim;
  node.dtype = dtype;
  node.sizes = std::move(sizes);
  return node;
}

inline bool is_sound(const Sample& sample) { return verify_nodes(sample.graph).empty(); }

inline std::string label(std::string_view what, DType dtype) {
  return std::string(what) + " of " + std::string(name(dtype));
}

// Every function of operands of this type that has a meaning; binary ones on all pairs.
inline std::vector<Sample> function_samples(DType dtype) {
  std::vector<Sample> samples;
  const std::vector<double> numbers = special_numbers(dtype);
  const auto count = static_cast<int64_t>(numbers.size());
  for (int f = 0; f < function_count(); ++f) {
    const auto function = static_cast<Function>(f);
    const FunctionRow& info = row(function);
    if (function == Function::cast) continue;
    const int64_t total = info.arity == 1 ? count : count * count;
    PrimNode node = node_of(Prim::pointwise, info.kind == FunctionKind::compare ? DType::boolean : dtype, {total});
    node.function = function;
    std::vector<Tensor> inputs;
    if (function == Function::select) inputs.push_back(repeated(DType::boolean, {total}, {1, 0, 0}));
    inputs.push_back(repeated(dtype, {total}, numbers));
    if (info.arity > 1) inputs.push_back(repeated(dtype, {total}, numbers, count));
    Sample sample = one_node(label(info.name, dtype), node, inputs);
    const bool shifts = function == Function::shift_left || function == Function::shift_right;
    const bool meaningless =
        (dtype == DType::boolean && shifts) || (!is_float(dtype) && function == Function::reciprocal);
    if (is_sound(sample) && !meaningless) samples.push_back(std::move(sample));
  }
  return samples;
}

inline std::vector<Sample> cast_samples(DType dtype) {
  std::vector<Sample> samples;
  const std::vector<double> numbers = special_numbers(dtype);
  for (int to = 0; to < kDTypeCount; ++to) {
    PrimNode node = node_of(Prim::pointwise, static_cast<DType>(to), {static_cast<int64_t>(numbers.size())});
    node.function = Function::cast;
    samples.push_back(one_node(label("cast to " + std::string(name(node.dtype)), dtype), node,
                               {repeated(dtype, node.sizes, numbers)}));
  }
  return samples;
}

inline std::vector<Sample> reduction_samples(DType dtype) {
  std::vector<Sample> samples;
  const std::vector<double> all = special_numbers(dtype), few = {0, 1, 2, 0, 1, -1, 1, 1, 2, 3, 1};
  for (int r = 0; r < kReductionCount; ++r)
    for (const std::vector<int64_t>& axes : {std::vector<int64_t>{1}, {0, 2}, {0, 1, 2}}) {
      const auto reduction = static_cast<Reduction>(r);
      const bool index = reduction == Reduction::argmax || reduction == Reduction::argmin;
      PrimNode node = node_of(Prim::reduce, index ? DType::i64 : dtype, {});
      const Sizes from = {5, 7, 3};
      for (int64_t d = 0; d < 3; ++d)
        if (std::find(axes.begin(), axes.end(), d) == axes.end()) node.sizes.push_back(from[static_cast<size_t>(d)]);
      node.reduction = reduction;
      node.axes = axes;
      for (const std::vector<double>& numbers : {all, few}) {
        Sample sample = one_node(label(name(reduction), dtype), node, {repeated(dtype, from, numbers)});
        if (is_sound(sample)) samples.push_back(std::move(sample));
      }
    }
  return samples;
}

inline std::vector<Sample> source_samples(DType dtype) {
  std::vector<Sample> samples;
  const Tensor unused = repeated(DType::f32, {1}, {0});
  for (const double number : special_numbers(dtype)) {
    PrimNode node = node_of(Prim::literal, dtype, {2});
    node.literal = is_float(dtype) ? real_literal(number, dtype)
                                   : integer_literal(static_cast<int64_t>(bits_of(DType::i64, number)), dtype);
    samples.push_back(one_node(label("literal", dtype), node, {unused}));
  }
  struct Line {
    double start, step;
  };
  for (const Line& line : {Line{0, 1}, Line{-3, 2}, Line{5, -1}, Line{0.25, 0.1}}) {
    PrimNode node = node_of(Prim::iota, dtype, {3, 300, 2});
    node.axes = {1};
    node.low = {static_cast<int64_t>(line.step)};
    node.step = line.step;
    node.literal =
        is_float(dtype) ? real_literal(line.start, dtype) : integer_literal(static_cast<int64_t>(line.start), dtype);
    samples.push_back(one_node(label("iota", dtype), node, {unused}));
  }
  return samples;
}

inline std::vector<Sample> movement_samples(DType dtype) {
  std::vector<Sample> samples;
  const Sizes from = {4, 3, 6};
  const Tensor x = repeated(dtype, from, special_numbers(dtype));
  const auto add = [&](Prim prim, Sizes sizes, std::vector<int64_t> axes, std::vector<int64_t> low,
                       std::vector<int64_t> steps, std::vector<Tensor> more = {}) {
    PrimNode node = node_of(prim, dtype, std::move(sizes));
    node.axes = std::move(axes);
    node.low = std::move(low);
    node.step_sizes = std::move(steps);
    std::vector<Tensor> inputs = {x};
    for (Tensor& tensor : more) inputs.push_back(std::move(tensor));
    samples.push_back(one_node(label(name(prim), dtype), node, std::move(inputs)));
  };
  add(Prim::reshape, {2, 36}, {}, {}, {});
  add(Prim::permute, {6, 4, 3}, {2, 0, 1}, {}, {});
  add(Prim::broadcast, {4, 2, 3, 6, 2}, {0, 2, 3}, {}, {});
  add(Prim::slice, {2, 1, 3}, {}, {1, 2, 0}, {2, 1, 2});
  add(Prim::slice, {0, 3, 6}, {}, {4, 0, 0}, {1, 1, 1});
  add(Prim::concat, {4, 8, 6}, {1}, {}, {}, {repeated(dtype, {4, 5, 6}, {1, 0})});
  add(Prim::flip, from, {2, 0}, {}, {});
  add(Prim::gather, {4, 2, 2, 6}, {1}, {}, {}, {repeated(DType::i64, {2, 2}, {2, 0, 1, 2})});
  add(Prim::gather, {3, 3, 6}, {0}, {}, {}, {repeated(DType::i32, {3}, {3, 0, 3})});
  add(Prim::gather, {4, 3}, {2}, {}, {}, {repeated(DType::u8, {}, {5})});
  add(Prim::window, {4, 3, 2, 3}, {2}, {}, {2, 1});
  add(Prim::window, {2, 2, 3, 6}, {0}, {}, {1, 2});
  for (Sample& sample : samples) EXPECT_TRUE(is_sound(sample)) << to_text(sample.graph);
  return samples;
}

inline Sample pad_sample(DType dtype, Sizes sizes, std::vector<int64_t> low) {
  PrimNode node = node_of(Prim::pad, dtype, std::move(sizes));
  node.low = std::move(low);
  Sample sample = one_node(label("pad", dtype), node, {repeated(dtype, {3, 5}, special_numbers(dtype))});
  PrimNode fill = node_of(Prim::literal, dtype, {});
  fill.literal = is_float(dtype) ? real_literal(-1.5, dtype) : integer_literal(1, dtype);
  sample.graph.nodes.insert(sample.graph.nodes.begin() + 1, fill);
  sample.graph.nodes[2].operands = {0, 1};
  sample.graph.outputs[0].node = 2;
  EXPECT_TRUE(is_sound(sample)) << to_text(sample.graph);
  return sample;
}

inline std::vector<Sample> product_samples(DType dtype) {
  std::vector<Sample> samples;
  const std::vector<double> plain = {1, 2, -1, 0.5, 3, 0, -2, 1.25};
  for (const std::vector<double>& numbers : {plain, special_numbers(dtype)})
    samples.push_back(one_node(label("dot", dtype), node_of(Prim::dot, dtype, {2, 3, 5}),
                               {repeated(dtype, {2, 3, 4}, numbers), repeated(dtype, {2, 4, 5}, plain)}));
  samples.push_back(one_node(label("long dot", dtype), node_of(Prim::dot, dtype, {1, 2, 2}),
                             {repeated(dtype, {1, 2, 3000}, plain), repeated(dtype, {1, 3000, 2}, plain, 3)}));
  return samples;
}

inline std::vector<Sample> samples_of(DType dtype) {
  std::vector<Sample> samples;
  const auto take = [&](std::vector<Sample> more) {
    for (Sample& sample : more) samples.push_back(std::move(sample));
  };
  take(function_samples(dtype));
  take(cast_samples(dtype));
  take(reduction_samples(dtype));
  take(source_samples(dtype));
  take(movement_samples(dtype));
  take({pad_sample(dtype, {5, 7}, {1, 2}), pad_sample(dtype, {2, 5}, {-1, 1}), pad_sample(dtype, {4, 4}, {-5, 6})});
  if (dtype != DType::boolean) take(product_samples(dtype));
  return samples;
}

inline Sample random_sample(uint64_t seed) {
  SeededChoices choices(seed, "stablehlo");
  Sample sample{"random graph " + std::to_string(seed), fuse_test::RandomGraph(choices).make(), {}};
  for (const GraphInput& input : sample.graph.inputs)
    sample.inputs.push_back(materialise(input.type, DataSource{}, seed, input.name));
  return sample;
}

// What conforming results are, in row-major order, one vector an output.
inline PrimValues<ExactDomain> expected(const Sample& sample, const Arithmetic& arithmetic,
                                        const ErrorProfile& profile) {
  ExactDomain domain(arithmetic, profile);
  PrimValues<ExactDomain> inputs;
  for (const Tensor& tensor : sample.inputs) {
    inputs.emplace_back();
    for (int64_t i = 0; i < element_count(tensor.type.sizes); ++i)
      inputs.back().push_back(domain.from_host(tensor.type.dtype, load_bits(tensor, i)));
  }
  return run_prims(sample.graph, domain, inputs).outputs;
}

struct Judged {
  int64_t within = 0, open = 0;  // elements; open: the reference has no opinion
  std::string complaint;         // of the first element that is beyond
};

// Dense results against the reference.
inline void judge(const Sample& sample, const PrimValues<ExactDomain>& reference, const std::vector<Tensor>& results,
                  Judged& judged) {
  for (size_t o = 0; o < reference.size(); ++o) {
    const DType dtype = results[o].type.dtype;
    for (size_t i = 0; i < reference[o].size(); ++i) {
      const Bounded& value = reference[o][i];
      const uint64_t bits = load_bits(results[o], static_cast<int64_t>(i));
      if (value.reasons != 0) {
        ++judged.open;
        continue;
      }
      const Format format = host_format(dtype);
      const double number = is_float(dtype) ? decode(format, bits) : static_cast<double>(host_integer(dtype, bits));
      const bool good = is_float(dtype)
                            ? agreement(value.value, value.bound, number, limits(format).largest) != Agreement::beyond
                            : value.integer == host_integer(dtype, bits);
      if (good) {
        ++judged.within;
      } else if (judged.complaint.empty()) {
        std::ostringstream text;
        text << sample.name << ": output " << o << " element " << i << " is " << number << ", expected "
             << (is_float(dtype) ? value.value : static_cast<double>(value.integer)) << " within " << value.bound
             << "\n";
        if (sample.graph.nodes.size() < 4)
          for (const Tensor& input : sample.inputs)
            if (input.type.sizes == results[o].type.sizes)
              text << "  of "
                   << (is_float(input.type.dtype)
                           ? decode(host_format(input.type.dtype), load_bits(input, static_cast<int64_t>(i)))
                           : static_cast<double>(
                                 host_integer(input.type.dtype, load_bits(input, static_cast<int64_t>(i)))))
                   << "\n";
        judged.complaint = text.str();
      }
    }
  }
}

}  // namespace faultline::stablehlo_test
