// Kernel programs for the tests of layout and tile, written as text so that they do not depend on how `fuse` groups;
// inputs for them in any element domain; a stand-in for Spyre's storage map where a test needs nothing else of the
// machine.
#pragma once

#include <fmt/format.h>

#include <string>
#include <type_traits>

#include "runtime/base/error.h"
#include "runtime/base/philox.h"
#include "runtime/exact/fingerprint_domain.h"
#include "runtime/layers/finding.h"
#include "runtime/layers/fuse/execute.h"
#include "runtime/layers/fuse/kernel_text.h"
#include "runtime/layers/lanes/dense_memory.h"
#include "runtime/numerics/arithmetic.h"
#include "runtime/numerics/native_domain.h"

namespace faultline {

// Stores as Spyre does (two bytes for f16, bf16 and bool, four for f32 and every wide integer), computes
// ideally.
class StickStorage final : public Arithmetic {
 public:
  std::string_view id() const override { return "stick_storage"; }
  Format storage_format(DType dtype) const override {
    switch (dtype) {
      case DType::f16:
      case DType::bf16: return host_format(dtype);
      case DType::boolean: return Format::i16;
      case DType::f32: return Format::f32;
      case DType::i64:
      case DType::i32: return Format::i32;
      case DType::i8: return Format::i8;
      default: throw Rejected(std::string(name(dtype)), "no such type");
    }
  }
  Format compute_format(DType dtype) const override { return host_format(dtype); }
  Format accumulator_format(DType dtype) const override { return is_float(dtype) ? Format::f64 : Format::i64; }
};

inline const StickStorage& stick_storage() {
  static const StickStorage storage;
  return storage;
}
// IdealArithmetic over that storage.
inline const IdealArithmetic& stick_arithmetic() {
  static const IdealArithmetic arithmetic(&stick_storage());
  return arithmetic;
}

inline KernelProgram clone_sample(int64_t n) {
  return parse_kernel_program(fmt::format(R"(kernels clone:
  input x: f16[{0}]
  output y: f16[{0}]
  takes x
  k0_clone movement (i0 < {0}):
    %0: f16 = load x[i0]
    y = %0
  return y
)",
                                          n));
}

// Row-wise pointwise with a broadcast row, a broadcast column and an index.
inline KernelProgram pointwise_sample(int64_t rows, int64_t columns) {
  return parse_kernel_program(fmt::format(R"(kernels pointwise:
  input x: f16[{0},{1}]
  input row: f16[{1}]
  input column: f16[{0}]
  intermediate t: f16[{0},{1}]
  output y: f16[{0},{1}]
  takes x, row, column
  k0 pointwise (i0 < {0}, i1 < {1}):
    %0: f16 = load x[i0, i1]
    %1: f16 = load row[i1]
    %2: f16 = mul(%0, %1)
    t = %2
  k1 pointwise (i0 < {0}, i1 < {1}):
    %0: f16 = load t[i0, i1]
    %1: f16 = load column[i0]
    %2: f16 = add(%0, %1)
    y = %2
  return y
)",
                                          rows, columns));
}

// out = relu(a @ b + bias), b transposed when asked: stored as [n, k].
inline KernelProgram matmul_sample(int64_t m, int64_t k, int64_t n, bool transposed) {
  return parse_kernel_program(fmt::format(R"(kernels matmul:
  input a: f16[{0},{1}]
  input b: f16[{3}]
  input bias: f16[{2}]
  output out: f16[{0},{2}]
  takes a, b, bias
  k0_mm contraction (i0 < {0}, i1 < {2}, r2 < {1}):
    %0: f16 = load a[i0, r2]
    %1: f16 = load b[{4}]
    %2: f16 = mul(%0, %1)
    reduce sum(%2)
    %3: f16 = reduced
    %4: f16 = load bias[i1]
    %5: f16 = add(%3, %4)
    %6: f16 = literal 0:f16
    %7: f16 = maximum(%5, %6)
    out = %7
  return out
)",
                                          m, k, n, transposed ? fmt::format("{},{}", n, k) : fmt::format("{},{}", k, n),
                                          transposed ? "i1, r2" : "r2, i1"));
}

