// Whole cases in process, eager warm: the clean 65-element clone, the ladder of a program of twelve ops, and a
// transformer block. Bounds they are held to by hand: 2,000 cases a second, 50 ms, 5 s.
#include <benchmark/benchmark.h>

#include <sys/resource.h>

#include <string>

#include "runtime/base/parallel.h"
#include "runtime/run/run_case.h"

namespace faultline {
namespace {

void run(benchmark::State& state, const std::string& line, bool ladder, int threads = 1) {
  const Case test_case = parse_case(line, FAULTLINE_SOURCE_DIR);
  RunOptions options;
  options.ladder = ladder;
  options.threads = threads;
  for (auto _ : state) {
    const Verdict verdict = run_case(test_case, options);
    if (verdict.outcome != Outcome::pass) state.SkipWithError("the case does not pass");
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

void clean_clone(benchmark::State& state) {
  run(state, "program=def clone65(x: f16[65]): y = aten.clone(x); return y", false);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(clean_clone);

void ladder_of_twelve(benchmark::State& state) {
  run(state,
      "program=def twelve(x: f16[64,256], w: f16[256]): a = aten.mul.Tensor(x, w); b = aten.add.Tensor(a, x); "
      "c = aten.relu(b); d = aten.sigmoid(c); e = aten.mul.Tensor(d, x); f = aten.amax(e, [1], True); "
      "g = aten.sub.Tensor(e, f); h = aten.exp(g); i = aten.sum.dim_IntList(h, [1], True); "
      "j = aten.div.Tensor(h, i); k = aten.neg(j); y = aten.abs(k); return y",
      true, static_cast<int>(state.range(0)));
}
BENCHMARK(ladder_of_twelve)
    ->Arg(1)
    ->Arg(hardware_threads())
    ->ArgName("threads")
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

void transformer_block(benchmark::State& state) {
  run(state, "program=@bench/transformer_block.fl", false);
}
BENCHMARK(transformer_block)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace faultline
