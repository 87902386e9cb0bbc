// Programs of ten operations a second on one core, from a seed to the parsed Program: `programs/s` is to be 2,000 or
// more.
#include <benchmark/benchmark.h>

#include "generate/random_program.h"
#include "runtime/ir/program_text.h"

namespace faultline::generate {
namespace {

void ten_operations(benchmark::State& state) {
  ProgramStyle style = kAsReported;
  style.operations_min = style.operations_max = 10;
  uint64_t seed = 0;
  for (auto _ : state) {
    SeededChoices choices(++seed, "bench");
    benchmark::DoNotOptimize(parse_program(random_program(choices, style), "random"));
  }
  state.counters["programs/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(ten_operations);

}  // namespace
}  // namespace faultline::generate

BENCHMARK_MAIN();
