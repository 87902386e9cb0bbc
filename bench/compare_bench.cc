// The verdict over two tensors beside a plain read of both, on one thread, in processor time: `of_read` is the one as a
// multiple of the other, taken in turns. bench/compare_beside_torch.py puts PyTorch's rules beside them.
//
// 64 Mi elements, N(0,1), the bound the one of assert_close and half an ulp. equal: both tensors are; legal: a result
// in five differs by an ulp; wrong: so do they, and one in 10 000 is far off. small: 1024 elements, legal.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/compare_bench.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace faultline {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Reads both and does next to nothing.
uint64_t read_both(const uint8_t* left, const uint8_t* right, size_t size) {
  const hn::ScalableTag<uint64_t> d;
  const size_t step = hn::Lanes(d) * 8;
  auto one = hn::Zero(d), two = one, three = one, four = one;
  for (size_t i = 0; i + 2 * step <= size; i += 2 * step) {
    one = hn::Xor(one, hn::LoadU(d, reinterpret_cast<const uint64_t*>(left + i)));
    two = hn::Xor(two, hn::LoadU(d, reinterpret_cast<const uint64_t*>(right + i)));
    three = hn::Xor(three, hn::LoadU(d, reinterpret_cast<const uint64_t*>(left + i + step)));
    four = hn::Xor(four, hn::LoadU(d, reinterpret_cast<const uint64_t*>(right + i + step)));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Xor(hn::Xor(one, two), hn::Xor(three, four))));
}

}  // namespace HWY_NAMESPACE
}  // namespace faultline
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <benchmark/benchmark.h>

#include <ctime>

#include <cstring>
#include <map>
#include <string>

#include "checkers/comparison/comparison.h"
#include "runtime/base/philox.h"
#include "runtime/numerics/format.h"

namespace faultline {
HWY_EXPORT(read_both);

namespace {

constexpr int64_t kLarge = int64_t{64} << 20;
enum class Data : uint8_t { equal, legal, wrong };

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

BoundOfReference bound_of(DType dtype) {
  const double relative = dtype == DType::f32 ? 1.3e-6 : dtype == DType::f16 ? 1e-3 : 1.6e-2;
  return {relative, 0.5, 1e-5};
}

struct Tensors {
  Tensor actual, reference;
};

// Numbers of a few thousand draws, repeated: what the comparison costs does not depend on more.
Tensors make_tensors(DType dtype, int64_t count, Data data) {
  constexpr size_t kDraws = 65521;
  PhiloxStream draws(1, "compare_bench");
  std::vector<uint64_t> numbers;
  for (size_t i = 0; i < kDraws; ++i) numbers.push_back(encode(host_format(dtype), draws.normal()));
  const TensorType type = contiguous_type(dtype, {count});
  Tensors tensors{make_tensor(type), make_tensor(type)};
  const auto bytes = static_cast<size_t>(byte_size(dtype));
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t reference = numbers[static_cast<size_t>(i) % kDraws];
    uint64_t actual = reference;
    if (data != Data::equal && i % 5 == 0 && (reference & 0x7FFF) != 0) actual += i % 2 == 0 ? 1 : -1;
    if (data == Data::wrong && i % 10007 == 5000) actual ^= uint64_t{1} << (8 * bytes - 1);
    std::memcpy(tensors.reference.data() + static_cast<size_t>(i) * bytes, &reference, bytes);
    std::memcpy(tensors.actual.data() + static_cast<size_t>(i) * bytes, &actual, bytes);
  }
  return tensors;
}

ElementView view_of(const Tensor& tensor) { return {tensor.data(), tensor.type}; }

void large_verdict(benchmark::State& state, DType dtype, Data data) {
  const Tensors tensors = make_tensors(dtype, kLarge, data);
  const BoundOfReference bound = bound_of(dtype);
  const auto* left = reinterpret_cast<const uint8_t*>(tensors.actual.data());
  const auto* right = reinterpret_cast<const uint8_t*>(tensors.reference.data());
  double reads = 0, verdicts = 0;
  for (auto _ : state) {
    const double start = processor_seconds();
    benchmark::DoNotOptimize(HWY_DYNAMIC_DISPATCH(read_both)(left, right, tensors.actual.storage->size()));
    const double read = processor_seconds();
    const ElementComparison found = compare_to_reference(view_of(tensors.actual), view_of(tensors.reference), bound);
    const double done = processor_seconds();
    if ((found.passed == kLarge) != (data != Data::wrong)) state.SkipWithError("the verdict is not that of the data");
    reads += read - start;
    verdicts += done - read;
    state.SetIterationTime(done - read);
  }
  state.counters["read_ms"] = reads / static_cast<double>(state.iterations()) * 1e3;
  state.counters["of_read"] = verdicts / reads;
}

void small_verdict(benchmark::State& state, DType dtype) {
  const Tensors tensors = make_tensors(dtype, 1024, Data::legal);
  const BoundOfReference bound = bound_of(dtype);
  for (auto _ : state) {
    const ElementComparison found = compare_to_reference(view_of(tensors.actual), view_of(tensors.reference), bound);
    if (found.passed != 1024) state.SkipWithError("the verdict is not that of the data");
  }
}

void register_all() {
  const std::map<std::string, Data> kinds = {{"equal", Data::equal}, {"legal", Data::legal}, {"wrong", Data::wrong}};
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16}) {
    const std::string prefix = "verdict/" + std::string(name(dtype)) + "/";
    for (const auto& [kind, data] : kinds)
      benchmark::RegisterBenchmark((prefix + kind).c_str(),
                                   [dtype, data = data](benchmark::State& state) { large_verdict(state, dtype, data); })
          ->UseManualTime()
          ->Iterations(8)
          ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark((prefix + "small").c_str(), [dtype](benchmark::State& state) {
      small_verdict(state, dtype);
    })->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace
}  // namespace faultline

int main(int argc, char** argv) {
  faultline::register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
#endif