inline KernelProgram batched_matmul_sample(int64_t batch, int64_t m, int64_t k, int64_t n) {
  return parse_kernel_program(fmt::format(R"(kernels bmm:
  input a: f16[{0},{1},{2}]
  input b: f16[{0},{2},{3}]
  output out: f16[{0},{1},{3}]
  takes a, b
  k0_bmm contraction (i0 < {0}, i1 < {1}, i2 < {3}, r3 < {2}):
    %0: f16 = load a[i0, i1, r3]
    %1: f16 = load b[i0, r3, i2]
    %2: f16 = mul(%0, %1)
    reduce sum(%2)
    %3: f16 = reduced
    out = %3
  return out
)",
                                          batch, m, k, n));
}

// Row maximum, then x - max broadcast back, then the sum of rows and of columns, and argmax.
inline KernelProgram reduction_sample(int64_t rows, int64_t columns) {
  return parse_kernel_program(fmt::format(R"(kernels reductions:
  input x: f16[{0},{1}]
  intermediate m: f16[{0}]
  intermediate d: f16[{0},{1}]
  intermediate m2: f16[{0}]
  output s: f16[{0}]
  output c: f16[{1}]
  output a: i64[{0}]
  takes x
  k0_max reduction (i0 < {0}, r1 < {1}):
    %0: f16 = load x[i0, r1]
    reduce max(%0)
    %1: f16 = reduced
    m = %1
  k1_sub pointwise (i0 < {0}, i1 < {1}):
    %0: f16 = load x[i0, i1]
    %1: f16 = load m[i0]
    %2: f16 = sub(%0, %1)
    d = %2
  k2_twice pointwise (i0 < {0}):
    %0: f16 = load m[i0]
    %1: f16 = add(%0, %0)
    m2 = %1
  k3_rows reduction (i0 < {0}, r1 < {1}):
    %0: f16 = load d[i0, r1]
    reduce sum(%0)
    %1: f16 = reduced
    %2: f16 = load m2[i0]
    %3: f16 = add(%1, %2)
    s = %3
  k4_columns reduction (i0 < {1}, r1 < {0}):
    %0: f16 = load d[r1, i0]
    reduce sum(%0)
    %1: f16 = reduced
    c = %1
  k5_argmax reduction (i0 < {0}, r1 < {1}):
    %0: f16 = load d[i0, r1]
    reduce argmax(%0)
    %1: i64 = reduced
    a = %1
  return s, c, a
)",
                                          rows, columns));
}

// Transposition that has to be stored, a transposed operand, a reshape, a slice off the stick, a pad, a gather, two
// types.
inline KernelProgram movement_sample(int64_t rows, int64_t columns) {
  return parse_kernel_program(fmt::format(R"(kernels movement:
  input x: f16[{0},{1}]
  input w: f16[{1},{0}]
  input index: i64[{0}]
  intermediate t: f16[{1},{0}]
  output u: f16[{1},{0}]
  output v: f16[{0},{1}]
  output flat: f16[{2}]
  output shifted: f16[{0},{1}]
  output gathered: f16[{0},{1}]
  output wide: f32[{0},{1}]
  takes x, w, index
  k0_t movement (i0 < {1}, i1 < {0}):
    %0: f16 = load x[i1, i0]
    t = %0
  k1_add pointwise (i0 < {1}, i1 < {0}):
    %0: f16 = load t[i0, i1]
    %1: f16 = load w[i0, i1]
    %2: f16 = add(%0, %1)
    u = %2
  k2_cross pointwise (i0 < {0}, i1 < {1}):
    %0: f16 = load x[i0, i1]
    %1: f16 = load w[i1, i0]
    %2: f16 = mul(%0, %1)
    v = %2
  k3_flat pointwise (i0 < {2}):
    %0: f16 = load x[i0 / {1}, i0 % {1}]
    %1: f16 = neg(%0)
    flat = %1
  k4_shift pointwise (i0 < {0}, i1 < {1}):
    %0: f16 = literal 2.5:f16
    %1: f16 = load x[i0 - 1, i1 - 1] else %0
    %2: f16 = load x[i0, i1]
    %3: f16 = add(%1, %2)
    shifted = %3
  k5_gather pointwise (i0 < {0}, i1 < {1}):
    %0: i64 = load index[i0]
    %1: f16 = load x[%0, i1]
    %2: f16 = neg(%1)
    gathered = %2
  k6_wide pointwise (i0 < {0}, i1 < {1}):
    %0: f16 = load x[i0, i1]
    %1: f32 = cast(%0)
    wide = %1
  return u, v, flat, shifted, gathered, wide
)",
                                          rows, columns, rows * columns));
}

