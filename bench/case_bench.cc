// In process, eager warm: the clean 65-element clone, the ladder of a program of twelve ops and its whole case, and a
// transformer block of 256 columns. `of_bound` is the time of a case as a share of what it may take: 1/2000 s of one
// core, 50 ms, 5 s; the block may take 1 GiB of memory besides.
#include <benchmark/benchmark.h>

#include <sys/resource.h>

#include <string>

#include "runtime/base/memory.h"
#include "runtime/base/parallel.h"
#include "checkers/rung_judgement.h"
#include "runtime/run/ladder.h"
#include "runtime/run/run_case.h"

namespace faultline {
namespace {

void run(benchmark::State& state, const std::string& line, const RunOptions& options, double bound_seconds) {
  const Case test_case = parse_case(line, FAULTLINE_SOURCE_DIR);
  run_case(test_case, options);  // loads eager
  for (auto _ : state) {
    const Verdict verdict = run_case(test_case, options);
    if (verdict.outcome != Outcome::pass) state.SkipWithError("the case does not pass");
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024;
  state.counters["of_bound"] =
      benchmark::Counter(bound_seconds, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void clean_clone(benchmark::State& state) {
  run(state, "program=def clone65(x: f16[65]): y = aten.clone(x); return y", {}, 1.0 / 2000);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(clean_clone);

constexpr const char* kTwelve =
    "program=def twelve(x: f16[64,256], w: f16[256]): a = aten.mul.Tensor(x, w); b = aten.add.Tensor(a, x); "
    "c = aten.relu(b); d = aten.sigmoid(c); e = aten.mul.Tensor(d, x); f = aten.amax(e, [1], True); "
    "g = aten.sub.Tensor(e, f); h = aten.exp(g); i = aten.sum.dim_IntList(h, [1], True); "
    "j = aten.div.Tensor(h, i); k = aten.neg(j); y = aten.abs(k); return y";

// All rungs, natively and in fingerprints, and the verifiers beside them; eager, the exact references and the run that
// decides are at hand.
void ladder_of_twelve(benchmark::State& state) {
  const auto threads = static_cast<int>(state.range(0));
  const Case test_case = parse_case(kTwelve);
  const Subject subject(test_case);
  for (auto _ : state) {
    state.PauseTiming();
    Comparison comparison = compare_case(subject, threads);
    state.ResumeTiming();
    climb_ladder(subject, comparison, {[&] { run_verifiers(subject, comparison); }}, threads);
    for (const RungEvidence& rung : comparison.evidence.rungs)
      if (!judge_rung(comparison.evidence, rung).agrees.value_or(false)) state.SkipWithError("a rung departs");
  }
  state.counters["of_bound"] =
      benchmark::Counter(0.050, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// The same from text to verdict.
void case_of_twelve(benchmark::State& state) {
  RunOptions options;
  options.ladder = true;
  options.threads = static_cast<int>(state.range(0));
  run(state, kTwelve, options, 0.050);
}

void by_threads(benchmark::internal::Benchmark* bench) {
  bench->Arg(1)
      ->Arg(hardware_threads())
      ->ArgName("threads")
      ->Unit(benchmark::kMillisecond)
      ->MeasureProcessCPUTime()
      ->UseRealTime();
}
BENCHMARK(ladder_of_twelve)->Apply(by_threads);
BENCHMARK(case_of_twelve)->Apply(by_threads);

void transformer_block(benchmark::State& state) {
  RunOptions options;
  options.threads = static_cast<int>(state.range(0));
  run(state, "program=@bench/transformer_block.fl", options, 5);
}
BENCHMARK(transformer_block)->Apply(by_threads);

}  // namespace
}  // namespace faultline

int main(int argc, char** argv) {
  faultline::keep_freed_memory();  // as the command line does
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