// Values for every input. Native floats are multiples of 1/8 in [-2, 2), so that sums of products are exact in any
// order; in the fingerprint domain they are its leaves, all different. Integers are indices below `index_below`.
template <class D>
DenseBuffers<D> sample_inputs(const KernelProgram& program, D& domain, int64_t index_below) {
  DenseBuffers<D> inputs;
  for (const int b : program.inputs) {
    const Buffer& buffer = program.buffers[b];
    PhiloxStream stream(1, buffer.name);
    std::vector<typename D::Value> values;
    for (int64_t i = 0; i < element_count(buffer.sizes); ++i) {
      const int64_t draw = stream.below(32);
      if (!is_float(buffer.dtype)) {
        values.push_back(domain.integer(draw % index_below, buffer.dtype));
      } else if constexpr (std::is_same_v<D, FingerprintDomain>) {
        values.push_back(domain.leaf(buffer.name, static_cast<uint64_t>(i)));
      } else {
        values.push_back(domain.literal(real_literal(static_cast<double>(draw - 16) / 8, buffer.dtype)));
      }
    }
    inputs.push_back(std::move(values));
  }
  return inputs;
}

inline bool same(DType, const NativeDomain::Value& a, const NativeDomain::Value& b) { return a.integer == b.integer; }
inline bool same(DType dtype, const FingerprintDomain::Value& a, const FingerprintDomain::Value& b) {
  return FingerprintDomain::equal(dtype, a, b);
}

// Flat indices of the elements of every buffer of `program` in which a run differs from dense arrays. A buffer without
// values in the run (one that stays in scratch) is not compared.
template <class D>
std::vector<std::vector<int64_t>> wrong_elements(const KernelProgram& program, D& domain, const DenseBuffers<D>& inputs,
                                                 const DenseBuffers<D>& have) {
  const DenseBuffers<D> want = run_kernels(program, domain, inputs);
  std::vector<std::vector<int64_t>> wrong(want.size());
  for (size_t b = 0; b < want.size(); ++b) {
    for (size_t i = 0; i < have[b].size(); ++i) {
      if (!same(program.buffers[b].dtype, want[b][i], have[b][i])) wrong[b].push_back(static_cast<int64_t>(i));
    }
  }
  return wrong;
}

inline int buffer_named(const KernelProgram& program, std::string_view name) {
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    if (program.buffers[b].name == name) return static_cast<int>(b);
  }
  throw UserError(fmt::format("no buffer {}", name));
}

inline std::string text_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += finding.promise + " | " + finding.place + " | " + finding.text + "\n";
  return text;
}

inline std::vector<std::string> promises_of(const std::vector<Finding>& findings) {
  std::vector<std::string> promises;
  for (const Finding& finding : findings) {
    if (promises.empty() || promises.back() != finding.promise) promises.push_back(finding.promise);
  }
  return promises;
}

inline std::vector<std::pair<std::string, KernelProgram>> named_samples() {
  std::vector<std::pair<std::string, KernelProgram>> samples;
  for (const int64_t n : {1, 5, 63, 64, 65, 127, 128, 129}) {
    samples.emplace_back(fmt::format("clone {}", n), clone_sample(n));
    samples.emplace_back(fmt::format("pointwise 3 x {}", n), pointwise_sample(3, n));
    samples.emplace_back(fmt::format("pointwise {} x 1", n), pointwise_sample(n, 1));
    samples.emplace_back(fmt::format("reductions 3 x {}", n), reduction_sample(3, n));
    samples.emplace_back(fmt::format("reductions {} x 5", n), reduction_sample(n, 5));
    samples.emplace_back(fmt::format("movement 4 x {}", n), movement_sample(4, n));
    samples.emplace_back(fmt::format("matmul 3 x {} x 65", n), matmul_sample(3, n, 65, false));
    samples.emplace_back(fmt::format("matmul {} x 65 x 1", n), matmul_sample(n, 65, 1, true));
  }
  samples.emplace_back("movement 72 x 91", movement_sample(72, 91));
  samples.emplace_back("matmul 7 x 67 x 150", matmul_sample(7, 67, 150, true));
  samples.emplace_back("matmul 2 x 256 x 64", matmul_sample(2, 256, 64, false));
  samples.emplace_back("bmm 3 x 5 x 67 x 9", batched_matmul_sample(3, 5, 67, 9));
  return samples;
}

}  // namespace faultline
